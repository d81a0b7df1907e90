import SyncCore
import Testing

@testable import Replication

private let refused = SyncError(.webSocket, 503, "busy")
private let unreachable = SyncError(.network, NetworkCode.unknownHost.rawValue)
private let unauthorized = SyncError(.webSocket, 401)

@Suite("Replicator life cycle transitions")
struct LifeCycleTableTests {
    /// A continuous replicator in each state.
    static let states: [(String, ReplicatorLifeCycle)] = {
        func after(_ events: ReplicatorLifeCycle.Event...) -> ReplicatorLifeCycle {
            var cycle = ReplicatorLifeCycle(options: .init(isContinuous: true, maximumAttempts: .max, maximumWait: 300_000))
            for event in events { _ = cycle.handle(event) }
            return cycle
        }
        let connected = ReplicatorLifeCycle.Event.connected(isBusy: true, hasProgressed: true)
        let offline = ReplicatorLifeCycle.Event.reachability(isReachable: false)
        return [
            ("stopped", after()),
            ("connecting", after(.start)),
            ("busy", after(.start, connected)),
            ("idle", after(.start, .connected(isBusy: false, hasProgressed: true))),
            ("stopping", after(.start, connected, .stop)),
            ("suspending", after(.start, connected, .suspend)),
            ("reconnecting", after(.start, connected, .suspend, .resume)),
            ("settling to stop", after(.start, connected, .resolving(count: 1), .ended(nil))),
            ("settling to retry", after(.start, connected, .resolving(count: 1), .ended(refused))),
            ("settling to wait", after(.start, offline, connected, .resolving(count: 1), .ended(unreachable))),
            ("settling to suspend", after(.start, connected, .resolving(count: 1), .suspend, .ended(nil))),
            ("settling to reconnect", after(.start, connected, .resolving(count: 1), .suspend, .resume, .ended(nil))),
            ("timer", after(.start, .ended(refused))),
            ("no network", after(.start, offline, .ended(unreachable))),
            ("suspended", after(.start, .suspend, .ended(nil))),
        ]
    }()

    /// The result of an event, as a line.
    private func line(_ cycle: ReplicatorLifeCycle, _ event: ReplicatorLifeCycle.Event) -> String {
        var cycle = cycle
        let before = cycle.state
        let actions = cycle.handle(event).map { action in
            switch action {
            case .connect: "connect"
            case .close: "close"
            case .abort: "abort"
            case .setTimer(let time): "timer \(time)"
            case .cancelTimer: "cancel timer"
            case .report: "report \(cycle.level)" + (cycle.error.map { " \($0.domain.rawValue) \($0.code)" } ?? "")
            }
        }
        let state =
            switch cycle.state {
            case before: "-"
            case .stopped: "stopped"
            case .connecting: "connecting"
            case .connected(let isBusy): isBusy ? "busy" : "idle"
            case .ending(.stop): "stopping"
            case .ending(.suspend): "suspending"
            case .ending(.reconnect): "reconnecting"
            case .settling(.stopped): "settling to stop"
            case .settling(.retry): "settling to retry"
            case .settling(.waitForNetwork): "settling to wait"
            case .settling(.suspended): "settling to suspend"
            case .settling(.reconnect): "settling to reconnect"
            case .waitingForTimer: "timer"
            case .waitingForNetwork: "no network"
            case .suspended: "suspended"
            }
        return ([state] + actions).joined(separator: ", ")
    }

    private func check(
        _ event: ReplicatorLifeCycle.Event,
        _ expected: [String: String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (name, cycle) in Self.states {
            #expect(line(cycle, event) == expected[name] ?? "-", "\(event) in the state \(name)", sourceLocation: sourceLocation)
        }
        let names = Set(Self.states.map(\.0))
        #expect(names.isSuperset(of: expected.keys), sourceLocation: sourceLocation)
    }

    @Test("a start event connects a stopped replicator and is ignored in other states")
    func start() {
        check(.start, ["stopped": "connecting, connect, report connecting"])
    }

    @Test("a stop event closes a connection gracefully and stops a waiting replicator at once")
    func stop() {
        check(
            .stop,
            [
                "connecting": "stopping, abort",
                "busy": "stopping, close, timer 15000",
                "idle": "stopping, close, timer 15000",
                "suspending": "stopping",
                "reconnecting": "stopping",
                "settling to retry": "settling to stop",
                "settling to wait": "settling to stop",
                "settling to suspend": "settling to stop",
                "settling to reconnect": "settling to stop",
                "timer": "stopped, cancel timer, report stopped",
                "no network": "stopped, report stopped",
                "suspended": "stopped, report stopped",
            ]
        )
    }

    @Test("a suspend event closes a connection and makes a waiting replicator suspended")
    func suspend() {
        check(
            .suspend,
            [
                "connecting": "suspending, abort",
                "busy": "suspending, close, timer 15000",
                "idle": "suspending, close, timer 15000",
                "reconnecting": "suspending",
                "settling to retry": "settling to suspend",
                "settling to wait": "settling to suspend",
                "settling to reconnect": "settling to suspend",
                "timer": "suspended, cancel timer, report offline",
                "no network": "suspended, report offline",
            ]
        )
    }

    @Test("a resume event reconnects a suspended replicator")
    func resume() {
        check(
            .resume,
            [
                "suspending": "reconnecting",
                "settling to suspend": "settling to reconnect",
                "suspended": "connecting, connect, report connecting",
            ]
        )
    }

    @Test(
        "a retry event or a reachable network makes a waiting replicator connect at once",
        arguments: [
            ReplicatorLifeCycle.Event.retry, .reachability(isReachable: true),
        ]
    )
    func retry(_ event: ReplicatorLifeCycle.Event) {
        check(
            event,
            [
                "settling to retry": "settling to reconnect",
                "settling to wait": "settling to reconnect",
                "timer": "connecting, cancel timer, connect, report connecting",
                "no network": "connecting, connect, report connecting",
            ]
        )
    }

    @Test("an unreachable network changes no state")
    func unreachableNetwork() {
        check(.reachability(isReachable: false), [:])
    }

    @Test("a connected event reports the busy or idle state")
    func connected() {
        check(.connected(isBusy: true, hasProgressed: false), ["connecting": "busy, report busy", "idle": "busy, report busy"])
        check(.connected(isBusy: false, hasProgressed: false), ["connecting": "idle, report idle", "busy": "idle, report idle"])
    }

    @Test("a connection that ends without an error stops the replicator")
    func ended() {
        check(
            .ended(nil),
            [
                "connecting": "stopped, report stopped",
                "busy": "stopped, report stopped",
                "idle": "stopped, report stopped",
                "stopping": "stopped, cancel timer, report stopped",
                "suspending": "suspended, cancel timer, report offline",
                "reconnecting": "connecting, cancel timer, connect, report connecting",
            ]
        )
    }

    @Test("a transient error schedules another attempt")
    func transientError() {
        check(
            .ended(refused),
            [
                "connecting": "timer, timer 2000, report offline WebSocket 503",
                "busy": "timer, timer 2000, report offline WebSocket 503",
                "idle": "timer, timer 2000, report offline WebSocket 503",
                "stopping": "stopped, cancel timer, report stopped",
                "suspending": "suspended, cancel timer, report offline",
                "reconnecting": "connecting, cancel timer, connect, report connecting",
            ]
        )
    }

    @Test("a permanent error stops the replicator")
    func permanentError() {
        check(
            .ended(unauthorized),
            [
                "connecting": "stopped, report stopped WebSocket 401",
                "busy": "stopped, report stopped WebSocket 401",
                "idle": "stopped, report stopped WebSocket 401",
                "stopping": "stopped, cancel timer, report stopped",
                "suspending": "suspended, cancel timer, report offline",
                "reconnecting": "connecting, cancel timer, connect, report connecting",
            ]
        )
    }

    @Test("the pending transition happens after the last conflict is resolved")
    func resolved() {
        check(
            .resolving(count: 0),
            [
                "settling to stop": "stopped, report stopped",
                "settling to retry": "timer, timer 2000, report offline WebSocket 503",
                "settling to wait": "no network, report offline Network 2",
                "settling to suspend": "suspended, report offline",
                "settling to reconnect": "connecting, connect, report connecting",
            ]
        )
    }

    @Test("an idle replicator reports busy while conflicts are being resolved")
    func resolving() {
        check(.resolving(count: 2), ["idle": "-, report busy"])
    }

    @Test("a timer starts the next attempt, or aborts a connection that does not close in time")
    func timer() {
        check(
            .timerFired,
            [
                "stopping": "-, abort",
                "suspending": "-, abort",
                "reconnecting": "-, abort",
                "timer": "connecting, connect, report connecting",
            ]
        )
    }
}
