#if Replication
import DatabaseRuntime
import DocumentStore
import Base
import LogOutput
import Replication

/// Two versions of a document that were created independently: one in this database, one on the other side.
public struct Conflict: Sendable {
    /// The document's ID.
    public var documentID: String { stored.documentID }
    /// The version in this database; `nil` if the document was deleted here.
    public let localDocument: Document?
    /// The version that was pulled; `nil` if the document was deleted on the other side.
    public let remoteDocument: Document?
    /// The newest common ancestor of both versions, with its contents.
    ///
    /// Usually this is the version that both sides had last. Its contents are stored if it was the current version here when a replicator of this
    /// database pulled it, or when the other side confirmed that it was pushed, until a later version is in this role. So it is `nil` if
    /// - both sides have created the document independently of each other, or the ancestor is a deletion;
    /// - the document was changed here while the ancestor was being pushed, before the other side confirmed it;
    /// - the versions came from several other sides, or through a listener, and the ancestor was not the last version that this database had in
    ///   common with any side with which it replicates itself.
    public let baseDocument: Document?

    let stored: StoredConflict

    init(_ stored: StoredConflict, in collection: Collection) {
        self.stored = stored
        localDocument = stored.document(stored.local).map { Document($0, collection: collection) }
        remoteDocument = stored.document(stored.remote).map { Document($0, collection: collection) }
        baseDocument = stored.document(stored.base).map { Document($0, collection: collection) }
    }
}

extension Conflict {
    /// Resolves the conflict with a resolver's result.
    ///
    /// - Returns: `nil` if the document was changed concurrently, so that its conflict has to be read again.
    /// - Throws: `conflict` if the document belongs to another collection; `unexpectedError` if it has a blob that is stored in another
    ///   database; errors of storing it. Nothing is changed then.
    func end(with document: Document?, in collection: Collection) throws -> ResolvedConflict? {
        try collection.withReplica { replica in
            let resolution = try self.resolution(document, in: collection)
            let resolved = try replica.resolve(stored, with: resolution)
            if resolved != nil, case .merged = resolution { document?.didSaveBlobs(in: collection.database) }
            return resolved
        }
    }

    private func resolution(_ document: Document?, in collection: Collection) throws -> ConflictResolution {
        guard let document else { return stored.deletion }
        if document === remoteDocument { return .remote }
        if document === localDocument { return .local }
        if let owner = document.collection, !owner.isSame(as: collection) {
            throw LibraryError(
                CBLError.conflict,
                "the conflict resolver of document \"\(documentID)\" returned a document of another collection"
            )
        }
        if !document.id.isExactly(documentID) {
            // The text is fixed by the API (API 11).
            LogRouter.shared.deliver(.warning, .replicator) {
                "The document ID of the resolved document '\(document.id)' is not matching with the document ID of the conflicting document '\(documentID)'."
            }
        }
        return .merged(try body(of: document, in: collection.database))
    }

    private func body(of document: Document, in database: Database) throws -> OwnedBody {
        let hasNewBlobs: Bool
        let file = try database.openFile()
        do throws(ForeignBlob) {
            hasNewBlobs = try document.findBlobs(belongingTo: database)
        } catch {
            throw LibraryError(CBLError.unexpectedError, ForeignBlob.reason)
        }
        if hasNewBlobs { try document.prepareBlobs(for: file.blobs) }
        return try file.withBodyEncoder { body in
            let hasBlobs = try document.encodeProperties(into: &body.encoder, database: database, blobs: file.blobs)
            return try body.finishOwned(hasBlobs: hasBlobs)
        }
    }
}

extension Collection {
    /// Returns whether both are the same collection of the same `Database` object.
    func isSame(as other: Collection) -> Bool { database === other.database && store.id == other.store.id }
}
#endif
