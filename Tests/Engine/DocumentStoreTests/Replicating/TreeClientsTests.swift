import Base
import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Names of versions for clients with revision trees")
struct TreeClientsTests {
    private let clock = VirtualClock(1_800_000_000_000)
    private let base = UInt64(1_799_999_999) * 1_000_000_000

    private func makeDatabase() throws -> (database: TestDatabase, own: SourceID) {
        let database = try TestDatabase.withVersions(clock)
        return (database, try #require(try database.file.serveTreeClients()))
    }

    private func version(_ tick: UInt64, _ source: Character) -> RevisionID {
        .version(Version(existing: (base & ~0xFFFF) + tick << 16, exampleSources[source] ?? .me))
    }

    private func tree(_ text: String) throws -> RevisionID { try #require(RevisionID(tree: text)) }

    private func ids(_ id: String, _ database: TestDatabase, _ own: SourceID) throws -> [String] {
        try #require(try database.collection().treeIDs(of: id, own)).map(\.description)
    }

    @Test("a version has the next generation, and a digest of its time and its source that is the same in every database")
    func digests() throws {
        let (database, own) = try makeDatabase()
        try database.receive("a", [version(1, "E")], #"{"n":1}"#, remote: nil)
        let time = String(try #require(version(1, "E").version).time, radix: 16)
        #expect(try ids("a", database, own) == ["1-\(time)1111111111111111"])
        let mine = try #require(try database.save("a", #"{"n":2}"#).revision?.version)
        let name = "2-" + String(mine.time, radix: 16) + own.bytes.prefix(8).hexadecimal
        #expect(try ids("a", database, own) == [name, "1-\(time)1111111111111111"])
        // A deletion and what comes after it are ordinary revisions.
        try database.delete("a")
        try database.save("a", #"{"n":4}"#)
        #expect(try ids("a", database, own).count == 4)
        #expect(try ids("a", database, own)[2...] == [name, "1-\(time)1111111111111111"])
        let change = try #require(try database.collection().change(of: "a", remote: nil, as: .trees(own)))
        #expect(change.revision.description == (try ids("a", database, own))[0])
        #expect(try database.collection().changes(after: 0, limit: 9, remote: nil, as: .trees(own)).map(\.revision) == [change.revision])
        try database.checkAndClose()
    }

    @Test("names are stored from the first change on after the first client was served, at most as many as revisions in a branch")
    func storing() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", #"{"n":1}"#)
        try database.save("a", #"{"n":2}"#)
        #expect(try database.row(of: "a").extra == nil)
        let own = try #require(try database.file.serveTreeClients())
        let first = try ids("a", database, own)
        #expect(first.count == 1 && first[0].hasPrefix("1-"))
        #expect(try database.row(of: "a").extra == nil)
        for number in 0..<60 { try database.save("a", #"{"n":\#(number)}"#) }
        #expect(try database.knownRevisions(of: "a").names?.ids.count == RevisionTree.defaultMaximumDepth)
        let last = try ids("a", database, own)
        #expect(last.count == RevisionTree.defaultMaximumDepth && last[0].hasPrefix("61-"))
        // Metadata changes keep them, and a database that is opened again goes on.
        try database.note(try database.row(of: "a").version, of: "a")
        try database.reopen(options: .init(clock: clock))
        #expect(try database.file.serveTreeClients() == own)
        try database.save("a", "{}")
        #expect(try ids("a", database, own)[0].hasPrefix("62-"))
        try database.checkAndClose()
    }

    @Test("a revision of a client with a tree becomes a version, keeps its ID, and is refused if it does not follow the current one")
    func receiving() throws {
        let (database, own) = try makeDatabase()
        let collection = try database.collection()
        let outcome = try database.receive("a", [tree("2-bb"), tree("1-aa")], #"{"n":2}"#, remote: nil)
        #expect(outcome == .inserted(sequence: 1, isConflict: false))
        let first = try #require(try database.row(of: "a").version.version)
        #expect(first.source.isMe)
        #expect(try ids("a", database, own) == ["2-bb", "1-aa"])
        #expect(try database.receive("a", [tree("2-bb"), tree("1-aa")], "{}", remote: nil) == .known)
        #expect(try database.receive("a", [tree("1-aa")], "{}", remote: nil) == .known)
        for conflicting in [["2-cc", "1-aa"], ["1-cc"], ["3-cc", "2-dd"], ["9-ab"]] {
            let ids = try conflicting.map { try tree($0) }
            #expect(try database.receive("a", ids, "{}", remote: nil, allowsConflict: false) == .refusedAsConflict)
        }
        let next = [try tree("5-ee"), try tree("4-dd"), try tree("2-bb")]
        #expect(try database.receive("a", next, #"{"n":5}"#, remote: nil) == .inserted(sequence: 2, isConflict: false))
        #expect(try ids("a", database, own) == ["5-ee", "4-dd", "2-bb", "1-aa"])
        // The vector has one version of this database.
        #expect(try database.row(of: "a").lineage.vector.versions.count == 1)
        #expect(try collection.revision(try tree("5-ee"), of: "a", as: .trees(own))?.history.count == 3)
        #expect(try collection.revision(try tree("2-bb"), of: "a", as: .trees(own)) == nil)
        #expect(try collection.history(of: "a", from: try tree("2-bb"), as: .trees(own))?.count == 2)
        let infos = try #require(try collection.revisions(of: "a", as: .trees(own)))
        #expect(infos.map(\.isLeaf) == [true, false, false, false] && infos[0].hasBody && !infos[1].hasBody)
        // Over a deletion that it does not know.
        try database.delete("a")
        #expect(try database.receive("a", [tree("1-ff")], #"{"n":1}"#, remote: nil, allowsConflict: false).isInserted)
        #expect(try ids("a", database, own) == ["1-ff"] && database.json("a") == #"{"n":1}"#)
        try database.checkAndClose()
    }

    @Test("proposals and offers are answered as by a database with trees")
    func answers() throws {
        let (database, own) = try makeDatabase()
        let collection = try database.collection()
        try database.receive("a", [tree("2-bb"), tree("1-aa")], #"{"n":2}"#, remote: nil)
        func propose(_ revision: String, _ parent: String?) throws -> ProposalAnswer {
            let proposal = ProposedRevision(documentID: "a", revision: try tree(revision), serverRevision: try parent.map { try tree($0) })
            return try collection.evaluate([proposal], as: .trees(own))[0]
        }
        #expect(try propose("2-bb", nil) == .have)
        #expect(try propose("3-cc", "2-bb") == .send)
        for parent in [nil, "1-aa", "2-ff"] { #expect(try propose("3-cc", parent) == .conflict(current: tree("2-bb"))) }
        func offer(_ revision: String, refusesConflicts: Bool = true) throws -> OfferAnswer {
            let options = OfferOptions(remote: nil, needsBodies: false, refusesConflicts: refusesConflicts)
            return try collection.compare([OfferedRevision(documentID: "a", revision: tree(revision))], options, as: .trees(own))[0]
        }
        #expect(try offer("1-aa") == .have(isRemoteAncestorMoved: false, isConflictBranch: false))
        #expect(try offer("3-cc") == .want(ancestors: [tree("2-bb"), tree("1-aa")]))
        #expect(try offer("2-cc") == .conflict)
        try database.delete("a")
        #expect(try propose("1-ff", nil) == .send)
        #expect(try propose("3-ff", "2-bb") != .send)
        let unknown = ProposedRevision(documentID: "b", revision: try tree("1-aa"))
        #expect(try collection.evaluate([unknown], as: .trees(own)) == [.send])
    }

    @Test("a client that was upgraded goes on from the name of the current revision, and the vector keeps the server's version")
    func upgradedClients() throws {
        let (database, own) = try makeDatabase()
        let collection = try database.collection()
        try database.receive("a", [tree("2-bb"), tree("1-aa")], #"{"n":2}"#, remote: nil)
        let server = try #require(try database.row(of: "a").version.version)
        let client = version(1_000_000, "E")
        let proposal = ProposedRevision(documentID: "a", revision: client, serverRevision: try tree("2-bb"))
        #expect(try collection.evaluate([proposal], as: .withTreeNames(own)) == [.send])
        #expect(try collection.evaluate([proposal])[0] != .send)
        // What is sent to the client says that it has the revision.
        #expect(try collection.revision(.version(server), of: "a", as: .withTreeNames(own))?.history.contains(tree("2-bb")) == true)
        let history = [client, try tree("2-bb"), try tree("1-aa")]
        let outcome = try database.receive("a", history, #"{"n":3}"#, remote: nil, allowsConflict: false)
        #expect(outcome == .inserted(sequence: 2, isConflict: false))
        #expect(try database.row(of: "a").lineage.vector.versions == [try #require(client.version), server])
        #expect(try ids("a", database, own).dropFirst() == ["2-bb", "1-aa"])
        // An unsent change that was made in the tree.
        let unsent = [try tree("4-dd"), try tree(try ids("a", database, own)[0])]
        #expect(try database.receive("a", unsent, #"{"n":4}"#, remote: nil, allowsConflict: false).isInserted)
        #expect(try database.row(of: "a").version.version?.source.isMe == true)
        try database.checkAndClose()
    }

    @Test("a client that was upgraded finds the current revision by its name, as the base of a delta")
    func bases() throws {
        let (database, own) = try makeDatabase()
        let collection = try database.collection()
        try database.receive("a", [tree("2-bb"), tree("1-aa")], #"{"n":2}"#, remote: nil)
        let current = try database.row(of: "a").version
        #expect(try collection.revision(tree("2-bb"), of: "a", as: .withTreeNames(own))?.revision == current)
        // Earlier revisions are not stored, and names mean nothing to peers that are no clients.
        #expect(try collection.revision(tree("1-aa"), of: "a", as: .withTreeNames(own)) == nil)
        #expect(try collection.revision(tree("2-bb"), of: "a") == nil)
        try database.checkAndClose()
    }

    @Test("a database that has served clients keeps the trees as names when it is upgraded")
    func upgrading() throws {
        let database = try TestDatabase(options: .init())
        for number in 0..<3 { try database.save("a", #"{"n":\#(number)}"#) }
        let history = try #require(try database.collection().history(of: "a")).map(\.description)
        try database.file.transaction { try RawStore.peerCheckpoints.set("client", to: .init(version: [1], body: [2]), in: $0) }
        try database.file.upgradeToVersionVectors()
        try database.save("a", #"{"n":3}"#)
        let own = try #require(try database.file.serveTreeClients())
        #expect(try Array(ids("a", database, own).dropFirst()) == history)
        #expect(try database.knownRevisions(of: "a").legacy?.description == history[0])
        try database.checkAndClose()
    }

    @Test("a copy of the file names revisions by the same IDs, and so does a copy with trees")
    func copies() throws {
        let (database, own) = try makeDatabase()
        try database.receive("a", [tree("2-bb"), tree("1-aa")], #"{"n":2}"#, remote: nil)
        try database.save("b", #"{"n":1}"#)
        try database.save("b", #"{"n":2}"#)
        let names = try (ids("a", database, own), ids("b", database, own))
        let trees = BundlePath(database.directory.path("trees.cblite2"))
        _ = try TreesCopy.copy(database.path, to: trees, options: .init(), indexNames: { _ in [] }) { _ in }
        let copy = try DatabaseRegistry.open(trees.directory)
        defer { DatabaseRegistry.closeLoggingErrors(copy) }
        let collection = try #require(try copy.collection(.default))
        #expect(try collection.history(of: "a")?.map(\.description) == names.0)
        #expect(try collection.history(of: "b")?.map(\.description) == names.1)
    }

    @Test("damaged names make the document a damaged one")
    func damage() throws {
        let (database, own) = try makeDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.save("a", #"{"n":2}"#)
        // The generations do not decrease.
        var known = try database.knownRevisions(of: "a")
        let names = try #require(known.names)
        known.names = TreeNames(version: names.version, ids: names.ids.reversed())
        let extra = try #require(try known.extra(of: "a"))
        try database.sql("UPDATE kv_default SET extra = x'\(extra.hexadecimal)'")
        #expect(throws: StoreError.self) { try database.save("a", #"{"n":3}"#) }
        #expect(try BundleChecker(database.file).findings().contains { $0.severity == .error })
        _ = own
    }
}

extension ReceivedRevisionOutcome {
    fileprivate var isInserted: Bool { if case .inserted(_, isConflict: false) = self { true } else { false } }
}
