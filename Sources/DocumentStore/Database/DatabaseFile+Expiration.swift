extension DatabaseFile {
    /// The maximum number of documents purged in one transaction, so that other writers do not wait for long.
    private static let purgeBatchSize = 1000

    /// Purges the expired documents of all collections.
    ///
    /// - Parameter now: The current time, in milliseconds since 1970.
    /// - Returns: The time when the next document expires, in milliseconds since 1970; `nil` if there is none.
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
                // Expiration times with fractions, which other implementations may have stored, are not due before the end of the
                // millisecond.
                if purged.isEmpty { break }
            }
        }
        return next
    }
}
