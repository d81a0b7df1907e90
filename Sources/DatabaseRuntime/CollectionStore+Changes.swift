package import DocumentStore

extension DocumentSaveOutcome {
    package var isSaved: Bool {
        if case .saved = self { return true }
        return false
    }
}

/// Changes of single documents, each in a transaction of its own.
extension CollectionStore {
    /// Calls `save` until it succeeds. After each conflict, calls `resolve` with the stored document, or with `nil` if that was deleted.
    ///
    /// - Parameter read: Reads the document, even if it was deleted.
    /// - Returns: `false` if `resolve` returned `false`.
    /// - Throws: `notFound` if the document does not exist; the errors of `save`, `read` and `resolve`.
    package func saveResolvingConflicts(
        of documentID: String,
        base: DocumentSave.Base,
        save: (DocumentSave.Base) throws -> DocumentSaveOutcome,
        read: () throws -> DocumentRecord?,
        resolving resolve: (DocumentRecord?) throws -> Bool
    ) throws -> Bool {
        var base = base
        while try !save(base).isSaved {
            guard let stored = try read() else { throw notFound(documentID) }
            guard try resolve(stored.isDeleted ? nil : stored) else { return false }
            base = .revision(stored.revision)
        }
        return true
    }

    /// Deletes a document, and calls `didDelete` with the revision of the tombstone and the outcome of the enclosing batch.
    ///
    /// - Returns: `false` if there was a conflict.
    /// - Throws: `notFound` if the document does not exist.
    package func delete(
        _ documentID: String,
        base: DocumentSave.Base,
        in file: DatabaseFile,
        didDelete: (RevisionID, TransactionOutcome?) -> Void
    ) throws -> Bool {
        let (outcome, transactionOutcome) = try file.transaction { writer in
            (try delete(documentID, base: base, in: writer), writer.transactionOutcome)
        }
        switch outcome {
        case .saved(let revision, _), .alreadyDeleted(let revision, _):
            didDelete(revision, transactionOutcome)
            return true
        case .conflict: return false
        case .missing: throw notFound(documentID)
        }
    }

    /// Purges a document. Returns the outcome of the enclosing batch; `nil` outside of a batch.
    ///
    /// - Throws: `notFound` if the document does not exist.
    package func purge(_ documentID: String, in file: DatabaseFile) throws -> TransactionOutcome? {
        let (isPurged, transactionOutcome) = try file.transaction { (try purge(documentID, in: $0), $0.transactionOutcome) }
        guard isPurged else { throw notFound(documentID) }
        return transactionOutcome
    }

    private func notFound(_ documentID: String) -> StoreError { .notFound(what: "document \"\(documentID)\"") }
}
