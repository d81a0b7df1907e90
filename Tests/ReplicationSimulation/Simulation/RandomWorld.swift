import DocumentStore
import Replication

/// Some databases that replicate with one server while everything goes wrong that can: links break or fall silent, processes die in
/// the middle of commits, clocks differ. Afterwards all must be the same, and nothing that was saved must be lost.
///
/// A seed gives the same world again.
package final class RandomWorld {
    /// How wild it is.
    package struct Options {
        package var clientCount = 1...4
        package var stepCount = 40
        /// How many documents everybody changes, and how many each changes alone.
        package var sharedDocumentCount = 6
        package var ownDocumentCount = 4
        /// How many of a hundred connections meet a fault.
        package var faultRate = 60

        package init() {}
    }

    package let simulation: Simulation
    package let server: SimulatedDatabase
    package private(set) var clients: [SimulatedDatabase] = []
    private let options: Options
    private var replications: [(client: Int, replication: SimulatedReplication)] = []
    /// What was saved last in the documents that one client alone changes; nil: it was deleted.
    private var expected: [String: String?] = [:]
    private var editCount = 0
    private var reopening: Set<String> = []

    package init(seed: UInt64, _ options: Options = Options()) throws {
        simulation = Simulation(seed: seed)
        self.options = options
        server = try SimulatedDatabase("server", in: simulation)
        for number in 0..<Int.random(in: options.clientCount, using: &simulation.random) {
            let client = try SimulatedDatabase("client\(number)", in: simulation)
            client.clockOffset = Int64.random(in: -100_000...100_000, using: &simulation.random)
            clients.append(client)
        }
        simulation.afterEachStep { [unowned self] in buryTheDead() }
    }

    private func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &simulation.random) < percent
    }

    private func random(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &simulation.random)
    }

    // MARK: The storm

    /// Lets things happen at random.
    package func run() throws {
        for _ in 0..<options.stepCount {
            switch random(0...9) {
            case 0...4: try edit()
            case 5...7: connect()
            case 8: simulation.run(for: .milliseconds(random(1...50)))
            default: simulation.run(for: .seconds(random(1...30)))
            }
        }
    }

    private func edit() throws {
        let author = random(-1...clients.count - 1)
        let database = author < 0 ? server : clients[author]
        guard !database.isDead else { return }
        editCount += 1
        let isShared = author < 0 || chance(50)
        let id =
            isShared
            ? "shared\(random(0...options.sharedDocumentCount - 1))"
            : "own-\(author)-\(random(0...options.ownDocumentCount - 1))"
        if chance(15) {
            // A document that is gone already stays as it is.
            if try database.json(id) != nil { try database.delete(id) }
            if !isShared { expected[id] = .some(nil) }
            return
        }
        var json = #"{"by":"\#(database.name)","edit":\#(editCount)"#
        if chance(30) {
            let content = (0..<random(1...20_000)).map { UInt8(truncatingIfNeeded: $0 &* editCount) }
            json += #","file":\#(try database.blob(content))"#
        }
        if chance(30) { json += #","text":"\#(String(repeating: "text \(editCount % 3) ", count: random(1...100)))""# }
        json += "}"
        try database.save(id, json)
        if !isShared { expected[id] = try database.json(id) }
    }

    private func connect() {
        let number = random(0...clients.count - 1)
        replications.removeAll { $0.replication.hasEnded }
        let client = clients[number]
        guard !client.isDead, !server.isDead, !replications.contains(where: { $0.client == number }) else { return }
        var options = SimulatedReplication.Options()
        let mode: ReplicationMode = chance(30) ? .continuous : .oneShot
        options.push = chance(85) ? mode : .disabled
        options.pull = chance(85) || options.push == .disabled ? mode : .disabled
        options.usesDeltas = chance(50)
        options.isReset = chance(5)
        options.link.latency = .milliseconds(random(0...100))
        options.link.jitter = .milliseconds(random(0...20))
        if chance(30) { options.link.bytesPerSecond = random(1000...100_000) }
        let replication = SimulatedReplication(client, with: server, options, in: simulation)
        replications.append((number, replication))
        if chance(self.options.faultRate) { spoil(replication, client) }
    }

    private func spoil(_ replication: SimulatedReplication, _ client: SimulatedDatabase) {
        switch random(0...4) {
        case 0, 1: replication.link.cut(afterBytes: random(1...20_000))
        case 2:
            simulation.after(.milliseconds(random(1...1000))) { [weak replication] in replication?.link.fallSilent() }
        case 3: client.kill(atCommit: random(1...6), chance(50) ? .before : .after)
        default: server.kill(atCommit: random(1...6), chance(50) ? .before : .after)
        }
    }

    /// Whoever has died takes its connections with it, and is back after a while.
    private func buryTheDead() {
        for database in [server] + clients where database.isDead && !reopening.contains(database.name) {
            reopening.insert(database.name)
            for (number, replication) in replications where database === server || clients[number] === database {
                replication.link.cut()
            }
            simulation.after(.milliseconds(random(1...5000))) { [unowned self] in
                // Whoever used it is gone by now. What cannot be opened stays dead, which the end of the run tells.
                if (try? database.reopen()) != nil { reopening.remove(database.name) }
            }
        }
    }

    // MARK: Afterwards

    /// Ends everything, lets all replicate undisturbed, and checks that all is well.
    ///
    /// - Throws: ``SimulationError`` when it is not.
    package func heal() throws {
        for (_, replication) in replications { replication.active.stop() }
        try simulation.run { replications.allSatisfy { $0.replication.hasEnded } && reopening.isEmpty }
        for database in [server] + clients { database.spare() }
        replications.removeAll()
        // The first round brings everything to the server, the second from there to everybody, and a third what resolvers made of it.
        for _ in 0..<3 { try replicateAll() }
        let everybody = [server] + clients
        let before = try everybody.map { try $0.collection().lastSequence() }
        try replicateAll()
        try check(try everybody.map { try $0.collection().lastSequence() } == before, "a second run has sent something")
        try compare()
    }

    private func replicateAll() throws {
        for client in clients {
            let replication = try simulation.replicate(client, with: server)
            if let error = replication.active.error { throw failure("\(client.name) fails: \(error)") }
        }
    }

    private func compare() throws {
        let content = try server.content()
        try check(content.missingBlobs.isEmpty, "blobs are missing at the server: \(content.missingBlobs)")
        for client in clients {
            let other = try client.content()
            try check(other.missingBlobs.isEmpty, "blobs are missing at \(client.name): \(other.missingBlobs)")
            try check(other.conflicts.isEmpty, "\(client.name) has conflicts: \(other.conflicts)")
            // Tombstones of documents that a database never had are not pulled into an empty one.
            try check(other.live == content.live, "\(client.name) differs:\n\(other)\nfrom the server:\n\(content)")
        }
        for (id, json) in expected {
            try check(try server.json(id) == json, "\"\(id)\" should be \(json ?? "deleted") at the server")
        }
    }

    private func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw failure(what()) }
    }

    private func failure(_ what: String) -> SimulationError {
        SimulationError(seed: simulation.seed, time: simulation.now, what: what)
    }
}

extension DatabaseContent {
    /// The documents that are not deleted.
    fileprivate var live: [CollectionID: [String: Document]] {
        documents.mapValues { $0.filter { !$0.value.isDeleted } }
    }
}
