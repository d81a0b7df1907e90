extension DatabaseFile {
    /// The most documents that are purged in one transaction, so that nobody who wants to write waits for long.
    private static let purgeBatchSize = 1000

    /// Removes the documents of all collections whose time has come.
    ///
    /// - Returns: When the next document expires, in milliseconds since 1970; nil when none will.
    func purgeExpired(now: Int64) throws -> Int64? {
        var next: Int64?
        for id in try collectionIDs() {
            guard let collection = try collection(id) else { continue }
            while let earliest = try collection.nextExpiration() {
                guard earliest <= now else {
                    next = min(next ?? .max, earliest)
                    break
                }
                let purged = try transaction { writer in
                    try collection.purgeExpired(now: now, limit: Self.purgeBatchSize, in: writer)
                }
                // Fractions, which others may have stored, are not due before the millisecond is over.
                if purged.isEmpty { break }
            }
        }
        return next
    }
}
