import DocumentStore
import Fleece

extension Collection {
    /// Saves a document; if somebody else has changed it meanwhile, on top of that change.
    ///
    /// - Throws: `badDocID` for an ID that is not allowed; `invalidParameter` for a document of another collection or
    ///   database; `notOpen`.
    public func save(document: MutableDocument) throws {
        try withOpenFile { _ = try save(document, base: .latest, in: $0) }
    }

    /// Saves a document.
    ///
    /// - Returns: False when somebody else has changed it meanwhile and `concurrencyControl` is `failOnConflict`.
    /// - Throws: As ``save(document:)``.
    @discardableResult
    public func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try withOpenFile { file in
            let base: DocumentSave.Base =
                switch concurrencyControl {
                case .lastWriteWins: .latest
                case .failOnConflict: document.revision.map { .revision($0) } ?? .none
                }
            return try save(document, base: base, in: file).isSaved
        }
    }

    /// Saves a document; asks `conflictHandler` when somebody else has changed it meanwhile.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - conflictHandler: Gets the document to save, which it may change, and the stored one, nil if that has been
    ///     deleted. Returns whether to try again. Called outside of any lock.
    /// - Returns: False when the handler gave up; then nothing is stored.
    /// - Throws: `notFound` when the document was purged meanwhile; else as ``save(document:)``.
    @discardableResult
    public func save(document: MutableDocument, conflictHandler: @escaping (MutableDocument, Document?) -> Bool) throws -> Bool {
        try saveResolvingConflicts(of: document.id, base: document.revision.map { .revision($0) } ?? .none) { base in
            try withOpenFile { try save(document, base: base, in: $0) }
        } resolving: { stored in
            conflictHandler(document, stored.map { Document($0, collection: self) })
        }
    }

    /// Calls `save`, and as long as somebody else's change stands in its way `resolve`, with the stored document, nil if that
    /// has been deleted.
    ///
    /// - Returns: False when `resolve` did.
    /// - Throws: `notFound` when the document is not there at all.
    func saveResolvingConflicts(
        of documentID: String,
        base: DocumentSave.Base,
        save: (DocumentSave.Base) throws -> DocumentSaveOutcome,
        resolving resolve: (DocumentRecord?) throws -> Bool
    ) throws -> Bool {
        var base = base
        while true {
            if try save(base).isSaved { return true }
            let stored = try withOpenFile { _ in
                guard let stored = try store.document(documentID, includingDeleted: true) else {
                    throw StoreError.notFound(what: "document \"\(documentID)\"")
                }
                return stored
            }
            guard try throwingPublicErrors({ try resolve(stored.isDeleted ? nil : stored) }) else { return false }
            base = .revision(stored.revision)
        }
    }

    /// Deletes a document; it leaves a tombstone, which replicates. Deleting the same document once more makes another tombstone.
    ///
    /// When somebody else has deleted it meanwhile nothing is stored, and the object becomes that revision.
    ///
    /// - Throws: `notFound` for a document that was never saved, or has been purged; else as ``save(document:)``.
    public func delete(document: Document) throws {
        try delete(document: document, concurrencyControl: .lastWriteWins)
    }

    /// Deletes a document; it leaves a tombstone, which replicates.
    ///
    /// - Returns: False when somebody else has changed or deleted it meanwhile and `concurrencyControl` is `failOnConflict`.
    /// - Throws: As ``delete(document:)``.
    @discardableResult
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) throws -> Bool {
        switch try deletionOutcome(of: document, concurrencyControl) {
        case .saved, .alreadyDeleted: return true
        case .conflict: return false
        case .missing: throw publicError(StoreError.notFound(what: "document \"\(document.id)\""))
        }
    }

    /// Deletes a document, and says what became of that.
    func deletionOutcome(of document: Document, _ concurrencyControl: ConcurrencyControl) throws -> DocumentSaveOutcome {
        try withOpenFile { file in
            try checkOwner(of: document)
            guard let revision = document.revision else {
                throw NSError.couchbaseLite(code: CBLError.notFound, message: "Cannot delete a document that has not yet been saved.")
            }
            let base: DocumentSave.Base =
                concurrencyControl == .failOnConflict ? .revision(revision) : .latestKnowing(revision)
            let (outcome, fate) = try file.transaction { writer in
                (try store.delete(document.id, base: base, in: writer), writer.fate)
            }
            switch outcome {
            case .saved(let revision, let sequence), .alreadyDeleted(let revision, let sequence):
                document.didSave(revision: revision, sequence: sequence, collection: self, fate: fate)
            case .conflict, .missing: break
            }
            return outcome
        }
    }

    /// Removes every trace of a document. Unlike a deletion this is not replicated.
    ///
    /// - Throws: `notFound` when there is no such document; `invalidParameter` for one of another collection or database.
    public func purge(document: Document) throws {
        try withOpenFile { file in
            try checkOwner(of: document)
            guard document.revision != nil else { throw StoreError.notFound(what: "document \"\(document.id)\"") }
            document.didPurge(fate: try purge(document.id, in: file))
        }
    }

    /// Removes every trace of the document with that ID. Unlike a deletion this is not replicated.
    ///
    /// - Throws: `notFound` when there is no such document.
    public func purge(id: String) throws {
        try withOpenFile { _ = try purge(id, in: $0) }
    }

    /// Removes every trace of a document, and returns the fate of the batch in which that happens.
    func purge(_ id: String, in file: DatabaseFile) throws -> TransactionOutcome? {
        let (isPurged, fate) = try file.transaction { (try store.purge(id, in: $0), $0.fate) }
        guard isPurged else { throw StoreError.notFound(what: "document \"\(id)\"") }
        return fate
    }

    private func save(_ document: MutableDocument, base: DocumentSave.Base, in file: DatabaseFile) throws -> DocumentSaveOutcome {
        try checkOwner(of: document)
        let hasBlobs = document.checkBlobs(belongTo: database)
        if hasBlobs { try document.prepareBlobs(for: file.blobs) }
        let save = DocumentSave(document.id, base: base, isLikelyStored: document.revision != nil)
        let (outcome, fate) = try file.transaction { writer in
            let outcome = try store.save(save, in: writer) { encoder in
                try document.encodeProperties(into: &encoder, database: database, blobs: file.blobs)
            }
            return (outcome, writer.fate)
        }
        if case .saved(let revision, let sequence) = outcome {
            document.didSave(revision: revision, sequence: sequence, collection: self, fate: fate)
            if hasBlobs { document.didSaveBlobs(in: database) }
        }
        return outcome
    }

    /// A document belongs to the collection it was read from or saved in, as seen by one `Database` object.
    private func checkOwner(of document: Document) throws {
        guard let owner = document.collection, owner !== self else { return }
        guard owner.database === database, owner.store.id == store.id else {
            throw NSError.couchbaseLite(
                code: CBLError.invalidParameter,
                message: "document \"\(document.id)\" belongs to another collection or database"
            )
        }
    }
}

extension DocumentSaveOutcome {
    var isSaved: Bool {
        if case .saved = self { return true }
        return false
    }
}
