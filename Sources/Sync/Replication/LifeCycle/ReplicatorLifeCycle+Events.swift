import SyncCore

extension ReplicatorLifeCycle {
    mutating func start(_ actions: inout [Action]) {
        guard state == .stopped else { return }
        retryCount = 0
        connect(&actions)
    }

    /// Stops or suspends the replicator: ends its connection, or its wait for the next one.
    mutating func leave(for reason: Ending, _ actions: inout [Action]) {
        let isStopping = reason == .stop
        switch state {
        case .stopped, .ending(.stop): break
        case .connecting:
            state = .ending(reason)
            actions.append(.abort)
        case .connected: close(for: reason, &actions)
        case .ending: state = .ending(reason)
        case .settling(.stopped) where !isStopping: break
        case .settling: state = .settling(isStopping ? .stopped(nil) : .suspended)
        case .waitingForTimer, .waitingForNetwork, .suspended:
            if state == .waitingForTimer { actions.append(.cancelTimer) }
            enter(isStopping ? .stopped : .suspended, error: nil)
        }
    }

    mutating func resume(_ actions: inout [Action]) {
        switch state {
        case .suspended:
            retryCount = 0
            connect(&actions)
        case .ending(.suspend): state = .ending(.reconnect)
        case .settling(.suspended): state = .settling(.reconnect)
        case .stopped, .connecting, .connected, .ending, .settling, .waitingForTimer, .waitingForNetwork: break
        }
    }

    /// Connects immediately if the replicator is waiting for its next attempt.
    mutating func retryNow(_ actions: inout [Action]) {
        switch state {
        case .waitingForTimer, .waitingForNetwork:
            if state == .waitingForTimer { actions.append(.cancelTimer) }
            connect(&actions)
        case .settling(.retry), .settling(.waitForNetwork): state = .settling(.reconnect)
        case .stopped, .connecting, .connected, .ending, .settling, .suspended: return
        }
        retryCount = 0
    }

    mutating func connected(isBusy: Bool, hasProgressed: Bool) {
        switch state {
        case .connecting, .connected:
            state = .connected(isBusy: isBusy)
            // A one-shot replicator must have made progress. Otherwise it would retry forever with a server that ends every connection
            // immediately.
            if options.isContinuous || hasProgressed { retryCount = 0 }
        case .stopped, .ending, .settling, .waitingForTimer, .waitingForNetwork, .suspended: break
        }
    }

    mutating func ended(_ error: SyncError?, _ actions: inout [Action]) {
        switch state {
        case .connecting, .connected: conclude(outcome(error), &actions)
        case .ending(let reason):
            if isTimerSet {
                isTimerSet = false
                actions.append(.cancelTimer)
            }
            switch reason {
            case .stop: conclude(.stopped(nil), &actions)
            case .suspend: conclude(.suspended, &actions)
            case .reconnect: conclude(.reconnect, &actions)
            }
        case .stopped, .settling, .waitingForTimer, .waitingForNetwork, .suspended: break
        }
    }

    mutating func timerFired(_ actions: inout [Action]) {
        switch state {
        case .waitingForTimer: connect(&actions)
        case .ending where isTimerSet:
            isTimerSet = false
            actions.append(.abort)
        case .stopped, .connecting, .connected, .ending, .settling, .waitingForNetwork, .suspended: break
        }
    }

    /// Returns what follows a connection that ended without being stopped or suspended.
    private func outcome(_ error: SyncError?) -> Outcome {
        guard let error else { return .stopped(nil) }
        let isTransient = error.isTransient
        guard isTransient || (options.isContinuous && error.isNetworkDependent) else { return .stopped(error) }
        // The first attempt counts too.
        guard retryCount < options.maximumAttempts - 1 else { return .stopped(error) }
        return isTransient || isReachable ? .retry(error) : .waitForNetwork(error)
    }

    private mutating func conclude(_ outcome: Outcome, _ actions: inout [Action]) {
        state = .settling(outcome)
        finishSettling(&actions)
    }

    /// Leaves the state `settling` when no conflicts are being resolved.
    mutating func finishSettling(_ actions: inout [Action]) {
        guard case .settling(let outcome) = state, resolving == 0 else { return }
        switch outcome {
        case .stopped(let error): enter(.stopped, error: error)
        case .retry(let error):
            retryCount += 1
            actions.append(.setTimer(wait))
            enter(.waitingForTimer, error: error)
        case .waitForNetwork(let error): enter(.waitingForNetwork, error: error)
        case .suspended: enter(.suspended, error: nil)
        case .reconnect:
            retryCount = 0
            connect(&actions)
        }
    }

    /// The delay before the next attempt in milliseconds: 2, 4, 8 … seconds, at most ``Options/maximumWait``.
    private var wait: Int64 { min(1000 << Int64(min(retryCount, 40)), options.maximumWait) }

    private mutating func close(for reason: Ending, _ actions: inout [Action]) {
        state = .ending(reason)
        isTimerSet = true
        actions += [.close, .setTimer(Self.closeTimeout)]
    }
}
