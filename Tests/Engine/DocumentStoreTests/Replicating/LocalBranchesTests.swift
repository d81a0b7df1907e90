import TestSupport
import Testing

@testable import DocumentStore

@Suite("Branches of former trees that no remote is known to have")
struct LocalBranchesTests {
    private let clock = VirtualClock(1_800_000_000_000)
    /// The current revision of the tree, which the remote has.
    private let current = RevisionID.of("2-ff")
    private let branches = [RevisionID.of("2-01"), RevisionID.of("2-02")]

    /// Returns a version by a source of the examples, at a number of ticks after a fixed time.
    private func version(_ tick: UInt64, _ source: Character) -> RevisionID {
        .version(Version(existing: (1_799_999_999_000_000_000 & ~0xFFFF) + tick << 16, exampleSources[source] ?? .me))
    }

    /// Returns a database that got version vectors, with a document whose tree has branches that no remote has.
    private func makeDatabase(branches count: Int, ids: [String] = ["a"]) throws -> TestDatabase {
        let database = try TestDatabase(options: .init(clock: clock))
        #expect(try database.file.remoteID(for: "ws://server/db") == 1)
        for id in ids {
            try database.receive(id, [current, .of("1-aa")], #"{"n":0}"#)
            for (number, branch) in branches.prefix(count).enumerated() {
                let outcome = try database.receive(id, [branch, .of("1-aa")], #"{"branch":\#(number + 1)}"#, remote: nil)
                #expect(outcome.isConflict == true)
            }
        }
        try database.file.upgradeToVersionVectors()
        return database
    }

    private func conflicts(_ database: TestDatabase) throws -> Set<RevisionID> {
        Set(try database.knownRevisions(of: "a").conflicts.map(\.lineage.id))
    }

    private func resolve(_ resolution: ConflictResolution, in database: TestDatabase) throws -> ResolvedConflict {
        let collection = try database.collection()
        let conflict = try #require(try collection.conflict(in: "a"))
        return try #require(try database.file.transaction { try collection.resolve(conflict, with: resolution, in: $0) })
    }

    /// Whether a revision is the current one or an ancestor of it.
    private func includes(_ id: RevisionID, _ database: TestDatabase) throws -> Bool {
        try database.row(of: "a").ancestry().contains(id)
    }

    @Test("a newer version, or a deletion, leaves them as conflicts, whether a replicator or a client has sent it", arguments: [1, 2])
    func newer(count: Int) throws {
        for (remote, isDeleted) in [(1, false), (1, true), (nil, false), (nil, true)] as [(Int?, Bool)] {
            let database = try makeDatabase(branches: count)
            let history = [version(1, "E"), current, .of("1-aa")]
            let json = isDeleted ? "{}" : #"{"n":1}"#
            let outcome = try database.receive("a", history, json, isDeleted: isDeleted, remote: remote, allowsConflict: remote != nil)
            #expect(outcome.isConflict == false)
            #expect(try database.json("a") == (isDeleted ? nil : json))
            let row = try database.row(of: "a")
            #expect(row.version == version(1, "E") && row.flags.contains(.conflicted) && row.isInTombstoneTable == isDeleted)
            #expect(try conflicts(database) == Set(branches.prefix(count)))
            #expect(try database.collection().conflictedDocuments() == ["a"])
            let known = try database.knownRevisions(of: "a")
            #expect(known.remotes[1]?.lineage.id == (remote == nil ? current : version(1, "E")))
            for (number, branch) in branches.prefix(count).enumerated() {
                #expect(try known.revision(with: branch)?.json(database.file.sharedKeys) == #"{"branch":\#(number + 1)}"#)
            }
            try database.checkAndClose()
        }
    }

    @Test("a version in conflict is one more conflict, and all are resolved one after the other", arguments: [1, 2])
    func conflicting(count: Int) throws {
        let database = try makeDatabase(branches: count)
        #expect(try database.receive("a", [version(1, "E")], #"{"n":1}"#).isConflict == true)
        #expect(try database.json("a") == #"{"n":0}"#)
        #expect(try conflicts(database) == Set(branches.prefix(count) + [version(1, "E")]))
        #expect(try BundleChecker(database.file).findings() == [])
        for left in (0...count).reversed() {
            #expect(try resolve(left == 0 ? .remote : .local, in: database).isStillConflicted == (left > 0))
        }
        // The branches are ordered like in the tree, the one with the lower ID last.
        #expect(try database.json("a") == #"{"branch":1}"#)
        #expect(try includes(version(1, "E"), database) && includes(current, database) && conflicts(database).isEmpty)
        try database.checkAndClose()
    }

    @Test(
        "each resolution is a version of this database after both sides, so that the remote takes it",
        arguments: ["local", "remote", "deleted"]
    )
    func resolving(resolution: String) throws {
        for isReceived in [false, true] {
            let database = try makeDatabase(branches: 1)
            if isReceived { try database.receive("a", [version(1, "E"), current], #"{"n":1}"#) }
            let side: ConflictResolution = resolution == "local" ? .local : resolution == "remote" ? .remote : .deleted
            let resolved = try resolve(side, in: database)
            #expect(!resolved.isStillConflicted && resolved.isDeleted == (resolution == "deleted"))
            #expect(resolved.revision.version?.source.isMe == true)
            let local = isReceived ? #"{"n":1}"# : #"{"n":0}"#
            #expect(try database.json("a") == ["local": local, "remote": #"{"branch":1}"#][resolution])
            let theirs = isReceived ? version(1, "E") : current
            #expect(try includes(theirs, database) && includes(current, database) && includes(branches[0], database))
            #expect(try database.change(of: "a").remoteAncestor == theirs)
            // The remote that does not exist is not in the record any more.
            #expect(try database.knownRevisions(of: "a").remotes.keys.sorted() == [1])
            #expect(try database.collection().conflictedDocuments() == [])
            try database.checkAndClose()
        }
    }

    @Test("a conflict with a remote is resolved in the tree if the remote's revision is the result, and the branch stays in conflict")
    func inTree() throws {
        let database = try makeDatabase(branches: 1)
        #expect(try database.file.remoteID(for: "ws://other/db") == 2)
        try database.receive("a", [.of("2-0e"), .of("1-aa")], #"{"n":2}"#, remote: 2)
        #expect(try resolve(.remote, in: database).isStillConflicted)
        #expect(try database.row(of: "a").hasTree && database.json("a") == #"{"n":2}"#)
        #expect(try conflicts(database) == [branches[0]])
        #expect(try !resolve(.local, in: database).isStillConflicted)
        #expect(try database.json("a") == #"{"n":2}"# && includes(.of("2-0e"), database))
        try database.checkAndClose()
    }

    @Test("later versions of the remote leave them as conflicts, too, and one that includes a branch ends the conflict with it")
    func secondPull() throws {
        let database = try makeDatabase(branches: 2)
        try database.receive("a", [version(1, "E"), current], #"{"n":1}"#)
        #expect(try database.receive("a", [version(2, "E"), version(1, "M"), current], #"{"n":2}"#).isConflict == false)
        #expect(try database.json("a") == #"{"n":2}"#)
        #expect(try conflicts(database) == Set(branches))
        #expect(try database.receive("a", [version(2, "E"), version(1, "M"), current], #"{"n":2}"#) == .known)
        #expect(try conflicts(database) == Set(branches))

        let other = try makeDatabase(branches: 2)
        let standIn = RevisionID.version(try #require(branches[0].version))
        #expect(try other.receive("a", [version(1, "E"), standIn, current], #"{"n":1}"#).isConflict == false)
        #expect(try conflicts(other) == [branches[1]])
        for database in [database, other] { try database.checkAndClose() }
    }

    @Test("a change of the app leaves them as conflicts, and so does a revision of a client with a tree")
    func changes() throws {
        let database = try makeDatabase(branches: 2)
        let saved = try database.save("a", #"{"n":1}"#)
        #expect(try database.row(of: "a").version == saved.revision && saved.revision?.tree == nil)
        #expect(try conflicts(database) == Set(branches))
        try database.delete("a")
        try database.save("a", #"{"n":2}"#)
        #expect(try conflicts(database) == Set(branches))

        let server = try makeDatabase(branches: 2)
        _ = try server.file.serveTreeClients()
        let outcome = try server.receive("a", [.of("3-cc"), current], #"{"n":3}"#, remote: nil, allowsConflict: false)
        #expect(outcome.isConflict == false)
        #expect(try server.json("a") == #"{"n":3}"# && server.row(of: "a").version.tree == nil)
        #expect(try conflicts(server) == Set(branches))
        for database in [database, server] { try database.checkAndClose() }
    }

    @Test("the numbers of remotes that do not exist serve all documents, and no remote gets them")
    func numbers() throws {
        let database = try makeDatabase(branches: 2, ids: ["a", "b"])
        for id in ["a", "b"] { try database.save(id, #"{"n":1}"#) }
        #expect(try database.file.knownRemotes().map(\.number) == [1, 2, 3])
        #expect(try database.file.remoteID(for: "ws://other/db") == 4)
        #expect(try database.knownRevisions(of: "b").remotes.keys.sorted() == [1, 2, 3])
    }

    @Test("a copy with trees has them as branches")
    func copies() throws {
        let database = try makeDatabase(branches: 2)
        try database.receive("a", [version(1, "E"), current], #"{"n":1}"#)
        let path = BundlePath(database.directory.path("copy.cblite2"))
        let report = try TreesCopy.copy(database.path, to: path, options: .init(), indexNames: { _ in [] })
        #expect(report.conflicts == 1 && report.losses.isEmpty)
        let copy = try DatabaseRegistry.open(path.directory)
        defer { DatabaseRegistry.closeLoggingErrors(copy) }
        let leaves = try #require(try copy.collection(.default)?.revisions(of: "a")).filter(\.isLeaf)
        #expect(leaves.count == 3 && Set(leaves.map(\.id)).isSuperset(of: branches))
        #expect(try copy.collection(.default)?.document("a")?.canonicalJSON() == #"{"n":1}"#)
    }

    @Test("a document with more of them than a record can hold keeps its tree, and cannot be changed before some are resolved")
    func limit() throws {
        let database = try makeDatabase(branches: 0)
        let maximum = CollectionStore.maximumLocalBranches
        let ids = try (0...maximum).map { try #require(TreeRevisionID("1-\(String(0xB0000 + $0, radix: 16))0")) }
        try database.editTree(of: "a") { tree in
            for id in ids { _ = tree.append(id, parent: nil, flags: .isConflict, body: [0x70, 0x00]) }
        }
        #expect(throws: StoreError.self) { try database.save("a", #"{"n":1}"#) }
        #expect(throws: StoreError.self) { try database.receive("a", [version(1, "E"), current], #"{"n":1}"#) }
        #expect(try database.row(of: "a").hasTree && conflicts(database).count == maximum + 1)
        #expect(try resolve(.local, in: database).isStillConflicted)
        #expect(try database.row(of: "a").hasTree && conflicts(database).count == maximum)
        #expect(try database.save("a", #"{"n":1}"#).revision?.tree == nil)
        #expect(try conflicts(database).count == maximum && BundleChecker(database.file).findings() == [])
    }
}
