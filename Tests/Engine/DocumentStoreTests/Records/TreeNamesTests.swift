import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Generations of the names of versions")
struct TreeNamesTests {
    private static let maximum = TreeRevisionID.maximumGeneration

    private func tree(_ generation: UInt64, _ digest: String) throws -> RevisionID {
        try #require(RevisionID(tree: "\(generation)-\(digest)"))
    }

    @Test("a name after the highest generation has it too, and the names before it are dropped")
    func highest() throws {
        let version = Version(existing: 1 << 50, .me)
        let own = try #require(exampleSources["S"])
        let earlier = [TreeRevisionID.of("4611686018427387904-aa"), .of("4611686018427387903-bb"), .of("1-cc")]
        #expect(RevisionID(tree: "4611686018427387905-aa") == nil)
        let ids = TreeNames.ids(naming: version, VersionVector(version), after: earlier, own: own)
        #expect(ids.map(\.generation) == [Self.maximum, Self.maximum - 1, 1])
        #expect(ids[0] != earlier[0] && ids.dropFirst() == earlier.dropFirst())
        // The same is named after it.
        #expect(TreeNames.ids(naming: version, VersionVector(version), after: ids, own: own) == ids)
        // A tree in a file can have equal generations.
        let equal = [TreeRevisionID.of("7-bb"), .of("7-aa"), .of("8-aa"), .of("2-aa")]
        #expect(TreeNames.ids(naming: version, VersionVector(version), after: equal, own: own).map(\.generation) == [8, 7, 2])
    }

    // MARK: Clients

    /// Stores a revision as one of a client, or of a copy of a database.
    private func receive(_ ids: [RevisionID], in database: TestDatabase, isFromClient: Bool = true) throws -> ReceivedRevisionOutcome {
        var received = ReceivedRevision(
            documentID: "a",
            revision: ids[0],
            history: Array(ids.dropFirst()),
            body: try database.body(#"{"n":1}"#),
            allowsConflict: false
        )
        received.isFromClient = isFromClient
        return try database.receive(received, remote: nil)
    }

    /// A database with trees, one with version vectors, and one that has served clients with trees.
    private func databases() throws -> [TestDatabase] {
        let databases = [try TestDatabase(), try TestDatabase.withVersions(), try TestDatabase.withVersions()]
        _ = try databases[2].file.serveTreeClients()
        return databases
    }

    @Test("a client cannot give a revision a generation after which there are few others, unless the document has the one before it")
    func clients() throws {
        let limit: UInt64 = 1 << 60
        for database in try databases() {
            for generation in [limit, 1 << 61, Self.maximum] {
                #expect(try receive([tree(generation, "aa")], in: database) == .generationTooHigh)
                #expect(try receive([tree(generation, "aa"), tree(1, "aa")], in: database) == .generationTooHigh)
            }
            #expect(try database.collection().count() == 0)
            let first = try tree(limit - 1, "aa")
            #expect(try receive([first], in: database).isConflict == false)
            #expect(try receive([tree(limit + 1, "bb"), first], in: database) == .generationTooHigh)
            #expect(try receive([tree(limit, "bb"), tree(limit - 1, "ff")], in: database) == .generationTooHigh)
            // Two changes that the client has made one after the other.
            let third = [try tree(limit + 1, "cc"), try tree(limit, "bb"), first]
            #expect(try receive(third, in: database).isConflict == false)
            #expect(try receive(third, in: database) == .known)
            try database.checkAndClose()
        }
    }

    @Test("a client cannot give a new document a last revision of a tree with such a generation")
    func clientsWithVersions() throws {
        for database in try databases().dropFirst() {
            let version = RevisionID.version(Version(existing: 1 << 50, try #require(exampleSources["E"])))
            #expect(try receive([version, tree(1 << 60, "aa"), tree(1, "aa")], in: database) == .generationTooHigh)
            #expect(try receive([version, tree((1 << 60) - 1, "aa")], in: database).isConflict == false)
            try database.checkAndClose()
        }
    }

    @Test("a copy of a document keeps its IDs, whatever their generations are, and its next changes can be sent")
    func copies() throws {
        for database in try databases() {
            let copied = try tree(1 << 61, "aa")
            #expect(try receive([copied, tree(1, "aa")], in: database, isFromClient: false).isConflict == false)
            #expect(try receive([copied], in: database) == .known)
            #expect(try receive([tree(Self.maximum, "bb"), copied], in: database) == .generationTooHigh)
            #expect(try receive([tree((1 << 61) + 1, "bb"), copied], in: database).isConflict == false)
        }
    }

    // MARK: Random changes

    /// A document that clients with trees, clients with versions, a server and the database itself change at random.
    private struct Changes {
        private static let generations: [UInt64] =
            [1, 2, 7, 1 << 40, 1 << 59, (1 << 60) - 1, 1 << 60, 1 << 61] + (UInt64(0)...2).reversed().map { TreeNamesTests.maximum - $0 }
        private static let client = exampleSources["E"] ?? .me

        private var generator: SeededGenerator
        private let clock = VirtualClock(1_800_000_000_000)
        private let database: TestDatabase
        private var count: UInt64 = 0

        init(seed: UInt64) throws {
            generator = SeededGenerator(seed: seed)
            let hasVersions = Bool.random(using: &generator)
            database = try hasVersions ? TestDatabase.withVersions(clock) : TestDatabase(options: .init(clock: clock))
        }

        private var collection: CollectionStore { get throws { try database.collection() } }
        private var exists: Bool { get throws { try collection.document("a", includingDeleted: true) != nil } }
        private var json: String { #"{"n":\#(count)}"# }

        /// The IDs by which clients with trees know the document, newest first.
        private var names: [RevisionID] {
            get throws {
                guard let own = try database.file.versionSource() else { return try collection.history(of: "a") ?? [] }
                return try collection.treeIDs(of: "a", own) ?? []
            }
        }

        mutating func step() throws {
            count += 1
            clock.advance(by: 1)
            let (kind, isLimited) = (Int.random(in: 0..<12, using: &generator), Bool.random(using: &generator))
            switch kind {
            case 0: try database.file.upgradeToVersionVectors()
            case 1: _ = try database.file.serveTreeClients()
            case 2: try database.delete("a")
            case 3, 4: try database.save("a", json)
            default:
                let ids = try kind < 7 ? versions() : branch()
                try receive(ids, remote: kind == 5 || kind == 7 ? 1 : nil, isFromClient: isLimited)
            }
        }

        private func receive(_ ids: [RevisionID], remote: Int?, isFromClient: Bool) throws {
            var received = ReceivedRevision(
                documentID: "a",
                revision: ids[0],
                history: Array(ids.dropFirst()),
                body: try database.body(json),
                allowsConflict: remote != nil
            )
            received.isFromClient = isFromClient && remote == nil
            try database.receive(received, remote: remote)
        }

        /// A revision of a tree with any generation, mostly with the known ones as ancestors.
        private mutating func branch() throws -> [RevisionID] {
            let known = try Int.random(in: 0..<4, using: &generator) > 0 ? names : []
            let lowest = known.first?.generation ?? 0
            let higher = (Self.generations + [lowest + 1, lowest + 1, lowest + 2]).filter { $0 > lowest && $0 <= TreeNamesTests.maximum }
            let generation = higher.randomElement(using: &generator) ?? TreeNamesTests.maximum
            let digest = String(count + 0x1_0000, radix: 16) + "f"
            return [try #require(RevisionID(tree: "\(generation)-\(digest)"))] + known
        }

        /// A version of a client on top of the current one, with the known IDs in trees or others.
        private mutating func versions() throws -> [RevisionID] {
            let trees = try Bool.random(using: &generator) ? names : branch()
            return try nextVersion() + trees
        }

        /// A version of a client and those before it.
        private func nextVersion() throws -> [RevisionID] {
            let time = (UInt64(1_799_999_000_000_000_000) & ~0xFFFF) + count << 16
            let others = try exists ? database.row(of: "a").lineage.vector.versions.filter { $0.source != Self.client } : []
            return ([Version(existing: time, Self.client)] + others).map { .version($0) }
        }

        /// Checks that the document can be read, and that clients with trees see a valid history.
        func check() throws {
            guard try exists else { return }
            _ = try database.knownRevisions(of: "a")
            #expect(try collection.history(of: "a")?.isEmpty == false)
            guard let own = try database.file.versionSource() else { return }
            let ids = try names
            let change = try #require(try collection.change(of: "a", remote: nil, as: .trees(own)))
            #expect(change.revision == ids.first)
            #expect(try collection.revision(change.revision, of: "a", as: .trees(own))?.history == Array(ids.dropFirst()))
            // A tree that came from elsewhere is shown as it is.
            guard try !database.row(of: "a").hasTree else { return }
            #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.generation > $1.generation }, "\(ids)")
        }

        /// Checks that the document can be changed here, and then by a client with versions.
        mutating func checkNextChanges() throws {
            try database.file.upgradeToVersionVectors()
            count += 1
            let before = try collection.document("a", includingDeleted: true)?.revision
            #expect(try database.save("a", json).revision != before)
            try check()
            // A tree with several branches goes on.
            guard try !database.row(of: "a").hasTree else { return }
            count += 1
            let next = try nextVersion() + names
            try receive(next, remote: nil, isFromClient: true)
            #expect(try database.json("a") == json)
            try check()
            #expect(try BundleChecker(database.file).findings().filter { $0.severity == .error } == [])
        }
    }

    @Test("after any changes here and elsewhere a document can be read and changed, and the generations of its names decrease")
    func anyChanges() throws {
        for number in 0..<80 {
            let seed = TestSeed.forThisTest() &+ UInt64(number)
            var changes = try Changes(seed: seed)
            do {
                for _ in 0..<25 {
                    try changes.step()
                    try changes.check()
                }
                try changes.checkNextChanges()
            } catch {
                Issue.record("TEST_SEED=\(seed): \(error)")
            }
        }
    }
}
