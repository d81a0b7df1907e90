#if Replication
import Dispatch
package import DocumentStore
package import Replication
package import SyncCore
import Synchronization

/// The connections of a listener, each with a passive session.
package final class PassiveConnections: Sendable {
    private struct Connection {
        let driver: SessionDriver
        let channel: any FrameChannel
        let queue: DispatchQueue
        let collections: [CollectionID]
        var isBusy = false
    }

    private struct State {
        var drivers: [Int: Connection] = [:]
        var lastNumber = 0
        var isStopping = false
    }

    private let state = Mutex(State())
    /// The group is left by every connection that has ended.
    private let group = DispatchGroup()

    /// Creates an instance without connections.
    package init() {}

    /// The number of connections, and the number of busy ones.
    package var counts: (all: Int, busy: Int) {
        state.withLock { ($0.drivers.count, $0.drivers.values.count { $0.isBusy }) }
    }

    /// Serves a client. If the listener was stopped, the channel is cancelled, and nothing is reported.
    ///
    /// - Parameter report: Called with the reports of the session, on a queue of the connection, including an end if the file cannot be read.
    /// - Returns: Whether the client is served.
    @discardableResult
    package func add(
        _ channel: any FrameChannel,
        _ file: DatabaseFile,
        _ options: PassiveOptions,
        report: @escaping @Sendable (SessionReport) -> Void
    ) -> Bool {
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
            report: { [self] in
                receive($0, number)
                report($0)
            }
        )
        let isServed = state.withLock { state in
            guard !state.isStopping else { return false }
            state.drivers[number] = Connection(driver: driver, channel: channel, queue: queue, collections: options.collections)
            group.enter()
            return true
        }
        guard isServed else {
            channel.cancel()
            return false
        }
        do {
            try driver.start(watching: options.collections, of: file)
        } catch {
            queue.async { [self] in
                end(number)
                report(.ended(SyncError(error)))
            }
        }
        return true
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

    /// Notes that the rights of clients may have changed, so that their feeds are read again.
    package func accessChanged() {
        for connection in state.withLock({ Array($0.drivers.values) }) {
            connection.queue.async { connection.driver.accessChanged(to: connection.collections) }
        }
    }

    /// Rejects new connections, and closes the existing ones.
    ///
    /// - Parameters:
    ///   - code: The code with which the channels are closed, so that clients connect again later; `nil` ends the sessions normally.
    ///   - completion: Called when all connections have ended.
    package func stop(closingWith code: CloseCode? = nil, _ completion: @escaping @Sendable () -> Void) {
        let drivers = state.withLock { state in
            state.isStopping = true
            return Array(state.drivers.values)
        }
        for connection in drivers {
            connection.queue.async {
                if let code { connection.channel.close(code: code.rawValue, reason: "") } else { connection.driver.stop() }
            }
        }
        group.notify(queue: .global(), execute: completion)
    }
}

/// The connections that the app has accepted and passed to a listener, each with a passive session.
package final class AcceptedConnections: Sendable {
    private struct Accepted: Sendable {
        let connection: any Sendable
        let channel: MessageChannel
    }

    private let connections = PassiveConnections()
    /// The connections that were accepted and have not ended, by their channels.
    private let accepted = Mutex<[ObjectIdentifier: Accepted]>([:])

    package init() {}

    /// Closes a connection; others are ignored. Returns immediately.
    ///
    /// - Parameter connection: The object that was passed to ``serve(_:over:of:_:openFile:notify:)``.
    package func close(_ connection: AnyObject) { close { $0.connection as AnyObject === connection } }

    /// Closes all connections. Returns immediately.
    package func closeAll() { close { _ in true } }

    private func close(_ isClosed: (Accepted) -> Bool) {
        for closed in accepted.withLock({ $0.values.filter(isClosed) }) { closed.channel.close(code: 1000, reason: "") }
    }

    /// Serves a client over a connection of the app, until the connection or the database is closed.
    ///
    /// - Parameters:
    ///   - channel: The channel over the connection.
    ///   - connection: The connection, which must be an object.
    ///   - activities: The activities of the database, which wait for the client when the database is closed.
    ///   - openFile: Returns the open file of the database; `nil` if it is closed.
    ///   - notify: Called whenever the status changes, last with ``ReplicatorLifeCycle/Level/stopped``.
    package func serve(
        _ channel: MessageChannel,
        over connection: any Sendable,
        of activities: DatabaseActivities,
        _ options: PassiveOptions,
        openFile: () -> DatabaseFile?,
        notify: @escaping @Sendable (ReplicatorStatus) -> Void
    ) {
        // The channel can be closed at any time, also while this function is running.
        accepted.withLock { $0[ObjectIdentifier(channel)] = Accepted(connection: connection, channel: channel) }
        let stopped = { @Sendable [self] (error: SyncError?) in
            accepted.withLock { $0[ObjectIdentifier(channel)] = nil }
            notify(ReplicatorStatus(level: .stopped, progress: ReplicatorProgress(), error: error))
        }
        channel.works(for: connections)
        let activity = activities.begin(
            stop: { channel.close(code: 1000, reason: "") },
            isOfThisThread: { [connections] in ActivityQueue.isCurrent(for: connections) }
        )
        guard let activity, let file = openFile() else {
            if let activity { activities.end(activity) }
            stopped(SyncError(engine: .notOpen, "the database is closed"))
            return channel.cancel()
        }
        notify(ReplicatorStatus(level: .connecting, progress: ReplicatorProgress(), error: nil))
        connections.add(channel, file, options) { report in
            switch report {
            case .status(let status):
                notify(ReplicatorStatus(level: status.isBusy ? .busy : .idle, progress: ReplicatorProgress(status), error: nil))
            case .ended(let error):
                // The client decides when to close: the close code 1001 is not an error.
                let isNormal = error?.domain == .webSocket && error?.code == 1001
                stopped(isNormal ? nil : error)
                activities.end(activity)
            case .documents, .conflict: break
            }
        }
    }
}
#endif
