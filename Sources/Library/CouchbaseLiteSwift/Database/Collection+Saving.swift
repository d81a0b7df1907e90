import DatabaseRuntime
import DocumentStore
import Fleece

/// What a save or deletion does if the document was changed concurrently, that is, since this object was read or last saved.
public enum ConcurrencyControl: UInt8, Sendable {
    /// Stores the change on top of the concurrent one.
    case lastWriteWins = 0
    /// Stores nothing, and makes the function return `false`.
    case failOnConflict
}

extension Collection {
    /// Saves a document. If it was changed concurrently, this change is stored on top of the other one (last write wins).
    ///
    /// Blocks until the change is committed; see ``Collection`` for how long it waits for other writers. Without
    /// ``DatabaseConfiguration/fullSync`` the change survives a crash of the process, but a power failure may lose the last changes.
    ///
    /// A blob in the document that was stored in another ``Database`` object is a programming error and ends the process.
    ///
    /// - Throws:
    ///   - ``CBLError/badDocID`` if the document ID is invalid.
    ///   - ``CBLError/invalidParameter`` if the document belongs to another collection or database, or has a top-level property `_id`,
    ///     `_rev` or `_deleted`.
    ///   - ``CBLError/busy`` if another process keeps the database locked, or another ``Database`` object has a batch open on this thread.
    ///   - ``CBLError/notWriteable`` if the database is read-only, or its files were moved or deleted.
    ///   - ``CBLError/notOpen`` if the database is closed, or the collection was deleted.
    ///   - The error of a blob's stream, or an error in `NSPOSIXErrorDomain`, if the content of a blob cannot be read or written.
    public func save(document: MutableDocument) throws { try withOpenFile { _ = try save(document, base: .latest, in: $0) } }

    /// Saves a document, and handles a concurrent change as `concurrencyControl` specifies.
    ///
    /// A document was changed concurrently if its stored revision is not the one that this object was read from or last saved as, or if
    /// this object is new and a document with its ID already exists.
    ///
    /// - Returns: `false` if the document was changed concurrently and `concurrencyControl` is ``ConcurrencyControl/failOnConflict``;
    ///   nothing is stored then. Otherwise `true`.
    /// - Throws: The errors of ``save(document:)``.
    @discardableResult
    public func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try withOpenFile { file in
            let base = concurrencyControl == .failOnConflict ? DocumentSave.Base.known(document.revision) : .latest
            return try save(document, base: base, in: file).isSaved
        }
    }

    /// Saves a document, and calls `conflictHandler` if it was changed concurrently.
    ///
    /// The handler is called again for each further concurrent change, until the document is saved or the handler returns `false`.
    ///
    /// - Parameter document: The document to save.
    /// - Parameter conflictHandler: Called on the calling thread, without holding a lock. It receives the document to save, which it may
    ///   change, and the stored document, or `nil` if that was deleted. It returns whether to try again.
    /// - Returns: `false` if the handler returned `false`; nothing is stored then. Otherwise `true`.
    /// - Throws: ``CBLError/notFound`` if the document was purged concurrently; the errors of ``save(document:)``.
    @discardableResult
    public func save(document: MutableDocument, conflictHandler: @escaping (MutableDocument, Document?) -> Bool) throws -> Bool {
        try saveResolvingConflicts(of: document.id, base: .known(document.revision)) { base in
            try withOpenFile { try save(document, base: base, in: $0) }
        } resolving: { stored in
            conflictHandler(document, stored.map { Document($0, collection: self) })
        }
    }

    /// Calls `save` until it succeeds; see ``CollectionStore/saveResolvingConflicts(of:base:in:save:resolving:)``.
    func saveResolvingConflicts(
        of documentID: String,
        base: DocumentSave.Base,
        save: (DocumentSave.Base) throws -> DocumentSaveOutcome,
        resolving resolve: (DocumentRecord?) throws -> Bool
    ) throws -> Bool {
        try throwingPublicErrors {
            try store.saveResolvingConflicts(of: documentID, base: base, in: database.core, save: save, resolving: resolve)
        }
    }

    /// Deletes a document. A tombstone remains in the database, which is replicated.
    ///
    /// If the document was changed concurrently, it is deleted nevertheless. If it was deleted concurrently, nothing is stored, and the
    /// object takes over the revision of the stored tombstone. Deleting a document through the same object again creates another one.
    ///
    /// Blocks until the deletion is committed, like ``save(document:)``.
    ///
    /// - Throws: ``CBLError/notFound`` if the document has never been saved, or was purged; the errors of ``save(document:)``.
    public func delete(document: Document) throws { try delete(document: document, concurrencyControl: .lastWriteWins) }

    /// Deletes a document, and handles a concurrent change as `concurrencyControl` specifies. A tombstone remains, which is replicated.
    ///
    /// - Returns: `false` if the document was changed or deleted concurrently and `concurrencyControl` is
    ///   ``ConcurrencyControl/failOnConflict``; nothing is stored then. Otherwise `true`.
    /// - Throws: The errors of ``delete(document:)``.
    @discardableResult
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let outcome = try deletionOutcome(of: document, concurrencyControl)
        return try throwingPublicErrors { try outcome.isDeleted(document.id) }
    }

    /// Deletes a document, and returns the outcome.
    func deletionOutcome(of document: Document, _ concurrencyControl: ConcurrencyControl) throws -> DocumentSaveOutcome {
        try withOpenFile { file in
            try checkOwner(of: document)
            guard let revision = document.revision else {
                throw LibraryError(CBLError.notFound, "Cannot delete a document that has not yet been saved.")
            }
            let base: DocumentSave.Base = concurrencyControl == .failOnConflict ? .revision(revision) : .latestKnowing(revision)
            return try store.delete(document.id, base: base, in: file) {
                document.didSave(revision: $0, sequence: $1, collection: self, transactionOutcome: $2)
            }
        }
    }

    /// Purges a document: removes all its revisions from the database. Unlike a deletion, this leaves no tombstone and is not replicated.
    ///
    /// Afterwards the object is like a new one without a revision, and can be saved again. Blocks until the change is committed.
    ///
    /// - Throws: ``CBLError/notFound`` if the document does not exist; ``CBLError/invalidParameter`` if it belongs to another collection or
    ///   database; ``CBLError/notOpen`` if the collection was deleted or its database is closed; ``CBLError/busy`` and
    ///   ``CBLError/notWriteable`` as for ``save(document:)``.
    public func purge(document: Document) throws {
        try withOpenFile { file in
            try checkOwner(of: document)
            guard document.revision != nil else { throw StoreError.notFound(what: "document \"\(document.id)\"") }
            document.didPurge(transactionOutcome: try store.purge(document.id, in: file))
        }
    }

    /// Purges the document with the given ID; see ``purge(document:)``.
    ///
    /// - Throws: ``CBLError/notFound`` if the document does not exist; ``CBLError/notOpen`` if the collection was deleted or its database
    ///   is closed; ``CBLError/busy`` and ``CBLError/notWriteable`` as for ``save(document:)``.
    public func purge(id: String) throws { try withOpenFile { _ = try store.purge(id, in: $0) } }

    private func save(_ document: MutableDocument, base: DocumentSave.Base, in file: DatabaseFile) throws -> DocumentSaveOutcome {
        try checkOwner(of: document)
        let hasBlobs = document.checkBlobs(belongTo: database)
        if hasBlobs { try document.prepareBlobs(for: file.blobs) }
        let save = DocumentSave(document.id, base: base, isLikelyStored: document.revision != nil)
        let (outcome, transactionOutcome) = try file.transaction { writer in
            let outcome = try store.save(save, in: writer) { encoder in
                try document.encodeProperties(into: &encoder, database: database, blobs: file.blobs)
            }
            return (outcome, writer.transactionOutcome)
        }
        if case .saved(let revision, let sequence) = outcome {
            document.didSave(revision: revision, sequence: sequence, collection: self, transactionOutcome: transactionOutcome)
            if hasBlobs { document.didSaveBlobs(in: database) }
        }
        return outcome
    }

    /// Throws `invalidParameter` if the document was read from or saved in another collection, or through another `Database` object.
    private func checkOwner(of document: Document) throws {
        guard let owner = document.collection, owner !== self else { return }
        guard owner.database === database, owner.store.id == store.id else {
            throw LibraryError(CBLError.invalidParameter, "document \"\(document.id)\" belongs to another collection or database")
        }
    }
}
