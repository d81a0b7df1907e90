import SyncCore
import Testing

@testable import Replication

private let refused = SyncError(.webSocket, 503)

@Suite("Replicator retries")
struct RetryTests {
    private func cycle(continuous: Bool = true, attempts: UInt = .max, wait: Int64 = 300_000) -> ReplicatorLifeCycle {
        ReplicatorLifeCycle(options: .init(isContinuous: continuous, maximumAttempts: attempts, maximumWait: wait))
    }

    /// The delays after consecutive failed attempts.
    private func waits(_ cycle: inout ReplicatorLifeCycle, _ count: Int, error: SyncError = refused) -> [Int64] {
        var waits: [Int64] = []
        for _ in 0..<count {
            for case .setTimer(let time) in cycle.handle(.ended(error)) { waits.append(time) }
            _ = cycle.handle(.timerFired)
        }
        return waits
    }

    @Test("retry delays double up to the maximum")
    func doubling() {
        var cycle = cycle()
        _ = cycle.handle(.start)
        let seconds = waits(&cycle, 12).map { $0 / 1000 }
        #expect(seconds == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300])
    }

    @Test("retry delays of a continuous replicator never overflow, and retries never end")
    func longOutage() {
        var cycle = cycle(wait: .max)
        _ = cycle.handle(.start)
        let waits = waits(&cycle, 200)
        #expect(waits.count == 200)
        #expect(waits.allSatisfy { $0 > 0 })
    }

    @Test("the first retry delay does not exceed the maximum")
    func shortestWait() {
        var cycle = cycle(wait: 500)
        _ = cycle.handle(.start)
        #expect(waits(&cycle, 2) == [500, 500])
    }

    @Test("a one-shot replicator makes the allowed number of attempts, including the first", arguments: [1, 2, 10] as [UInt])
    func attempts(_ count: UInt) {
        var cycle = cycle(continuous: false, attempts: count)
        _ = cycle.handle(.start)
        #expect(waits(&cycle, 20).count == Int(count) - 1)
        #expect(cycle.level == .stopped)
        #expect(cycle.error == refused)
        // After another start, the number of attempts is the same.
        _ = cycle.handle(.start)
        #expect(waits(&cycle, 20).count == Int(count) - 1)
    }

    @Test("a connection resets the retry delay of a continuous replicator")
    func connectedAgain() {
        var cycle = cycle()
        _ = cycle.handle(.start)
        #expect(waits(&cycle, 3) == [2000, 4000, 8000])
        _ = cycle.handle(.connected(isBusy: true, hasProgressed: false))
        #expect(waits(&cycle, 1) == [2000])
    }

    @Test("only a connection with progress resets the retry delay of a one-shot replicator")
    func hopelessServer() {
        var cycle = cycle(continuous: false, attempts: 10)
        _ = cycle.handle(.start)
        #expect(waits(&cycle, 1) == [2000])
        _ = cycle.handle(.connected(isBusy: true, hasProgressed: false))
        #expect(waits(&cycle, 1) == [4000])
        _ = cycle.handle(.connected(isBusy: true, hasProgressed: true))
        #expect(waits(&cycle, 1) == [2000])
    }

    @Test("a network error stops a one-shot replicator and makes a continuous one wait for the network")
    func networkErrors() {
        let unreachable = SyncError(.network, NetworkCode.networkUnreachable.rawValue)
        var oneShot = cycle(continuous: false, attempts: 10)
        _ = oneShot.handle(.start)
        _ = oneShot.handle(.ended(unreachable))
        #expect(oneShot.level == .stopped)

        // The target is assumed to be reachable until the system reports otherwise.
        var continuous = cycle()
        _ = continuous.handle(.start)
        _ = continuous.handle(.reachability(isReachable: false))
        #expect(continuous.handle(.ended(unreachable)) == [.report])
        #expect(continuous.level == .offline)
        #expect(continuous.handle(.reachability(isReachable: true)) == [.connect, .report])
        #expect(continuous.handle(.ended(unreachable)) == [.setTimer(2000), .report])
    }

    @Test("a one-shot replicator without work reports busy instead of idle")
    func busyUntilEnd() {
        var cycle = cycle(continuous: false, attempts: 10)
        _ = cycle.handle(.start)
        _ = cycle.handle(.connected(isBusy: false, hasProgressed: true))
        #expect(cycle.level == .busy)
    }

    @Test(
        "timeouts, server overload and lost connections are transient errors",
        arguments: [
            SyncError(.webSocket, 408), SyncError(.http, 429), SyncError(.webSocket, 500), SyncError(.webSocket, 502),
            SyncError(.webSocket, 503), SyncError(.http, 504), SyncError(.webSocket, 1006),
            SyncError(.webSocket, 4001), SyncError(.network, 1), SyncError(.network, 3), SyncError(.network, 16),
            SyncError(.network, 17), SyncError(.network, 18), SyncError(.network, 19),
        ]
    )
    func transient(_ error: SyncError) {
        #expect(error.isTransient)
    }

    @Test(
        "client errors, protocol errors and unknown codes are not transient",
        arguments: [
            SyncError(.webSocket, 400), SyncError(.http, 401), SyncError(.webSocket, 403), SyncError(.webSocket, 404),
            SyncError(.webSocket, 407), SyncError(.webSocket, 1000), SyncError(.webSocket, 1001),
            SyncError(.webSocket, 1002),
            SyncError(.webSocket, 1009), SyncError(.webSocket, 1011), SyncError(.webSocket, 4002),
            SyncError(.network, 2), SyncError(.network, 6), SyncError(.network, 8), SyncError(.network, 11),
            SyncError(.network, 27), SyncError(.liteCore, 10), SyncError(.blip, 404), SyncError(.posix, -1),
            SyncError(.posix, Int.max), SyncError(.network, 0),
        ]
    )
    func permanent(_ error: SyncError) {
        #expect(!error.isTransient)
    }

    @Test("the network error codes that depend on the network are exactly 1-3 and 20-27")
    func dependsOnNetwork() {
        let codes = (1...27).filter { SyncError(.network, $0).isNetworkDependent }
        #expect(codes == [1, 2, 3, 20, 21, 22, 23, 24, 25, 26, 27])
        #expect(!SyncError(.webSocket, 1).isNetworkDependent)
    }
}
