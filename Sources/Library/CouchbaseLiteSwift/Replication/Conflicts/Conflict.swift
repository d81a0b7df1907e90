#if Replication
import DatabaseRuntime
import DocumentStore
import Base
import LogOutput
import Replication
import SyncRuntime

/// Two versions of a document that were created independently: one in this database, one on the other side.
public struct Conflict: Sendable {
    /// The document's ID.
    public var documentID: String { stored.documentID }
    /// The version in this database; `nil` if the document was deleted here.
    public let localDocument: Document?
    /// The version that was pulled; `nil` if the document was deleted on the other side.
    public let remoteDocument: Document?
    /// The newest common ancestor of both versions; `nil` if there is none, or its contents are not stored any more.
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
            let resolution = try resolution(document, in: collection)
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

/// Resolves the conflicts of a collection with the configured resolver.
struct CollectionConflictSolver: ConflictSolving {
    private let collection: Collection
    let resolver: ConflictAnswering<Conflict, Document?>

    /// Creates a solver that calls `asynchronous`, or if it is `nil`, `resolver`; if both are `nil`, the default resolver.
    init(_ collection: Collection, _ resolver: (any ConflictResolverProtocol)?, asynchronous: (any AsyncConflictResolverProtocol)?) {
        self.collection = collection
        if let resolver = asynchronous {
            self.resolver = .inTask { $0.stored.isOfDeletions ? nil : try await resolver.resolve(conflict: $0) }
        } else {
            let resolver = resolver ?? ConflictResolver.default
            self.resolver = .onThread { $0.stored.isOfDeletions ? nil : resolver.resolve(conflict: $0) }
        }
    }

    func conflict(of documentID: String) throws -> Conflict? { try collection.conflict(id: documentID) }

    func isStored(_ documentID: String) throws -> Bool { try collection.withReplica { try $0.change(of: documentID, remote: nil) } != nil }

    func end(_ conflict: Conflict, with answer: Document?) throws -> ResolvedConflict? { try conflict.end(with: answer, in: collection) }
}
#endif
