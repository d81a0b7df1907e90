import TestSupport
import Testing

@testable import DocumentStore

@Suite("Versions received over trees of which an upgrade has forgotten the middle")
struct ForgottenTreeTests {
    private let clock = VirtualClock(1_800_000_000_000)
    private let server: TestDatabase
    private let client: TestDatabase

    /// A server and a client with revision trees, where the client has pulled the first revision of the document.
    init() throws {
        server = try TestDatabase(options: .init(clock: clock))
        client = try TestDatabase(options: .init(clock: clock))
        try server.save("a", #"{"n":1}"#)
        let outcome = try Self.send(from: server, to: client)
        #expect(outcome.isConflict == false)
    }

    private func upgrade() throws {
        for database in [server, client] { try database.file.upgradeToVersionVectors() }
    }

    /// Returns a version by a source of the examples, at a number of ticks after a fixed time.
    private func version(_ tick: UInt64, _ source: Character) -> RevisionID {
        .version(Version(existing: (1_799_999_999_000_000_000 & ~0xFFFF) + tick << 16, exampleSources[source] ?? .me))
    }

    /// Sends the current revision to another database: as in a pull by that one, or as in a push if there is no remote.
    private static func send(from source: TestDatabase, to target: TestDatabase, remote: Int? = 1) throws -> ReceivedRevisionOutcome {
        let current = try source.change(of: "a", remote: nil).revision
        let revision = try #require(try source.collection().revision(current, of: "a"))
        var received = try RevisionTranslation(from: source.file, to: target.file).received(copying: revision)
        received.allowsConflict = remote != nil
        return try target.receive(received, remote: remote)
    }

    private func resolve(_ resolution: ConflictResolution, in database: TestDatabase) throws {
        let collection = try database.collection()
        let conflict = try #require(try collection.conflict(in: "a"))
        let resolved = try database.file.transaction { try collection.resolve(conflict, with: resolution, in: $0) }
        #expect(resolved != nil)
    }

    @Test("a revision that the server has forgotten is replaced by the server's version without a conflict, if nothing was changed here")
    func middle() throws {
        try server.save("a", #"{"n":2}"#)
        let last = try #require(try server.save("a", #"{"n":3}"#).revision)
        try upgrade()
        try server.save("a", #"{"n":4}"#)
        // All that the server knows of the tree.
        #expect(try server.knownRevisions(of: "a").legacyBranch.map { RevisionID.tree($0) } == [last])
        #expect(try Self.send(from: server, to: client).isConflict == false)
        #expect(try client.json("a") == #"{"n":4}"# && client.collection().conflictedDocuments() == [])
        // The client goes on, and the server takes its change.
        try client.save("a", #"{"n":5}"#)
        #expect(try Self.send(from: client, to: server, remote: nil).isConflict == false)
        #expect(try server.json("a") == #"{"n":5}"#)
        for database in [server, client] { try database.checkAndClose() }
    }

    @Test("a deletion replaces a revision that the server has forgotten, too")
    func deletion() throws {
        try server.save("a", #"{"n":2}"#)
        try upgrade()
        try server.delete("a")
        #expect(try Self.send(from: server, to: client).isConflict == false)
        #expect(try client.json("a") == nil && client.row(of: "a").isInTombstoneTable)
        try client.checkAndClose()
    }

    @Test("the parent of a revision that has won a conflict of trees is replaced without a conflict")
    func parentOfWinner() throws {
        let parent = try server.change(of: "a").revision
        let winner = try #require(try server.save("a", #"{"n":2}"#).revision)
        try server.receive("a", [.of("2-00"), parent], #"{"n":3}"#)
        try upgrade()
        try resolve(.local, in: server)
        let name = try #require(winner.version)
        #expect(try server.historyText(of: "a") == "\(name); 2-00")
        #expect(try Self.send(from: server, to: client).isConflict == false)
        #expect(try client.json("a") == #"{"n":2}"#)
        for database in [server, client] { try database.checkAndClose() }
    }

    @Test("a revision that has won a conflict of trees is found by its ID in the tree, as the base of a delta")
    func winnerAsBase() throws {
        let parent = try server.change(of: "a").revision
        let winner = try #require(try server.save("a", #"{"n":2}"#).revision)
        try server.receive("a", [.of("2-00"), parent], #"{"n":3}"#)
        try upgrade()
        try resolve(.local, in: server)
        let found = try #require(try server.collection().revision(winner, of: "a"))
        #expect(found.isCurrent && found.revision == winner.version.map { RevisionID.version($0) })
        try server.checkAndClose()
    }

    @Test(
        "the revision that has lost a conflict of trees is in the history of the result, also if this has names for clients with trees",
        arguments: ["local", "merged", "deleted"],
        [1, 2, 3]
    )
    func loser(resolution: String, changes: Int) throws {
        let parent = try client.change(of: "a").revision
        let mine = try #require(try client.save("a", #"{"n":"here"}"#).revision)
        for number in 1...changes { try server.save("a", #"{"n":"there \#(number)"}"#) }
        #expect(try Self.send(from: server, to: client).isConflict == true)
        try upgrade()
        let own = try #require(try client.file.serveTreeClients())
        switch resolution {
        case "local": try resolve(.local, in: client)
        case "merged": try resolve(.merged(client.body(#"{"n":"both"}"#)), in: client)
        default: try resolve(.deleted, in: client)
        }
        let names = try #require(try client.collection().treeIDs(of: "a", own))
        #expect(names.dropFirst() == [mine, parent])
        // The server's revision is known, whatever its generation is, and the server takes the result.
        #expect(try Self.send(from: server, to: client) == .known)
        #expect(try Self.send(from: client, to: server, remote: nil).isConflict == false)
        #expect(try server.json("a") == client.json("a"))
        for database in [server, client] { try database.checkAndClose() }
    }

    @Test("a version that stands for a revision of a tree is replaced like this one")
    func standIn() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", #"{"n":1}"#)
        let theirs = RevisionID.of("2-c5557c751fcbfe4cd1f7221085d9ff70")
        #expect(try database.receive("a", [theirs], #"{"n":2}"#).isConflict == true)
        try resolve(.remote, in: database)
        #expect(try database.row(of: "a").version == theirs.version.map { RevisionID.version($0) })
        #expect(try database.receive("a", [version(1, "E"), .of("4-dd")], #"{"n":3}"#).isConflict == false)
        #expect(try database.json("a") == #"{"n":3}"#)
        try database.checkAndClose()
    }

    @Test("a revision that was sent without a response is an ancestor once it is noted, and the server takes the version after it")
    func sent() throws {
        let sent = try #require(try client.save("a", #"{"n":2}"#).revision?.tree)
        #expect(try Self.send(from: client, to: server, remote: nil).isConflict == false)
        try client.save("a", #"{"n":3}"#)
        try upgrade()
        try client.save("a", #"{"n":4}"#)
        #expect(try !client.knownRevisions(of: "a").legacyBranch.contains(sent))
        try note(sent)
        let branch = try client.knownRevisions(of: "a").legacyBranch
        #expect(branch.map(\.generation) == [4, 3, 2, 1] && branch[2] == sent)
        try note(sent)
        #expect(try client.knownRevisions(of: "a").legacyBranch == branch)
        // It is not recorded as the server's before the server says so.
        #expect(try client.change(of: "a").remoteAncestor?.generation == 1)
        #expect(try Self.send(from: server, to: client) == .known)
        #expect(try client.change(of: "a").remoteAncestor == .tree(sent))
        #expect(try Self.send(from: client, to: server, remote: nil).isConflict == false)
        #expect(try server.json("a") == #"{"n":4}"#)
        for database in [server, client] { try database.checkAndClose() }
    }

    @Test("a revision that was sent is no ancestor of a document that was created again, nor of one that the server has changed since")
    func sentInVain() throws {
        let sent = try #require(try client.save("a", #"{"n":2}"#).revision?.tree)
        try client.save("a", #"{"n":3}"#)
        try upgrade()
        // The server has another revision after the one that was sent.
        try client.receive("a", [.of("4-dd"), .of("3-cc")], #"{"n":4}"#)
        try client.save("a", #"{"n":5}"#)
        try note(sent)
        #expect(try !client.knownRevisions(of: "a").legacyBranch.contains(sent))
        try client.purge("a")
        try client.save("a", #"{"n":6}"#)
        try note(sent)
        #expect(try client.knownRevisions(of: "a").legacyBranch == [])
        try client.checkAndClose()
    }

    private func note(_ sent: TreeRevisionID) throws {
        let collection = try client.collection()
        try client.file.transaction { try collection.noteSent([(documentID: "a", revision: sent)], remote: 1, in: $0) }
    }

    @Test("a change that was not pushed is in conflict with the server's version")
    func unsent() throws {
        try client.save("a", #"{"n":"here"}"#)
        for number in 2...5 { try server.save("a", #"{"n":\#(number)}"#) }
        try upgrade()
        try server.save("a", #"{"n":6}"#)
        #expect(try Self.send(from: server, to: client).isConflict == true)
        #expect(try client.json("a") == #"{"n":"here"}"#)
        try client.checkAndClose()
    }

    @Test("a document in conflict stays in conflict")
    func conflicted() throws {
        #expect(try client.receive("a", [.of("1-00")], #"{"n":"other"}"#, remote: 2).isConflict == true)
        for number in 2...3 { try server.save("a", #"{"n":\#(number)}"#) }
        try upgrade()
        try server.save("a", #"{"n":4}"#)
        #expect(try Self.send(from: server, to: client).isConflict == true)
        #expect(try client.json("a") == #"{"n":1}"# && client.knownRevisions(of: "a").remotes.count == 2)
        try client.checkAndClose()
    }

    @Test("a server that was restored from a backup makes conflicts with what it has lost: revisions of trees, and versions")
    func restored() throws {
        // The server does not have it any longer.
        let pushed = try #require(try client.save("a", #"{"n":2}"#).revision)
        try client.note(pushed, of: "a")
        try upgrade()
        try server.save("a", #"{"n":3}"#)
        #expect(try Self.send(from: server, to: client).isConflict == true)
        #expect(try client.json("a") == #"{"n":2}"#)

        let other = try TestDatabase.withVersions(clock)
        let version = try #require(try other.save("a", #"{"n":1}"#).revision)
        try other.note(version, of: "a")
        #expect(try other.receive("a", [self.version(1, "E"), .of("9-99")], #"{"n":2}"#).isConflict == true)
        #expect(try other.json("a") == #"{"n":1}"#)
        for database in [client, other] { try database.checkAndClose() }
    }
}
