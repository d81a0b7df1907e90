import SyncCore
import TestSupport
import Testing

@testable import Replication

/// The environment of a life cycle: it performs actions, and checks that they are possible.
private struct World {
    var cycle: ReplicatorLifeCycle
    var hasConnection = false
    var isClosing = false
    var hasTimer = false
    var resolving = 0
    var stopWasAsked = false
    var reported = ReplicatorLifeCycle.Level.stopped

    mutating func handle(_ event: ReplicatorLifeCycle.Event) {
        for action in cycle.handle(event) {
            switch action {
            case .connect:
                #expect(!hasConnection, "two connections")
                #expect(!stopWasAsked, "a connection after stop")
                (hasConnection, isClosing) = (true, false)
            case .close, .abort:
                #expect(hasConnection, "the end of no connection")
                isClosing = true
            case .setTimer(let time):
                #expect(!hasTimer, "two timers")
                #expect(time > 0)
                hasTimer = true
            case .cancelTimer:
                #expect(hasTimer, "the end of no timer")
                hasTimer = false
            case .report:
                reported = cycle.level
            }
        }
        #expect(reported == cycle.level, "a level that was not told")
        if cycle.level == .stopped || cycle.level == .offline { #expect(!hasConnection) }
        if cycle.level == .connecting || cycle.level == .idle { #expect(hasConnection) }
        if cycle.level == .stopped { #expect(!hasTimer && resolving == 0) }
    }

    mutating func end(_ error: SyncError?) {
        hasConnection = false
        handle(.ended(error))
    }

    mutating func fireTimer() {
        hasTimer = false
        handle(.timerFired)
    }

    mutating func resolve(_ count: Int) {
        resolving = count
        handle(.resolving(count: count))
    }
}

@Suite("Replicator life cycle with random events")
struct LifeCycleSequenceTests {
    private static let errors: [SyncError?] = [
        nil, SyncError(.webSocket, 503), SyncError(.webSocket, 401), SyncError(.network, 2),
        SyncError(.webSocket, 1001),
        SyncError(.liteCore, 10), SyncError(.posix, 104),
    ]

    @Test(
        "a replicator has at most one connection and one timer, and always reaches the stopped state after a stop",
        arguments: [false, true]
    )
    func randomEvents(isContinuous: Bool) {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        for run in 0..<2000 {
            var world = World(
                cycle: ReplicatorLifeCycle(
                    options: .init(isContinuous: isContinuous, maximumAttempts: .random(in: 0...4, using: &random), maximumWait: 5000)
                )
            )
            for _ in 0..<Int.random(in: 1...40, using: &random) { step(&world, &random) }
            finish(&world)
            #expect(world.cycle.level == .stopped, "run \(run) of seed \(seed)")
        }
    }

    /// Performs one possible event.
    private func step(_ world: inout World, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1:
            // A stopped replicator may be started again.
            if world.cycle.level == .stopped { world.stopWasAsked = false }
            world.handle(.start)
        case 2:
            world.stopWasAsked = true
            world.handle(.stop)
        case 3: world.handle(.suspend)
        case 4: world.handle(.resume)
        case 5: world.handle(.retry)
        case 6: world.handle(.reachability(isReachable: .random(using: &random)))
        case 7, 8, 9:
            guard world.hasConnection, !world.isClosing else { return }
            world.handle(.connected(isBusy: .random(using: &random), hasProgressed: .random(using: &random)))
        case 10, 11: if world.hasConnection { world.end(Self.errors.randomElement(using: &random) ?? nil) }
        case 12: if world.hasTimer { world.fireTimer() }
        default:
            guard world.hasConnection || world.resolving > 0 else { return }
            world.resolve(world.resolving > 0 ? Int.random(in: 0..<world.resolving, using: &random) : 2)
        }
    }

    /// Stops it, and performs the events that must follow.
    private func finish(_ world: inout World) {
        world.stopWasAsked = true
        world.handle(.stop)
        // The peer does not reply, so the timer aborts the connection.
        if world.hasConnection, world.hasTimer { world.fireTimer() }
        if world.hasConnection { world.end(SyncError(.webSocket, 1006)) }
        world.resolve(0)
    }
}
