#if Replication
import NIOCore
import Synchronization
import Transport

/// Counts and limits the connections of a server. Clients that do nothing cannot block others: their connections are closed first, those of the
/// address that has most of them. If all are busy, the address with most connections gives one to a client of an address that has fewer.
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
                evicted = state.oldestOfLargest { $0.activity.mayBeClosed } ?? state.shared(with: address)
                guard evicted != nil else { return (false, nil) }
            } else if state.entries.count >= options.maximumUnusedConnections,
                state.entries.values.count(where: { $0.activity == .unused }) >= options.maximumUnusedConnections
            {
                evicted = state.oldestOfLargest { $0.activity == .unused }
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

    /// Returns the oldest connection that is wanted, of the address that has most connections of those that have such a one.
    fileprivate func oldestOfLargest(where isWanted: (ConnectionTable.Entry) -> Bool) -> ConnectionTable.Entry? {
        entries.values.filter(isWanted).min { (-count(of: $0.address), $0.number) < (-count(of: $1.address), $1.number) }
    }

    /// Returns the connection that the address with most connections must give to another address; `nil` if that would have as many then.
    fileprivate func shared(with address: ClientAddress) -> ConnectionTable.Entry? {
        guard let largest = counts.max(by: { $0.value < $1.value }), count(of: address) + 1 < largest.value else { return nil }
        return oldest { $0.address == largest.key }
    }

    private func count(of address: ClientAddress) -> Int { counts[address] ?? 0 }

    fileprivate mutating func remove(_ id: ObjectIdentifier) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        let rest = counts[entry.address, default: 1] - 1
        counts[entry.address] = rest > 0 ? rest : nil
    }
}
#endif
