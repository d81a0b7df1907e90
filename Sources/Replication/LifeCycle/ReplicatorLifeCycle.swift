package import SyncCore

/// What a replicator is between its start and its end: connections, the time between them, and when to give up (Replication
/// 4.11).
///
/// Without I/O: it is told events, and says what is to be done. At any time there is at most one connection and at most one
/// timer, and whoever carries out the actions brings an ``Event/ended(_:)`` for each connection.
package struct ReplicatorLifeCycle: Sendable {
    /// What does not change while a replicator lives.
    package struct Options: Sendable {
        package var isContinuous: Bool
        /// How often in a row connecting is tried, the first time included; at least 1.
        package var maximumAttempts: UInt
        /// The longest wait between two attempts, in milliseconds.
        package var maximumWait: Int64

        package init(isContinuous: Bool, maximumAttempts: UInt, maximumWait: Int64) {
            self.isContinuous = isContinuous
            self.maximumAttempts = max(maximumAttempts, 1)
            self.maximumWait = max(maximumWait, 0)
        }
    }

    /// What happens to a replicator.
    package enum Event: Sendable, Equatable {
        case start
        case stop
        /// The app goes into the background, say: no connection is wanted, but the replicator is not to be over.
        case suspend
        case resume
        /// The app, or the user, does not want to wait for the next attempt.
        case retry
        /// Whether the target can be reached, as far as the system knows.
        case reachability(isReachable: Bool)
        /// The connection stands, and is busy or idle.
        ///
        /// - Parameter hasProgressed: Whether documents have gone through this connection.
        case connected(isBusy: Bool, hasProgressed: Bool)
        /// The connection is over, or there was none; nil when both sides are done.
        case ended(SyncError?)
        /// How many conflicts are being resolved.
        case resolving(count: Int)
        case timerFired
    }

    /// What is to be done.
    package enum Action: Sendable, Equatable {
        /// Makes a connection. Its end is told by ``Event/ended(_:)``.
        case connect
        /// Ends the connection in order.
        case close
        /// Breaks the connection off.
        case abort
        /// Has ``Event/timerFired`` told after that many milliseconds.
        case setTimer(Int64)
        case cancelTimer
        /// ``level`` or ``error`` have changed.
        case report
    }

    /// What listeners are told.
    package enum Level: UInt8, Sendable, Comparable {
        case stopped, offline, connecting, idle, busy

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What a connection is ended for.
    enum Ending: Equatable {
        case stop, suspend
        /// It was to be suspended, but resumed meanwhile.
        case reconnect
    }

    /// What comes after a connection.
    enum Outcome: Equatable {
        case stopped(SyncError?)
        case retry(SyncError)
        case waitForNetwork(SyncError)
        case suspended
        case reconnect
    }

    enum State: Equatable {
        case stopped
        case connecting
        case connected(isBusy: Bool)
        case ending(Ending)
        /// The connection is over, but conflicts are still being resolved.
        case settling(Outcome)
        case waitingForTimer
        case waitingForNetwork
        case suspended
    }

    /// How long a connection may take to end in order, in milliseconds: longer than a session takes to save its checkpoints and a
    /// channel waits for its peer together, five seconds each (Replication 1.8, 4.2).
    static let closeTimeout: Int64 = 15_000

    package let options: Options
    var state = State.stopped
    var retryCount: UInt = 0
    var isReachable = true
    var resolving = 0
    /// Whether the end of a connection is being waited for with a timer.
    var isTimerSet = false
    /// Why it is stopped or offline.
    package private(set) var error: SyncError?
    private var reported: (level: Level, error: SyncError?) = (.stopped, nil)

    package init(options: Options) {
        self.options = options
    }

    /// What listeners are to be told.
    package var level: Level {
        switch state {
        case .stopped: .stopped
        case .connecting: .connecting
        case .connected(let isBusy): isBusy || resolving > 0 || !options.isContinuous ? .busy : .idle
        // Stopping is no level of its own.
        case .ending: max(reported.level, .connecting)
        case .settling: .busy
        case .waitingForTimer, .waitingForNetwork, .suspended: .offline
        }
    }

    /// Whether there is anything to stop.
    package var isRunning: Bool { state != .stopped }

    /// Takes an event; what it does not apply to is ignored.
    ///
    /// - Returns: What is to be done, in order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .start: start(&actions)
        case .stop: stop(&actions)
        case .suspend: suspend(&actions)
        case .resume: resume(&actions)
        case .retry: retryNow(&actions)
        case .reachability(let isReachable):
            self.isReachable = isReachable
            if isReachable { retryNow(&actions) }
        case .connected(let isBusy, let hasProgressed): connected(isBusy: isBusy, hasProgressed: hasProgressed)
        case .ended(let error): ended(error, &actions)
        case .resolving(let count):
            resolving = count
            settle(&actions)
        case .timerFired: timerFired(&actions)
        }
        if level != reported.level || error != reported.error {
            reported = (level, error)
            actions.append(.report)
        }
        return actions
    }

    /// Begins an attempt.
    mutating func connect(_ actions: inout [Action]) {
        state = .connecting
        error = nil
        actions.append(.connect)
    }

    /// What is told from now on, which goes with an error.
    mutating func enter(_ state: State, error: SyncError?) {
        self.state = state
        self.error = error
    }
}
