#if Replication
import SyncCore
import DocumentStore
import Replication
import Synchronization

/// The connections of a listener, each with a passive session.
final class PassiveConnections: Sendable {
    private struct State {
        var drivers: [Int: (driver: SessionDriver, queue: DispatchQueue, isBusy: Bool)] = [:]
        var lastNumber = 0
        var isStopping = false
    }

    private let state = Mutex(State())
    /// The group is left by every connection that has ended.
    private let group = DispatchGroup()

    /// The number of connections, and the number of busy ones.
    var counts: (all: Int, busy: Int) {
        state.withLock { ($0.drivers.count, $0.drivers.values.count { $0.isBusy }) }
    }

    /// Serves a client.
    ///
    /// - Parameters:
    ///   - begins: Called with the number of the connection, before anything is reported. It is not called if the listener was stopped: the
    ///     channel is cancelled then.
    ///   - report: Called with the reports of the session, on a queue of the connection, including an end if the file cannot be read.
    func add(
        _ channel: any FrameChannel,
        _ file: DatabaseFile,
        _ options: PassiveOptions,
        begins: (Int) -> Void = { _ in },
        report: @escaping @Sendable (Int, SessionReport) -> Void = { _, _ in }
    ) {
        let queue = DispatchQueue(label: "CouchbaseLite.listener.connection")
        ActivityQueue.mark(queue, for: self)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let driver = SessionDriver(
            Session.passive(ReplicaDatabase(file), options),
            on: channel,
            queue: queue,
            clock: SystemSteadyClock(),
            opened: { _ in },
            report: { [self] in
                receive($0, number)
                report(number, $0)
            }
        )
        let isServed = state.withLock { state in
            guard !state.isStopping else { return false }
            state.drivers[number] = (driver, queue, false)
            group.enter()
            return true
        }
        guard isServed else { return channel.cancel() }
        begins(number)
        do {
            try driver.start(watching: options.collections, of: file)
        } catch {
            channel.cancel()
            queue.async { [self] in
                end(number)
                report(number, .ended(SyncError(error)))
            }
        }
    }

    private func receive(_ report: SessionReport, _ number: Int) {
        switch report {
        case .status(let status): state.withLock { $0.drivers[number]?.isBusy = status.isBusy }
        case .ended: end(number)
        case .documents, .conflict: break
        }
    }

    private func end(_ number: Int) {
        let ended = state.withLock { $0.drivers.removeValue(forKey: number) }
        if ended != nil { group.leave() }
    }

    /// Closes one connection in order.
    func close(_ number: Int) {
        guard let (driver, queue, _) = state.withLock({ $0.drivers[number] }) else { return }
        queue.async { driver.stop() }
    }

    /// Rejects new connections, and closes the existing ones.
    ///
    /// - Parameter completion: Called when all connections have ended.
    func stop(_ completion: @escaping @Sendable () -> Void) {
        let numbers = state.withLock { state in
            state.isStopping = true
            return Array(state.drivers.keys)
        }
        for number in numbers { close(number) }
        group.notify(queue: .global(), execute: completion)
    }
}
#endif
