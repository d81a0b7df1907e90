#if Replication
import DocumentStore
import Replication

extension Collection {
    /// The IDs of the documents with conflicts that have not been resolved, in the order of their last changes.
    ///
    /// Conflicts are mostly resolved by the replicator that has pulled them. What stays is what a resolver failed with, or had
    /// no time for. Until it is resolved such a document is as it was before it was pulled.
    ///
    /// - Throws: `notOpen`.
    public func conflictedDocumentIDs() throws -> [String] {
        try withReplica { try $0.conflictedDocuments() }
    }

    /// The conflict of the document with that ID; nil when it has none.
    ///
    /// - Throws: `notOpen`; `corruptRevisionData` when the stored document is damaged.
    public func conflict(id: String) throws -> Conflict? {
        try withReplica { try $0.conflict(in: id) }.map { Conflict($0, in: self) }
    }

    /// Ends the conflict of a document.
    ///
    /// - Parameters:
    ///   - id: The document's ID.
    ///   - resolve: Says what is to be stored, as ``ConflictResolverProtocol/resolve(conflict:)`` does. It is called on this thread,
    ///     outside of locks, and again when the document is changed meanwhile.
    /// - Returns: False when the document has no conflict.
    /// - Throws: What `resolve` throws, and nothing is changed then; `conflict` for a document of another collection;
    ///   `unexpectedError` for one with a blob that is stored in another database; `notOpen`.
    @discardableResult
    public func resolveConflict(id: String, _ resolve: (Conflict) throws -> Document?) throws -> Bool {
        try throwingPublicErrors {
            guard var conflict = try conflict(id: id) else { return false }
            while try !self.resolve(conflict: conflict, with: resolve(conflict)) {
                guard let next = try self.conflict(id: id) else { return false }
                conflict = next
            }
            return true
        }
    }

    /// Ends a conflict that was got from ``conflict(id:)``.
    ///
    /// - Parameters:
    ///   - conflict: The conflict.
    ///   - document: What is to be stored: one of the conflict's documents, or a new one, whose properties get stored under the
    ///     conflict's document ID; nil deletes the document.
    /// - Returns: False when the document has been changed, or pulled again, since the conflict was got: nothing was changed then,
    ///   and there may be another conflict.
    /// - Throws: `conflict` for a document of another collection; `unexpectedError` for one with a blob that is stored in another
    ///   database; `notOpen`.
    @discardableResult
    public func resolve(conflict: Conflict, with document: Document?) throws -> Bool {
        try withReplica { replica in
            guard case .resolved = try conflict.end(with: document, in: self, replica) else { return false }
            return true
        }
    }

    /// Runs `body` with the collection as replication sees it, and turns what is thrown into what an app gets to see.
    func withReplica<Result>(_ body: (ReplicaCollection) throws -> Result) throws -> Result {
        try withOpenFile { file in
            guard let replica = try ReplicaDatabase(file).collection(store.id) else { throw notOpen }
            return try body(replica)
        }
    }
}
#endif
