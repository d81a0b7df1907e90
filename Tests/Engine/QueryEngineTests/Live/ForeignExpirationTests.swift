import DocumentStore
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Expiration times that other processes set")
struct ForeignExpirationTests {
    private let clock = VirtualClock(1_000_000)
    private let database: QueryDatabase
    private let expirations: ObservedQuery
    /// A connection that the database does not know, like that of another process.
    private let other: Connection

    init() throws {
        database = try QueryDatabase(clock: clock)
        try database.save("a", #"{"n":1}"#)
        other = try Connection(path: database.file.bundle.sqliteFile, mode: .readWrite)
        expirations = ObservedQuery("SELECT meta().expiration FROM _ WHERE meta().id = 'a'", database, clock)
        expirations.listen()
        #expect(expirations.notified() == ["-"])
        clock.advance(by: 250)
    }

    private func setElsewhere(_ time: Int64) throws {
        try other.execute("UPDATE kv_default SET expiration = \(time) WHERE key = 'a'")
    }

    @Test("a query that reads expiration times is run when another process has set one, at the next look for changes")
    func look() throws {
        for time in [4_000_000_000_000, 4_000_000_000_001] as [Int64] {
            try setElsewhere(time)
            #expect(expirations.notified() == [])
            #expect(expirations.notified(within: 1000) == ["\(time)"])
        }
        #expect(expirations.notified(within: 10_000) == [])
        try other.close()
    }

    @Test("a query that reads expiration times is run when another process has set one and this process changes something else")
    func change() throws {
        try setElsewhere(4_000_000_000_000)
        _ = try database.collection("unrelated")
        try database.save("x", "{}", in: "unrelated")
        #expect(expirations.notified() == ["4000000000000"])
        try other.close()
    }
}
