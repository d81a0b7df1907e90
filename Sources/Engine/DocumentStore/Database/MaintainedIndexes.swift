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

    /// Completes the maintained indexes. In a file without such indexes, this is a comparison. Must be called before one of them is created, so
    /// that nothing takes the new one for a damaged one.
    package func completeMaintainedIndexes() throws {
        if case .none = maintainedIndexes { return }
        try completeKnownIndexes()
    }

    /// Finds the maintained indexes if they are unknown. A transaction begins with it, because what is missing of one is made anew then, and the
    /// triggers of an index without its tables would refuse every change of a document.
    func findMaintainedIndexes() throws {
        guard case .unknown = maintainedIndexes else { return }
        // What reads the file here begins here again.
        maintainedIndexes = .none
        guard let file = context.file, let support = file.options.indexes else { return }
        do {
            if let found = try support.maintained(file, self) { maintainedIndexes = .found(found) }
        } catch {
            maintainedIndexes = .unknown
            throw error
        }
    }

    @inline(never)
    private func completeKnownIndexes() throws {
        try findMaintainedIndexes()
        guard case .found(let indexes) = maintainedIndexes else { return }
        // The function of an index may read the file, which would begin here again.
        maintainedIndexes = .none
        defer { if case .none = maintainedIndexes { maintainedIndexes = .found(indexes) } }
        // Expressions look up properties by the numbers of keys, of which the transaction may have added some.
        publishKeysToFunctions()
        try indexes.complete()
    }

    /// Makes keys added by the transaction known to the functions of indexes.
    package func publishKeysForIndexes() { publishKeysToFunctions() }

    /// Logs a message after the transaction, because a log handler of the app must not be called inside of it.
    package func logAfterTransaction(_ level: EventLevel, _ message: String) { renewal.log(level, message) }
}
