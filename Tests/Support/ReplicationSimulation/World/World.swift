import BLIP
import DocumentStore
import Replication
import TestSupport

/// Databases that replicate with each other while they are edited and faults occur, and then without edits and faults.
///
/// The seed determines everything. The conditions that must hold at the end are checked in `World+Checks`.
package final class World {
    package let seed: UInt64
    package let options: WorldOptions
    let simulation: Simulation
    private(set) var nodes: [WorldNode] = []
    private(set) var replicators: [WorldReplicator] = []
    var eventLog = WorldEventLog()
    /// Whether no more faults occur.
    private(set) var isHealed = false
    /// The failures.
    package private(set) var findings: [String] = []
    private let log: ((String) -> Void)?

    /// Runs the world of a seed.
    ///
    /// - Parameters:
    ///   - log: Called with each event, including the messages.
    ///   - checksBundles: Whether the independent checker checks the bundles, too.
    /// - Returns: The failures.
    package static func run(seed: UInt64, checksBundles: Bool = false, log: ((String) -> Void)? = nil) -> [String] {
        do {
            let world = try World(WorldOptions(seed: seed), seed: seed, log: log)
            world.live()
            if world.findings.isEmpty { try world.check(bundles: checksBundles) }
            return world.findings
        } catch {
            return ["\(error)"]
        }
    }

    private init(_ options: WorldOptions, seed: UInt64, log: ((String) -> Void)?) throws {
        self.seed = seed
        self.options = options
        self.log = log
        simulation = Simulation(seed: seed)
        for number in 0..<options.databaseCount { nodes.append(try WorldNode(number, self)) }
        for (number, options) in options.replicators.enumerated() {
            replicators.append(WorldReplicator(number, options, self))
        }
        simulation.afterEachStep { [unowned self] in
            for node in nodes { node.checkDeath() }
        }
        say("\(options)")
    }

    // MARK: Logging

    func say(_ text: @autoclosure () -> String) {
        log?("\(simulation.now.components.seconds).\(simulation.now.components.attoseconds / 100_000_000_000_000) \(text())")
    }

    func fail(_ text: String) {
        say("FINDING: \(text)")
        if findings.count < 10 { findings.append(text) }
    }

    /// Runs `work`, and reports an error as a failure.
    func attempt(_ what: String, _ work: () throws -> Void) {
        do {
            try work()
        } catch {
            fail("\(what): \(error)")
        }
    }

    // MARK: Edits and faults

    private func live() {
        for _ in 0..<options.editCount { sometime { [unowned self] in simulation.random.pick(nodes).edit() } }
        for replicator in replicators { plan(replicator) }
        for node in nodes where simulation.random.chance(options.faults.kills) {
            sometime { [unowned self] in
                guard !isHealed else { return }
                node.database.kill(
                    atCommit: Int.random(in: 1...8, using: &simulation.random),
                    simulation.random.chance(50) ? .before : .after
                )
            }
        }
        simulation.run(for: options.duration)
        heal()
    }

    private func sometime(_ work: @escaping () -> Void) {
        let end = Int(options.duration.components.seconds) * 1000
        simulation.after(simulation.random.milliseconds(0...end), work)
    }

    private func plan(_ replicator: WorldReplicator) {
        let faults = options.faults
        for _ in 0..<(replicator.options.isContinuous ? 1 : 4) { sometime { replicator.start() } }
        if simulation.random.chance(faults.stops) {
            sometime { [unowned self] in
                replicator.stop()
                simulation.after(simulation.random.milliseconds(0...3000)) { [unowned self] in
                    if !isHealed { replicator.start() }
                }
            }
        }
        if simulation.random.chance(faults.suspensions) {
            sometime { [unowned self] in
                replicator.suspend()
                simulation.after(simulation.random.milliseconds(0...3000)) { replicator.resume() }
            }
        }
        if simulation.random.chance(faults.resets) { sometime { replicator.reset() } }
    }

    /// Returns a link for a replicator, with its random faults planned; `nil` if the connection is refused.
    func link(_ number: Int) -> SimulatedLink? {
        let replicator = replicators[number]
        let faults = isHealed ? WorldOptions.Faults() : options.faults
        guard !replicator.target.isDown, !simulation.random.chance(faults.refusal) else { return nil }
        var properties = SimulatedLink.Properties()
        properties.latency = .microseconds(simulation.random.pick([10, 1000, 20_000, 150_000]))
        properties.jitter = simulation.random.chance(50) ? properties.latency : .zero
        properties.lineSize = simulation.random.pick([65_536, 65_536, 3000, 100])
        if options.isSlow { properties.bytesPerSecond = simulation.random.pick([3000, 20_000, 200_000]) }
        let version = replicator.node.usesVersions ? 4 : replicator.options.protocolVersion
        let link = SimulatedLink(simulation, properties, subprotocol: "BLIP_3+CBMobile_\(version)")
        if simulation.random.chance(faults.cut) {
            let magnitude = simulation.random.pick([100, 1000, 10_000])
            link.cut(afterBytes: Int.random(in: 1...magnitude, using: &simulation.random))
        }
        if simulation.random.chance(faults.silence) {
            simulation.after(simulation.random.milliseconds(0...3000)) { [weak link] in link?.fallSilent() }
        }
        if simulation.random.chance(faults.lateCut) {
            let delay = simulation.random.milliseconds(1...5000)
            simulation.after(simulation.random.milliseconds(0...3000)) { [weak link] in
                link?.cutForClient(serverLearnsAfter: delay)
            }
        }
        if log != nil {
            let tap = MessageTap(link) { [unowned self] text in say("  r\(number)\(text)") }
            taps.append(tap)
        }
        return link
    }

    private var taps: [MessageTap] = []

    // MARK: Healing

    /// The maximum number of rounds of replications until all databases are in sync.
    private static let maximumRounds = 10

    private func heal() {
        say("--- healing")
        isHealed = true
        for node in nodes { node.database.spare() }
        for replicator in replicators {
            replicator.link?.heal()
            replicator.resume()
        }
        wait("a database does not come back", .seconds(60)) { [unowned self] in nodes.allSatisfy { !$0.isDown } }
        if replicators.allSatisfy(\.options.isContinuous), eventLog.purged.isEmpty,
            !replicators.contains(where: { $0.options.resolver == .failing })
        {
            goOn()
        }
        for replicator in replicators { replicator.stop() }
        wait("a replicator does not stop", .seconds(60)) { [unowned self] in
            replicators.allSatisfy { !$0.isRunning }
        }
        if options.upgrades { upgrade() }
        for round in 1...Self.maximumRounds {
            guard findings.isEmpty else { return }
            say("--- round \(round)")
            if isQuiet() { return }
        }
        fail("there is no end of replicating")
    }

    /// Gives databases version vectors, and edits them. The targets are upgraded first.
    private func upgrade() {
        say("--- upgrade")
        for node in nodes where !node.usesVersions {
            let targets = replicators.filter { $0.node === node }.map(\.target)
            guard targets.allSatisfy(\.usesVersions) else { continue }
            if options.upgradesSome, !targets.isEmpty, simulation.random.chance(50) { continue }
            say("n\(node.number) gets version vectors")
            attempt("upgrading n\(node.number)") { try node.database.file.upgradeToVersionVectors() }
        }
        for _ in 0..<options.editCount / 2 {
            simulation.run(for: .milliseconds(10))
            simulation.random.pick(nodes).edit()
        }
        simulation.run(for: .seconds(1))
    }

    /// Checks that continuous replicators converge without being restarted.
    private func goOn() {
        wait("a replicator does not stop", .seconds(60)) { [unowned self] in
            !replicators.contains { $0.isStopping }
        }
        for replicator in replicators { replicator.start() }
        simulation.run(for: .seconds(120))
        wait("continuous replicators do not become idle", .seconds(600)) { [unowned self] in
            replicators.allSatisfy(\.isIdle)
        }
        say("--- continuous replicators are idle")
        attempt("checking") { try check(bundles: false) }
    }

    /// Runs every replicator once, until it stops. Returns whether nothing was replicated.
    private func isQuiet() -> Bool {
        var isQuiet = true
        let before = sequences()
        for replicator in replicators.shuffled(using: &simulation.random) {
            replicator.start(isContinuous: false)
            wait("r\(replicator.number) does not end", .seconds(600)) { !replicator.isRunning }
            if let error = replicator.runner?.error { fail("r\(replicator.number) ends with \(error)") }
            // A revision that conflicts with a document that was purged locally is proposed again each time.
            if replicator.totalDocuments > 0, eventLog.purged.isEmpty { isQuiet = false }
        }
        simulation.run(for: .seconds(1))
        return isQuiet && sequences() == before
    }

    private func sequences() -> [UInt64] {
        var result: [UInt64] = []
        attempt("reading sequences") {
            for node in nodes {
                for id in options.collections { result.append(try node.database.collection(id).lastSequence()) }
            }
        }
        return result
    }

    private func wait(_ failure: String, _ limit: Duration, until isDone: () -> Bool) {
        do {
            try simulation.run(within: limit, until: isDone)
        } catch {
            fail("\(failure): \(error)")
        }
    }
}
