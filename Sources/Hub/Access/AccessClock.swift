#if Replication
import DocumentStore

/// Counts the changes of the channels of users, in the hub's own database. So it orders these changes and what the indexes of channels learn about
/// documents.
enum AccessClock {
    private static let key = "clock"

    /// Returns the number of changes so far.
    static func now(in own: DatabaseFile) throws -> UInt64 {
        try own.read { try RawStore.channels.document(key, on: $0) }.flatMap { UInt64(String(decoding: $0.body, as: UTF8.self)) } ?? 0
    }

    /// Counts a change, and returns its number.
    static func advance(in own: DatabaseFile, _ writer: Writer) throws -> UInt64 {
        let next = try now(in: own) &+ 1
        try RawStore.channels.set(key, to: .init(body: Array("\(next)".utf8)), in: writer)
        return next
    }
}
#endif
