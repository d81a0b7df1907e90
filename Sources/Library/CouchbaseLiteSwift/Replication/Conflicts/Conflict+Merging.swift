#if Replication
import Base
import DatabaseRuntime
import DocumentStore
import Fleece
import ModelCoding

extension Conflict {
    /// Returns a document with what both versions have changed; `nil` if one of them is deleted. If it cannot be made, because a version is
    /// damaged, returns the newer version and logs a warning.
    ///
    /// - Parameter prefersLocal: Whether the local version is the newer one. By default the rule of ``ConflictResolver/default`` decides.
    func merged(_ extent: ConflictMerge.Extent, prefersLocal: Bool? = nil) -> Document? {
        guard let localDocument, let remoteDocument else { return nil }
        let prefersLocal = prefersLocal ?? stored.prefersLocal
        let newer = prefersLocal ? localDocument : remoteDocument
        do {
            return try ConflictMerge.merge(stored, extent, prefersLocal: prefersLocal).map { document($0) } ?? newer
        } catch {
            warn("the newer version is used: \(publicError(error).localizedDescription)")
            return newer
        }
    }

    /// Returns the document that a function of the app makes from the versions as models; `nil` if it returns none, or if a version is deleted.
    /// Properties that the type does not have are merged one by one.
    ///
    /// - Throws: `DecodingError` if a version is not such a model; `EncodingError` if the result cannot be stored; errors that coding the type
    ///   throws.
    func merged<Model: Codable>(as type: Model.Type, _ merge: (Model?, Model, Model) -> Model?) throws -> Document? {
        guard let database = localDocument?.collection?.database, remoteDocument != nil else { return nil }
        let shape = ModelShape.of(type, .ofAPI)
        func model(_ revision: ConflictRevision) throws -> Model { try self.model(type, shape, revision, database) }
        let base = stored.base.flatMap { $0.isDeleted ? nil : try? model($0) }
        guard let result = try merge(base, model(stored.local), model(stored.remote)) else { return nil }
        guard let others = try ConflictMerge.merge(stored, .properties, prefersLocal: stored.prefersLocal) else {
            throw LibraryError(CBLError.corruptRevisionData, "a version of document \"\(documentID)\" is damaged")
        }
        let file = try database.openFile()
        let newer = stored.prefersLocal ? stored.local : stored.remote
        let blobs = ResolvedBlobs(database: database, store: file.blobs)
        return document(try shape.combine(result, with: others, newer.id, on: try file.counterDevice(), blobs))
    }

    /// Returns both versions as models; `nil` for one that is deleted or cannot be decoded, about which a warning is logged.
    func models<Model: Codable>(_ type: Model.Type) -> (local: Model?, remote: Model?) {
        let shape = ModelShape.of(type, .ofAPI)
        func model(_ revision: ConflictRevision, _ document: Document?) -> Model? {
            guard let document else { return nil }
            do {
                return try self.model(type, shape, revision, document.collection?.database)
            } catch {
                warn("the version \(revision.id) loses: \(publicError(error).localizedDescription)")
                return nil
            }
        }
        return (model(stored.local, localDocument), model(stored.remote, remoteDocument))
    }

    private func model<Model: Codable>(
        _ type: Model.Type,
        _ shape: ModelShape,
        _ revision: ConflictRevision,
        _ database: Database?
    ) throws -> Model {
        let source = FleeceSource(data: revision.body, sharedKeys: stored.sharedKeys, database: database)
        return try shape.decode(type, from: revision.body.root, of: source, in: documentID, revision.id)
    }

    /// Logs that the versions cannot be merged.
    func warn(_ reason: String) {
        EngineLog.log(.warning, .replicator, "the versions of document \"\(documentID)\" cannot be merged, so that \(reason)")
    }

    /// Returns the document with merged properties: one of the versions if that has the same ones, so that no revision is added to it.
    ///
    /// - Parameter body: Properties whose keys are texts.
    private func document(_ body: FleeceData) -> Document {
        for (version, document) in [(stored.remote, remoteDocument), (stored.local, localDocument)] {
            guard let document, let root = version.body.root, let merged = body.root else { continue }
            if ValueComparison.areEqual(merged, .empty, root, stored.sharedKeys) { return document }
        }
        let collection = localDocument?.collection
        return Document(id: documentID, revision: nil, sequence: 0, body: body, sharedKeys: .empty, collection: collection)
    }
}

/// Writes the blobs of a model that a resolver returns, and stores the content of new ones at once.
private struct ResolvedBlobs: BlobWriting {
    let database: Database
    let store: BlobStore

    func write(_ blob: Any, into encoder: inout Encoder) throws {
        var context = EncodingContext()
        try (blob as? Blob)?.encode(into: &encoder, &context) { blob in
            if blob.shared.isForeign(to: database) { throw LibraryError(CBLError.unexpectedError, ForeignBlob.reason) }
            return try blob.shared.install(in: store, of: database)
        }
    }
}
#endif
