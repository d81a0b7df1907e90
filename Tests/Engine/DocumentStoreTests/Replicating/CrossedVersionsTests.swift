import TestSupport
import Testing

@testable import DocumentStore

@Suite("Received revisions that include the current one and are included by it")
struct CrossedVersionsTests {
    private let clock = VirtualClock(1_800_000_000_000)
    private let base = UInt64(1_799_999_999) * 1_000_000_000

    /// Returns a version by a source of the examples, at a number of ticks after a fixed time.
    private func version(_ tick: UInt64, _ source: Character) -> RevisionID {
        .version(Version(existing: (base & ~0xFFFF) + tick << 16, exampleSources[source] ?? .me))
    }

    /// A database in which the conflict of two versions was resolved in favour of the first one, and the history of the other resolution.
    private func makeDatabase() throws -> (database: TestDatabase, other: [RevisionID]) {
        let database = try TestDatabase.withVersions(clock)
        try database.receive("a", [version(1, "E"), version(2, "M")], #"{"n":1}"#, remote: nil)
        return (database, [version(2, "M"), version(1, "E")])
    }

    @Test("that of a client becomes a version of this database on top of both, after which both are known")
    func fromClient() throws {
        let (database, other) = try makeDatabase()
        let outcome = try database.receive("a", other, #"{"n":2}"#, remote: nil, allowsConflict: false)
        #expect(outcome == .inserted(sequence: 2, isConflict: false))
        #expect(try database.json("a") == #"{"n":2}"#)
        let versions = try database.row(of: "a").lineage.vector.versions
        #expect(versions[0].source.isMe && versions.dropFirst().map { RevisionID.version($0) } == other)
        for history in [other, Array(other.reversed())] {
            #expect(try database.receive("a", history, #"{"n":3}"#, remote: nil, allowsConflict: false) == .known)
        }
        try database.checkAndClose()
    }

    @Test("a deletion by a client becomes one of this database")
    func deletion() throws {
        let (database, other) = try makeDatabase()
        let outcome = try database.receive("a", other, isDeleted: true, remote: nil, allowsConflict: false)
        #expect(outcome == .inserted(sequence: 2, isConflict: false))
        let row = try database.row(of: "a")
        #expect(row.isInTombstoneTable && row.version.version?.source.isMe == true)
        try database.checkAndClose()
    }

    @Test("that of a remote is in conflict, and so is one that no client has sent")
    func others() throws {
        let (database, other) = try makeDatabase()
        #expect(try database.receive("a", other, #"{"n":2}"#, remote: nil) == .refusedAsConflict)
        #expect(try database.receive("a", other, #"{"n":2}"#, remote: 1) == .inserted(sequence: 1, isConflict: true))
        #expect(try database.json("a") == #"{"n":1}"#)
        try database.checkAndClose()
    }
}
