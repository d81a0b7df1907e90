import Base
import DocumentStore
import Replication
import TestSupport

/// A client and a server that replicate with each other from time to time, in various ways, while one of them loses documents: a collection is
/// deleted and created again, a database is restored from a backup, documents are purged.
///
/// The seed determines everything. After a last replication in both directions, both databases must have the same documents, and all that one of
/// them still had.
package final class LossyWorld {
    private let simulation: Simulation
    private let client: SimulatedDatabase
    private let server: SimulatedDatabase
    private let collections: [CollectionID]
    private let log: ((String) -> Void)?
    private var editCount = 0
    /// Whether something was lost of which the protocol informs nobody, so that a reset is necessary (Replication 6.5).
    private var needsReset = false
    private var findings: [String] = []

    private static let documentIDs = (0..<6).map { "d\($0)" }
    /// The maximum number of runs until nothing is left to replicate.
    private static let maximumRounds = 6

    /// Runs the world of a seed.
    ///
    /// - Parameter log: Called with each event.
    /// - Returns: The failures.
    package static func run(seed: UInt64, log: ((String) -> Void)? = nil) -> [String] {
        do {
            let world = try LossyWorld(seed: seed, log)
            for _ in 0..<world.simulation.random.pick([6, 12, 25]) { try world.act() }
            try world.finish()
            return world.findings
        } catch {
            return ["\(error)"]
        }
    }

    private init(seed: UInt64, _ log: ((String) -> Void)?) throws {
        simulation = Simulation(seed: seed ^ 0x1055_1055)
        self.log = log
        let named = [try CollectionID(name: "notes"), try CollectionID(name: "people", scope: "world")]
        collections = simulation.random.pick([[.default], [named[0]], [.default, named[0]], named])
        client = try SimulatedDatabase("client", in: simulation)
        server = try SimulatedDatabase("server", in: simulation)
        for database in [client, server] {
            for id in collections { _ = try database.collection(id) }
        }
    }

    private func say(_ text: @autoclosure () -> String) { log?(text()) }

    // MARK: Events

    private func act() throws {
        let database = simulation.random.chance(50) ? client : server
        switch Int.random(in: 0..<100, using: &simulation.random) {
        case ..<40: try edit(database)
        case ..<75: try replicate(randomOptions(), isCut: simulation.random.chance(25), isReset: simulation.random.chance(8))
        case ..<80: try database.takeSnapshot()
        default: try lose(database)
        }
    }

    private func edit(_ database: SimulatedDatabase) throws {
        for _ in 0..<simulation.random.pick([1, 1, 3]) {
            let (id, collection) = (simulation.random.pick(Self.documentIDs), simulation.random.pick(collections))
            editCount += 1
            if simulation.random.chance(15) {
                say("\(database.name) deletes \(id) of \(collection.fullName)")
                try database.delete(id, in: collection)
            } else {
                say("\(database.name) saves \(id) of \(collection.fullName), \(editCount)")
                try database.save(id, #"{"n":\#(editCount)}"#, in: collection)
            }
        }
    }

    private func lose(_ database: SimulatedDatabase) throws {
        switch Int.random(in: 0..<3, using: &simulation.random) {
        case 0:
            let named = collections.filter { !$0.isDefault }
            guard !named.isEmpty else { return }
            let id = simulation.random.pick(named)
            say("\(database.name) deletes and creates \(id.fullName)")
            try database.recreate(id)
        case 1:
            guard database.hasSnapshot else { return }
            let isMarked = simulation.random.chance(70)
            say("\(database.name) is restored, \(isMarked ? "and marked" : "from its files")")
            try database.restoreSnapshot(isMarked: isMarked)
            if !isMarked { needsReset = true }
        default:
            let (id, collection) = (simulation.random.pick(Self.documentIDs), simulation.random.pick(collections))
            let store = try database.collection(collection)
            guard try database.file.transaction({ try store.purge(id, in: $0) }) else { return }
            say("\(database.name) purges \(id) of \(collection.fullName)")
            needsReset = true
        }
    }

    // MARK: Replication

    private func randomOptions() -> SimulatedReplication.Options {
        var options = SimulatedReplication.Options()
        switch Int.random(in: 0..<4, using: &simulation.random) {
        case 0: options.push = .disabled
        case 1: options.pull = .disabled
        default: break
        }
        let chosen = simulation.random.chance(30) ? [simulation.random.pick(collections)] : collections
        let documentIDs = simulation.random.chance(20) ? Array(Self.documentIDs.prefix(3)) : nil
        options.collections = chosen.map { id in
            var collection = CollectionOptions(id)
            collection.documentIDs = documentIDs
            return collection
        }
        return options
    }

    private func replicate(_ options: SimulatedReplication.Options, isCut: Bool, isReset: Bool) throws {
        if isReset { try client.replica.discardCheckpoints(SimulatedReplication.activeOptions(options, with: server)) }
        let replication = SimulatedReplication(client, with: server, options, in: simulation)
        if isCut { replication.link.cut(afterBytes: Int.random(in: 100...3000, using: &simulation.random)) }
        try simulation.run { replication.hasEnded }
        let counts = replication.active.status.counts
        say("replicated\(isReset ? " with a reset" : "")\(isCut ? ", cut" : ""), push \(options.push), pull \(options.pull): \(counts)")
        if let error = replication.active.error, !isCut { findings.append("a replication ends with \(error)") }
    }

    // MARK: The end

    private func finish() throws {
        let expected = try survivors()
        var options = SimulatedReplication.Options()
        options.collections = collections.map { CollectionOptions($0) }
        say("--- the last replication")
        var before = try live()
        for round in 0..<Self.maximumRounds {
            try replicate(options, isCut: false, isReset: needsReset && round == 0)
            let after = try live()
            defer { before = after }
            if round > 0, after == before { break }
        }
        let (here, there) = try (live(client), live(server))
        if here != there { findings.append("the databases differ: \(here) and \(there)") }
        let lost = expected.subtracting(here.keys)
        if !lost.isEmpty { findings.append("documents are lost: \(lost.map(\.string).sorted())") }
    }

    /// The documents that must exist in the end: those that exist on one side, and were not deleted on the other.
    private func survivors() throws -> Set<ExactString> {
        let (here, there) = try (live(client), live(server))
        let names = Set(here.keys).union(there.keys)
        return try names.filter { name in
            try [client, server].allSatisfy { try !isDeleted(name, in: $0) }
        }
    }

    private func live() throws -> [[ExactString: ExactString]] { try [live(client), live(server)] }

    /// Returns the live documents of a database, with their contents.
    private func live(_ database: SimulatedDatabase) throws -> [ExactString: ExactString] {
        var result: [ExactString: ExactString] = [:]
        for (name, document) in try documents(of: database) where !document.isDeleted { result[name] = ExactString(document.json) }
        return result
    }

    private func isDeleted(_ name: ExactString, in database: SimulatedDatabase) throws -> Bool {
        try documents(of: database)[name]?.isDeleted == true
    }

    private func documents(of database: SimulatedDatabase) throws -> [ExactString: DatabaseContent.Document] {
        var result: [ExactString: DatabaseContent.Document] = [:]
        for (collection, documents) in try database.content(of: collections).documents {
            for (id, document) in documents { result[ExactString("\(collection.fullName)/\(id)")] = document }
        }
        return result
    }
}
