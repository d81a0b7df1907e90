import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Databases with version vectors that exchange revisions")
struct ReplicatingVersionsModelTests {
    /// Some databases with clocks that differ, and a document that all of them change.
    private struct Devices {
        private var generator: SeededGenerator
        private let databases: [TestDatabase]
        private let clocks: [VirtualClock]
        private let reopens: Bool
        private var nextNumber = 0

        init(seed: UInt64, count: Int) throws {
            var generator = SeededGenerator(seed: seed)
            let skews = (0..<count).map { _ in Int64.random(in: -60_000...60_000, using: &generator) }
            let clocks = skews.map { VirtualClock(1_800_000_000_000 + $0) }
            reopens = Bool.random(using: &generator)
            databases = try clocks.map { try TestDatabase.withVersions($0) }
            (self.generator, self.clocks) = (generator, clocks)
        }

        /// Does something at random: changes or deletes the document somewhere, sends it to another database, opens a database again.
        mutating func step() throws {
            let device = Int.random(in: 0..<databases.count, using: &generator)
            for clock in clocks { clock.advance(by: Int64.random(in: 0...2, using: &generator)) }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: try databases[device].delete("a")
            case 1...3:
                nextNumber += 1
                try databases[device].save("a", #"{"n":\#(nextNumber),"name":"a text","by":\#(device)}"#)
            case 4 where reopens: try databases[device].reopen(options: .init(clock: clocks[device]))
            default:
                let other = (device + Int.random(in: 1..<databases.count, using: &generator)) % databases.count
                try send(from: device, to: other)
            }
        }

        /// Sends the current revision, as in a pull by the other database, which resolves conflicts as by default, or merges.
        mutating func send(from: Int, to: Int, merges: Bool = true) throws {
            let (source, target) = (databases[from], databases[to])
            guard let id = try source.collection().change(of: "a", remote: nil)?.revision,
                let revision = try source.collection().revision(id, of: "a")
            else { return }
            let received = try RevisionTranslation(from: source.file, to: target.file).received(copying: revision)
            let outcome = try target.receive(received, remote: from + 1)
            #expect([.known, .inserted(sequence: 0, isConflict: false)].contains(outcome) || outcome.isConflict != nil, "\(outcome)")
            guard let conflict = try target.collection().conflict(in: "a") else { return }
            let merged = merges && !conflict.local.isDeleted && !conflict.remote.isDeleted && Int.random(in: 0..<3, using: &generator) == 0
            nextNumber += 1
            let resolution: ConflictResolution =
                try merged
                ? .merged(target.body(#"{"n":\#(nextNumber),"merged":true}"#))
                : conflict.local.isDeleted || conflict.remote.isDeleted ? conflict.deletion : conflict.prefersLocal ? .local : .remote
            let collection = try target.collection()
            #expect(try target.file.transaction { try collection.resolve(conflict, with: resolution, in: $0) } != nil)
        }

        /// Exchanges revisions, without merging, until nothing changes.
        mutating func settle() throws {
            for _ in 0..<20 {
                let before = try states()
                for from in databases.indices {
                    for to in databases.indices where to != from { try send(from: from, to: to, merges: false) }
                }
                if try states() == before { return }
            }
            Issue.record("the databases do not settle: \(try states())")
        }

        /// The current revision of each database with its source, whether it is deleted, and its properties.
        func states() throws -> [String] {
            try databases.map { database in
                guard let record = try database.collection().document("a", includingDeleted: true) else { return "none" }
                let own = try #require(try database.file.publicUUID().flatMap { SourceID($0) })
                let version = try #require(record.revision.version).absolute(own)
                return "\(version) \(record.isDeleted) \(try record.canonicalJSON())"
            }
        }

        func check() throws {
            for database in databases {
                #expect(try database.collection().conflictedDocuments() == [])
                #expect(try BundleChecker(database.file).findings() == [])
            }
        }

        func checkIndependently() throws {
            for database in databases { try database.checkAndClose() }
        }
    }

    @Test("databases that have exchanged all revisions have the same one")
    func convergence() throws {
        for number in 0..<40 {
            var devices = try Devices(seed: TestSeed.forThisTest() &+ UInt64(number), count: 2 + number % 3)
            for _ in 0..<40 { try devices.step() }
            try devices.settle()
            let states = try devices.states()
            #expect(Set(states).count == 1, "number \(number): \(states)")
            try devices.check()
            if number % 10 == 0 { try devices.checkIndependently() }
        }
    }
}
