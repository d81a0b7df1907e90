#if Replication
import NIOCore
import Synchronization
import Transport

/// What the connections of a server share.
final class ConnectionContext: Sendable {
    let options: WebServerOptions
    let handler: any WebHandler
    let table: ConnectionTable
    let threads: RequestThreads
    let budget: BodyBudget
    let responseBudget: BodyBudget

    init(_ options: WebServerOptions, _ handler: any WebHandler) {
        self.options = options
        self.handler = handler
        table = ConnectionTable(options)
        threads = RequestThreads(count: options.threadCount)
        budget = BodyBudget(bytes: options.maximumBodyMemory)
        responseBudget = BodyBudget(bytes: options.maximumResponseMemory)
    }
}

/// Counts and limits the connections of a server. Clients that do nothing cannot block others: their connections are closed first.
final class ConnectionTable: Sendable {
    /// What a connection is doing.
    enum Activity: Sendable {
        /// It has sent no complete head of a request yet.
        case unused
        /// A request is being received or responded to.
        case busy
        /// It waits for the next request.
        case idle
        /// It is a WebSocket.
        case webSocket

        fileprivate var mayBeClosed: Bool { self == .unused || self == .idle }
    }

    fileprivate struct Entry {
        let channel: any Channel
        let address: ClientAddress
        var activity = Activity.unused
        /// The number of the last change of the activity, for the order.
        var number: Int
    }

    fileprivate struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var counts: [ClientAddress: Int] = [:]
        var lastNumber = 0
        var isStopping = false
    }

    private let options: WebServerOptions
    private let state = Mutex(State())

    init(_ options: WebServerOptions) { self.options = options }

    /// The number of connections.
    var count: Int { state.withLock { $0.entries.count } }

    /// The channels of all connections.
    var all: [any Channel] { state.withLock { $0.entries.values.map(\.channel) } }

    /// Whether the server is stopping, so that no connection is kept for another request.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Registers a new connection. Returns `false` if it must be closed: the server is stopping, or there are too many busy connections.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let address = ClientAddress(channel.remoteAddress)
        let (isAccepted, evicted) = state.withLock { state -> (Bool, (any Channel)?) in
            guard !state.isStopping else { return (false, nil) }
            var evicted: Entry?
            if state.counts[address, default: 0] >= options.maximumConnectionsPerAddress {
                evicted = state.oldest { $0.activity.mayBeClosed && $0.address == address }
                guard evicted != nil else { return (false, nil) }
            } else if state.entries.count >= options.maximumConnections {
                evicted = state.oldest { $0.activity.mayBeClosed }
                guard evicted != nil else { return (false, nil) }
            } else if state.entries.count >= options.maximumUnusedConnections,
                state.entries.values.count(where: { $0.activity == .unused }) >= options.maximumUnusedConnections
            {
                evicted = state.oldest { $0.activity == .unused }
            }
            if let evicted { state.remove(ObjectIdentifier(evicted.channel)) }
            state.lastNumber += 1
            state.entries[id] = Entry(channel: channel, address: address, number: state.lastNumber)
            state.counts[address, default: 0] += 1
            return (true, evicted?.channel)
        }
        evicted?.close(promise: nil)
        if isAccepted { channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.remove(id) } } }
        return isAccepted
    }

    /// Records what a connection is doing. Returns `false` if the connection is not in the table any more, and is being closed.
    @discardableResult
    func set(_ activity: Activity, of channel: any Channel) -> Bool {
        state.withLock { state in
            guard state.entries[ObjectIdentifier(channel)] != nil else { return false }
            state.lastNumber += 1
            state.entries[ObjectIdentifier(channel)]?.activity = activity
            state.entries[ObjectIdentifier(channel)]?.number = state.lastNumber
            return true
        }
    }

    /// Accepts no more connections. Returns those that do nothing and those that are busy.
    func beginStopping() -> (unused: [any Channel], busy: [any Channel]) {
        state.withLock { state in
            state.isStopping = true
            let all = state.entries.values
            return (all.filter { $0.activity.mayBeClosed }.map(\.channel), all.filter { !$0.activity.mayBeClosed }.map(\.channel))
        }
    }
}

extension ConnectionTable.State {
    fileprivate func oldest(where isWanted: (ConnectionTable.Entry) -> Bool) -> ConnectionTable.Entry? {
        entries.values.filter(isWanted).min { $0.number < $1.number }
    }

    fileprivate mutating func remove(_ id: ObjectIdentifier) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        let rest = counts[entry.address, default: 1] - 1
        counts[entry.address] = rest > 0 ? rest : nil
    }
}
#endif
