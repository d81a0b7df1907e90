#if Replication
import DocumentStore
import Replication

extension Collection {
    /// Returns the IDs of the documents with unresolved conflicts, in the order of their last changes. Reads from disk.
    ///
    /// Usually the replicator that pulled a conflict resolves it. A conflict remains if its resolver failed, or was stopped before it
    /// finished. Until the conflict is resolved, such a document keeps the contents it had before the pull.
    ///
    /// - Throws: `notOpen` if the database is closed or the collection was deleted.
    /// - Complexity: O(*n* log *n*), where *n* is the number of conflicts. If the collection has no index of its conflicts yet, the call
    ///   builds one, which reads all documents and waits for other writers.
    public func conflictedDocumentIDs() throws -> [String] { try withReplica { try $0.conflictedDocuments() } }

    /// Returns the conflict of a document; `nil` if it has none. Reads the document from disk.
    ///
    /// - Throws: `notOpen` if the database is closed or the collection was deleted; `corruptRevisionData` if the stored document is
    ///   damaged.
    public func conflict(id: String) throws -> Conflict? { try withReplica { try $0.conflict(in: id) }.map { Conflict($0, in: self) } }

    /// Resolves the conflict of a document. Writes to disk, and waits for other writers.
    ///
    /// - Parameter id: The ID of the document.
    /// - Parameter resolve: Returns the document to store, like ``ConflictResolverProtocol/resolve(conflict:)``. It is called on the
    ///   calling thread, without locks held, and again each time the document has been changed concurrently.
    /// - Returns: `false` if the document has no conflict.
    /// - Throws: The error that `resolve` throws; `conflict` if the returned document belongs to another collection; `unexpectedError` if
    ///   it has a blob that is stored in another database; `notOpen` if the database is closed or the collection was deleted. Nothing is
    ///   changed then.
    @discardableResult
    public func resolveConflict(id: String, _ resolve: (Conflict) throws -> Document?) throws -> Bool {
        try throwingPublicErrors {
            guard var conflict = try self.conflict(id: id) else { return false }
            while try !self.resolve(conflict: conflict, with: resolve(conflict)) {
                guard let next = try self.conflict(id: id) else { return false }
                conflict = next
            }
            return true
        }
    }

    /// Resolves a conflict that ``conflict(id:)`` returned. Writes to disk, and waits for other writers.
    ///
    /// - Parameter conflict: The conflict to resolve.
    /// - Parameter document: The document to store: one of the conflict's documents, or a new one, whose properties are stored under the
    ///   conflict's document ID; `nil` deletes the document.
    /// - Returns: `false` if the document was changed or pulled again since the conflict was read: nothing is changed then, and the
    ///   document may have another conflict.
    /// - Throws: `conflict` if the document belongs to another collection; `unexpectedError` if it has a blob that is stored in another
    ///   database; `notOpen` if the database is closed or the collection was deleted.
    @discardableResult
    public func resolve(conflict: Conflict, with document: Document?) throws -> Bool {
        try conflict.end(with: document, in: self) != nil
    }

    /// Runs `body` with the collection as used by replication, and converts thrown errors to public ones.
    func withReplica<Result>(_ body: (ReplicaCollection) throws -> Result) throws -> Result {
        try withOpenFile { file in
            guard let replica = try ReplicaDatabase(file).collection(store.id) else { throw store.notOpen }
            return try body(replica)
        }
    }
}
#endif
