import TestSupport
import Testing

@testable import DocumentStore

@Suite("Versions that are received with their names in trees")
struct NamedVersionsTests {
    private let server: TestDatabase
    private let client: TestDatabase
    /// The revision of the client, which has a tree, and the version as which the server has stored it.
    private let name: RevisionID
    private let version: RevisionID

    init() throws {
        let clock = VirtualClock(1_800_000_000_000)
        let server = try TestDatabase.withVersions(clock)
        let client = try TestDatabase(options: .init(clock: clock))
        let own = try #require(try server.file.serveTreeClients())
        let name = try #require(try client.save("a", #"{"n":1}"#).revision)
        try server.receive("a", [name], #"{"n":1}"#, remote: nil)
        try client.note(name, of: "a")
        version = try server.row(of: "a").version.absolute(own)
        (self.server, self.client, self.name) = (server, client, name)
    }

    /// Returns the revision of the server as a client with version vectors receives it.
    private func received() throws -> ReceivedRevision {
        let own = try #require(try server.file.versionSource())
        let current = try server.change(of: "a", remote: nil).revision
        let revision = try #require(try server.collection().revision(current, of: "a", as: .withTreeNames(own)))
        #expect(revision.treeName == name.tree)
        var received = try RevisionTranslation(from: server.file, to: client.file).received(copying: revision)
        received.treeName = revision.treeName
        return received
    }

    /// Sends the revision of the client to the server.
    private func push() throws -> ReceivedRevisionOutcome {
        let current = try client.change(of: "a").revision
        let revision = try #require(try client.collection().revision(current, of: "a"))
        #expect(revision.treeName == nil)
        var received = try RevisionTranslation(from: client.file, to: server.file).received(copying: revision)
        received.allowsConflict = false
        return try server.receive(received, remote: nil)
    }

    @Test("the version of a revision from which the current one was made is known, and is that of the remote from then on")
    func ancestor() throws {
        try client.file.upgradeToVersionVectors()
        let change = try #require(try client.save("a", #"{"n":2}"#).revision)
        let sequence = try client.row(of: "a").sequence
        for _ in 0..<2 { #expect(try client.receive(received()) == .known) }
        let row = try client.row(of: "a")
        #expect(row.version == change && row.sequence == sequence && !row.flags.contains(.conflicted))
        #expect(try client.change(of: "a").remoteAncestor == version)
        // It is not requested again.
        let offer = OfferedRevision(documentID: "a", revision: version)
        let answers = try client.collection().compare([offer], OfferOptions(remote: 1, needsBodies: false))
        guard case .have(isRemoteAncestorMoved: false, _) = answers[0] else { return #expect(Bool(false), "\(answers)") }
        #expect(try push().isConflict == false)
        #expect(try server.json("a") == #"{"n":2}"#)
        for database in [server, client] { try database.checkAndClose() }
    }

    @Test("the remote keeps the current revision that it has got since it sent the version")
    func late() throws {
        try client.file.upgradeToVersionVectors()
        let change = try #require(try client.save("a", #"{"n":2}"#).revision)
        try client.note(change, of: "a")
        #expect(try client.receive(received()) == .known)
        #expect(try client.change(of: "a").remoteAncestor == change)
        try client.checkAndClose()
    }

    @Test("a document that was changed in its tree keeps the tree, in which the remote has the revision with this name")
    func inTree() throws {
        let change = try #require(try client.save("a", #"{"n":2}"#).revision)
        try client.file.upgradeToVersionVectors()
        #expect(try client.receive(received(), remote: 2) == .known)
        #expect(try client.row(of: "a").hasTree)
        #expect(try client.collection().history(of: "a") == [change, name])
        #expect(try client.change(of: "a", remote: 2).remoteAncestor == name)
        let own = try #require(try server.file.versionSource())
        let proposal = ProposedRevision(documentID: "a", revision: change, serverRevision: name)
        #expect(try server.collection().evaluate([proposal], as: .withTreeNames(own)) == [.send])
        try client.checkAndClose()
    }

    @Test("a revision of a tree is replaced by its version, which keeps the name for the clients of this database")
    func current() throws {
        try client.file.upgradeToVersionVectors()
        let own = try #require(try client.file.serveTreeClients())
        #expect(try client.receive(received()).isConflict == false)
        #expect(try client.row(of: "a").version == version)
        #expect(try client.collection().treeIDs(of: "a", own) == [name])
        #expect(try client.receive(received()) == .known)
        try client.save("a", #"{"n":2}"#)
        let ids = try #require(try client.collection().treeIDs(of: "a", own))
        #expect(ids.map(\.generation) == [2, 1] && ids[1] == name)
        try client.checkAndClose()
    }

    @Test("each change of an upgraded client gets the versions that it has only by their names, also after its first one")
    func changes() throws {
        try client.file.upgradeToVersionVectors()
        for number in 2...3 {
            try client.save("a", #"{"n":\#(number)}"#)
            #expect(try push().isConflict == false)
        }
        let mine = try #require(try server.file.versionSource())
        let theirs = try #require(try client.file.versionSource())
        let versions = try server.row(of: "a").lineage.vector.versions.map { RevisionID.version($0).absolute(mine) }
        #expect(try versions == [client.row(of: "a").version.absolute(theirs), version])
        for database in [server, client] { try database.checkAndClose() }
    }
}
