import BLIP
import DocumentStore
import Replication
import TestSupport

/// Databases that replicate with one another while they are edited and everything goes wrong; and then are left in peace.
///
/// All follows from the seed. What must be true in the end is looked at in `World+Checks`.
package final class World {
    package let seed: UInt64
    package let options: WorldOptions
    let simulation: Simulation
    private(set) var nodes: [WorldNode] = []
    private(set) var replicators: [WorldReplicator] = []
    var ledger = WorldLedger()
    /// Whether nothing goes wrong any more.
    private(set) var isHealed = false
    /// What should not have happened.
    package private(set) var findings: [String] = []
    private let log: ((String) -> Void)?

    /// Lets the world of a seed run.
    ///
    /// - Parameters:
    ///   - log: Is told what happens, down to the messages.
    ///   - checksBundles: Whether an independent checker looks at the bundles, too.
    /// - Returns: What should not have happened.
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

    // MARK: What is said

    func say(_ text: @autoclosure () -> String) {
        log?("\(simulation.now.components.seconds).\(simulation.now.components.attoseconds / 100_000_000_000_000) \(text())")
    }

    func fail(_ text: String) {
        say("FINDING: \(text)")
        if findings.count < 10 { findings.append(text) }
    }

    /// Does what must not fail.
    func attempt(_ what: String, _ work: () throws -> Void) {
        do {
            try work()
        } catch {
            fail("\(what): \(error)")
        }
    }

    // MARK: Life

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

    /// A link for a replicator, with the faults that it will have; nil when there is no way.
    func link(_ number: Int) -> SimulatedLink? {
        let replicator = replicators[number]
        let faults = isHealed ? WorldOptions.Faults() : options.faults
        guard !replicator.target.isDown, !simulation.random.chance(faults.refusal) else { return nil }
        var properties = SimulatedLink.Properties()
        properties.latency = .microseconds(simulation.random.pick([10, 1000, 20_000, 150_000]))
        properties.jitter = simulation.random.chance(50) ? properties.latency : .zero
        properties.lineSize = simulation.random.pick([65_536, 65_536, 3000, 100])
        if options.isSlow { properties.bytesPerSecond = simulation.random.pick([3000, 20_000, 200_000]) }
        let link = SimulatedLink(simulation, properties, subprotocol: "BLIP_3+CBMobile_\(replicator.options.protocolVersion)")
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

    /// How many rounds of replications there may be until nothing is left to be done.
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
        if replicators.allSatisfy(\.options.isContinuous), ledger.purged.isEmpty,
            !replicators.contains(where: { $0.options.resolver == .failing })
        {
            goOn()
        }
        for replicator in replicators { replicator.stop() }
        wait("a replicator does not stop", .seconds(60)) { [unowned self] in
            replicators.allSatisfy { !$0.isRunning }
        }
        for round in 1...Self.maximumRounds {
            guard findings.isEmpty else { return }
            say("--- round \(round)")
            if isQuiet() { return }
        }
        fail("there is no end of replicating")
    }

    /// Continuous replicators bring everything about without being started anew.
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

    /// Runs every replicator once, until it stops of itself. Whether there was nothing to be done.
    private func isQuiet() -> Bool {
        var isQuiet = true
        let before = sequences()
        for replicator in replicators.shuffled(using: &simulation.random) {
            replicator.start(isContinuous: false)
            wait("r\(replicator.number) does not end", .seconds(600)) { !replicator.isRunning }
            if let error = replicator.runner?.error { fail("r\(replicator.number) ends with \(error)") }
            // What conflicts with a document that was purged here is proposed for ever.
            if replicator.totalDocuments > 0, ledger.purged.isEmpty { isQuiet = false }
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
