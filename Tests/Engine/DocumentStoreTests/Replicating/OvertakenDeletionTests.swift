import TestSupport
import Testing

@testable import DocumentStore

/// A remote sends a deletion, and takes a revision of this database in its place before the deletion arrives (Version vectors 5.2, "An overtaken
/// deletion").
@Suite("Received deletions that the remote has replaced already")
struct OvertakenDeletionTests {
    private let clock = VirtualClock(1_800_000_000_000)
    private let deletion = RevisionID.version(Version(existing: 0x18EA_0000_0001_0000, exampleSources["E"] ?? .me))

    /// Returns a database with a document in conflict with the deletion, whose revision the remote has, and this revision.
    private func makeDatabase() throws -> (database: TestDatabase, pushed: RevisionID) {
        let database = try TestDatabase.withVersions(clock)
        #expect(try database.file.remoteID(for: "ws://server/db") == 1)
        let pushed = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.note(pushed, of: "a")
        #expect(try database.receive("a", [deletion], isDeleted: true).isConflict == true)
        return (database, pushed)
    }

    @Test("the remote keeps the revision it has, and the deletion is in conflict once")
    func conflict() throws {
        let (database, pushed) = try makeDatabase()
        #expect(try database.change(of: "a").remoteAncestor == pushed)
        #expect(try database.receive("a", [deletion], isDeleted: true) == .known)
        #expect(try database.knownRevisions(of: "a").conflicts.map(\.lineage.id) == [deletion])
        try database.checkAndClose()
    }

    @Test("the result is a version of this database that the remote needs and takes, whichever side wins", arguments: [true, false])
    func resolution(keepsDeletion: Bool) throws {
        let (database, pushed) = try makeDatabase()
        let collection = try database.collection()
        let conflict = try #require(try collection.conflict(in: "a"))
        let resolved = try #require(
            try database.file.transaction { try collection.resolve(conflict, with: keepsDeletion ? .remote : .local, in: $0) }
        )
        #expect(resolved.isNew == !keepsDeletion && resolved.isDeleted == keepsDeletion && !resolved.isStillConflicted)
        #expect(resolved.revision != pushed && resolved.revision != deletion)
        let change = try database.change(of: "a")
        #expect(change.remoteAncestor == pushed && change.revision == resolved.revision)

        // The remote, which has the revision, or the deletion if it was restored from a backup.
        let own = try database.file.identity()
        let vector = try database.row(of: "a").lineage.vector.absolute(own)
        for isRestored in [false, true] {
            let remote = try TestDatabase.withVersions(clock)
            let stored = isRestored ? deletion : pushed.absolute(own)
            try remote.receive("a", [stored], isRestored ? "{}" : #"{"n":1}"#, isDeleted: isRestored, remote: nil)
            let history = vector.versions.map { RevisionID.version($0) }
            let outcome = try remote.receive(
                "a",
                history,
                keepsDeletion ? "{}" : #"{"n":1}"#,
                isDeleted: keepsDeletion,
                remote: nil,
                allowsConflict: false
            )
            #expect(outcome == .inserted(sequence: 2, isConflict: false))
            try remote.checkAndClose()
        }
        try database.checkAndClose()
    }

    @Test("a remote that sends any number of deletions adds at most two conflicts")
    func many() throws {
        let (database, _) = try makeDatabase()
        for tick: UInt64 in 2...20 {
            let other = RevisionID.version(Version(existing: 0x18EA_0000_0000_0000 + tick << 16, exampleSources["M"] ?? .me))
            #expect(try database.receive("a", [other], isDeleted: true).isConflict == true)
            #expect(try database.knownRevisions(of: "a").conflicts.count == 2)
        }
        // The server, and the remote that does not exist.
        #expect(try database.file.knownRemotes().count == 2)
        try database.checkAndClose()
    }

    @Test("a deletion by a remote that does not have the revision is in conflict as before")
    func unknown() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", #"{"n":1}"#)
        #expect(try database.receive("a", [deletion], isDeleted: true).isConflict == true)
        #expect(try database.change(of: "a").remoteAncestor == deletion)
        try database.checkAndClose()
    }
}
