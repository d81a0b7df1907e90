package import DocumentStore

extension DocumentSaveOutcome {
    /// Whether something was stored.
    package var isSaved: Bool {
        if case .saved = self { return true }
        return false
    }

    /// Returns whether a document is deleted after an attempt with this outcome, which is `false` after a conflict.
    ///
    /// - Throws: `notFound` if the document does not exist.
    package func isDeleted(_ documentID: String) throws(StoreError) -> Bool {
        switch self {
        case .saved, .alreadyDeleted: true
        case .conflict: false
        case .missing: throw .noDocument(documentID)
        }
    }
}

extension StoreError {
    fileprivate static func noDocument(_ documentID: String) -> StoreError { .notFound(what: "document \"\(documentID)\"") }
}

/// Changes of single documents, each in a transaction of its own.
extension CollectionStore {
    /// Calls `save` until it succeeds. After each conflict, calls `resolve` with the stored document, or with `nil` if that was deleted.
    ///
    /// - Returns: `false` if `resolve` returned `false`.
    /// - Throws: `notFound` if the document does not exist; `notOpen`; the errors of `save` and `resolve`.
    package func saveResolvingConflicts(
        of documentID: String,
        base: DocumentSave.Base,
        in database: DatabaseCore,
        save: (DocumentSave.Base) throws -> DocumentSaveOutcome,
        resolving resolve: (DocumentRecord?) throws -> Bool
    ) throws -> Bool {
        var base = base
        while try !save(base).isSaved {
            let record = try database.withFile(of: self) { _ in try document(documentID, includingDeleted: true) }
            guard let stored = record else { throw StoreError.noDocument(documentID) }
            guard try resolve(stored.isDeleted ? nil : stored) else { return false }
            base = .revision(stored.revision)
        }
        return true
    }

    /// Deletes a document, and calls `didDelete` with the revision and the sequence of the tombstone and the outcome of the enclosing batch.
    package func delete(
        _ documentID: String,
        base: DocumentSave.Base,
        in file: DatabaseFile,
        didDelete: (RevisionID, _ sequence: UInt64, TransactionOutcome?) -> Void
    ) throws -> DocumentSaveOutcome {
        let (outcome, transactionOutcome) = try file.transaction { writer in
            (try delete(documentID, base: base, in: writer), writer.transactionOutcome)
        }
        switch outcome {
        case .saved(let revision, let sequence), .alreadyDeleted(let revision, let sequence):
            didDelete(revision, sequence, transactionOutcome)
        case .conflict, .missing: break
        }
        return outcome
    }

    /// Purges a document. Returns the outcome of the enclosing batch; `nil` outside of a batch.
    ///
    /// - Throws: `notFound` if the document does not exist.
    package func purge(_ documentID: String, in file: DatabaseFile) throws -> TransactionOutcome? {
        let (isPurged, transactionOutcome) = try file.transaction { (try purge(documentID, in: $0), $0.transactionOutcome) }
        guard isPurged else { throw StoreError.noDocument(documentID) }
        return transactionOutcome
    }
}
