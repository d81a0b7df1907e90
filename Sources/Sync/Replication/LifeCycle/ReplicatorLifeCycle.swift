package import SyncCore

/// The state machine of a replicator: connections, delays between them, and when to stop retrying (Replication 4.11).
///
/// It does no I/O: it takes events and returns actions. There is at most one connection and one timer at a time. The owner performs the
/// actions and must deliver an ``Event/ended(_:)`` for each connection.
package struct ReplicatorLifeCycle: Sendable {
    /// The options, which do not change during the life of a replicator.
    package struct Options: Sendable {
        /// Whether the replicator keeps running when everything has been replicated.
        package var isContinuous: Bool
        /// The maximum number of consecutive attempts to connect, including the first one; at least 1.
        package var maximumAttempts: UInt
        /// The maximum delay between two attempts, in milliseconds.
        package var maximumWait: Int64

        /// Creates options. There is at least one attempt, and a negative delay counts as none.
        package init(isContinuous: Bool, maximumAttempts: UInt, maximumWait: Int64) {
            self.isContinuous = isContinuous
            self.maximumAttempts = max(maximumAttempts, 1)
            self.maximumWait = max(maximumWait, 0)
        }
    }

    /// An event that a replicator handles.
    package enum Event: Sendable, Equatable {
        /// The app starts the replicator.
        case start
        /// The app stops the replicator, also while it is offline.
        case stop
        /// Disconnects without stopping the replicator, for example when the app moves to the background.
        case suspend
        /// Ends the effect of ``suspend``: connects again at once if the replicator was running.
        case resume
        /// The app requests an immediate attempt to connect.
        case retry
        /// Whether the target is reachable, as far as the system knows.
        case reachability(isReachable: Bool)
        /// The connection is open and is busy or idle.
        ///
        /// - Parameter hasProgressed: Whether documents were replicated over this connection.
        case connected(isBusy: Bool, hasProgressed: Bool)
        /// The connection has ended or could not be opened. `nil` if both sides completed their work.
        case ended(SyncError?)
        /// The number of conflicts being resolved.
        case resolving(count: Int)
        /// The time set by ``Action/setTimer(_:)`` has elapsed.
        case timerFired
    }

    /// An action that the owner must perform.
    package enum Action: Sendable, Equatable {
        /// Opens a connection. ``Event/ended(_:)`` reports its end.
        case connect
        /// Closes the connection normally.
        case close
        /// Closes the connection immediately.
        case abort
        /// Delivers ``Event/timerFired`` after this number of milliseconds.
        case setTimer(Int64)
        /// Cancels the timer, if it is set.
        case cancelTimer
        /// Notifies listeners that ``level`` or ``error`` has changed.
        case report
    }

    /// The activity level reported to listeners.
    package enum Level: UInt8, Sendable, Comparable {
        /// The levels, from the least to the most active, with the numbers of Replication 4.12.
        case stopped, offline, connecting, idle, busy

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The reason why a connection is being closed.
    enum Ending: Equatable {
        case stop, suspend
        /// The replicator was suspended and resumed again before the connection was closed.
        case reconnect
    }

    /// The state that follows a connection.
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
        /// The connection has ended, but conflicts are still being resolved.
        case settling(Outcome)
        case waitingForTimer
        case waitingForNetwork
        case suspended
    }

    /// The maximum time for closing a connection normally, in milliseconds. Longer than the time for saving checkpoints and the time a
    /// channel waits for its peer together, five seconds each (Replication 1.8, 4.2).
    static let closeTimeout: Int64 = 15_000

    /// The options with which the replicator was created.
    package let options: Options
    var state = State.stopped
    var retryCount: UInt = 0
    var isReachable = true
    var resolving = 0
    /// Whether a timer for closing the connection is set.
    var isTimerSet = false
    /// The error because of which the replicator is stopped or offline.
    package private(set) var error: SyncError?
    private var reported: (level: Level, error: SyncError?) = (.stopped, nil)

    package init(options: Options) { self.options = options }

    /// The level to report to listeners.
    package var level: Level {
        switch state {
        case .stopped: .stopped
        case .connecting: .connecting
        case .connected(let isBusy): isBusy || resolving > 0 || !options.isContinuous ? .busy : .idle
        // There is no separate level for stopping.
        case .ending: max(reported.level, .connecting)
        case .settling: .busy
        case .waitingForTimer, .waitingForNetwork, .suspended: .offline
        }
    }

    /// The number of consecutive attempts to connect.
    package struct Attempts: Sendable, Equatable {
        /// The number of attempts that have failed since the last progress.
        package let made: UInt
        /// The maximum number of attempts.
        package let maximum: UInt
    }

    /// The attempts that have failed. It is current when the next attempt has been scheduled.
    package var attempts: Attempts { Attempts(made: retryCount, maximum: options.maximumAttempts) }

    /// Whether the replicator can be stopped.
    package var isRunning: Bool { state != .stopped }

    /// Handles an event. An event that does not apply to the current state is ignored.
    ///
    /// - Returns: The actions to perform, in order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .start: start(&actions)
        case .stop: leave(for: .stop, &actions)
        case .suspend: leave(for: .suspend, &actions)
        case .resume: resume(&actions)
        case .retry: retryNow(&actions)
        case .reachability(let isReachable):
            self.isReachable = isReachable
            if isReachable { retryNow(&actions) }
        case .connected(let isBusy, let hasProgressed): connected(isBusy: isBusy, hasProgressed: hasProgressed)
        case .ended(let error): ended(error, &actions)
        case .resolving(let count):
            resolving = count
            finishSettling(&actions)
        case .timerFired: timerFired(&actions)
        }
        if level != reported.level || error != reported.error {
            reported = (level, error)
            actions.append(.report)
        }
        return actions
    }

    mutating func connect(_ actions: inout [Action]) {
        state = .connecting
        error = nil
        actions.append(.connect)
    }

    /// Changes the state together with the error to report.
    mutating func enter(_ state: State, error: SyncError?) {
        self.state = state
        self.error = error
    }
}
