package import Base

/// The indexes that are completed before a transaction ends, and before a query inside of it, instead of by triggers alone: vector indexes.
package protocol MaintainedIndexes: AnyObject {
    /// Completes the indexes. Returns quickly if nothing has changed.
    ///
    /// - Throws: An error of the file, or that of an expression that cannot be computed. The transaction must not be committed then.
    func complete() throws
}

extension Writer {
    /// What is known about the maintained indexes of the file.
    enum KnownMaintainedIndexes {
        case unknown
        case none
        case found(any MaintainedIndexes)
    }

    /// What is known about the indexes of the file.
    struct KnownIndexes {
        /// The indexes to complete before each commit. Unknown again after other processes have written, and after a rollback.
        var maintained = KnownMaintainedIndexes.unknown
        /// The version of the schema for which the triggers of indexes were examined, see ``removeBrokenIndexes(of:)``.
        var examinedSchemaVersion: Int64?
    }

    /// Completes the maintained indexes. In a file without such indexes, this is a comparison. Must be called before one of them is created, so
    /// that nothing takes the new one for a damaged one.
    package func completeMaintainedIndexes() throws {
        if case .none = guarded.indexes.maintained { return }
        try completeKnownIndexes()
    }

    /// Finds the maintained indexes if they are unknown. A transaction begins with it, because what is missing of one is made anew then, and the
    /// triggers of an index without its tables would refuse every change of a document. For the same reason, other indexes with such triggers are
    /// removed.
    func findMaintainedIndexes() throws {
        guard case .unknown = guarded.indexes.maintained else { return }
        // What reads the file here begins here again.
        guarded.indexes.maintained = .none
        guard let file = context.file, let support = file.options.indexes else { return }
        do {
            if let found = try support.maintained(file, self) { guarded.indexes.maintained = .found(found) }
            try removeBrokenIndexes(of: file)
        } catch {
            guarded.indexes.maintained = .unknown
            throw error
        }
    }

    @inline(never)
    private func completeKnownIndexes() throws {
        try findMaintainedIndexes()
        guard case .found(let indexes) = guarded.indexes.maintained else { return }
        // The function of an index may read the file, which would begin here again.
        guarded.indexes.maintained = .none
        defer { if case .none = guarded.indexes.maintained { guarded.indexes.maintained = .found(indexes) } }
        // Expressions look up properties by the numbers of keys, of which the transaction may have added some.
        publishKeysToFunctions()
        try indexes.complete()
    }

    /// Makes keys added by the transaction known to the functions of indexes.
    package func publishKeysForIndexes() { publishKeysToFunctions() }

    /// Logs a message after the transaction, because a log handler of the app must not be called inside of it.
    package func logAfterTransaction(_ level: EventLevel, _ message: String) { renewal.log(level, message) }
}
