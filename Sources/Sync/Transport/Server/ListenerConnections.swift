#if Replication
package import NIOCore
import SyncCore
import Synchronization

/// Counts and limits the clients of a listener: those in their handshake and those with an established WebSocket.
///
/// Clients cannot block those of other addresses. When the handshake limit is reached, the oldest client in its handshake is closed of the
/// address that has most of them; if the limit for an address is reached, the oldest client of that address. When all connections are in
/// use, one is closed that has received no message for a while. If there is none, the address that has most connections gives one to a
/// client of an address that has fewer, and an address that has more than half of all connections one that is idle for long to any client:
/// the one that has been idle for longest.
final class ListenerConnections: Sendable {
    private struct Pending {
        let channel: any Channel
        let address: ClientAddress
        let number: Int
    }

    private struct Established {
        let channel: any Channel
        let connection: WebSocketConnection
        let address: ClientAddress
        let time: Int64
    }

    private struct State {
        var pending: [ObjectIdentifier: Pending] = [:]
        var established: [ObjectIdentifier: Established] = [:]
        var lastNumber = 0
        var isStopping = false
    }

    private let configuration: ListenerConfiguration
    private let state = Mutex(State())

    init(_ configuration: ListenerConfiguration) { self.configuration = configuration }

    var count: Int { state.withLock { $0.established.count } }

    var pendingCount: Int { state.withLock { $0.pending.count } }

    /// Registers a newly connected client. Returns `false` if the listener is stopping.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let address = ClientAddress(channel.remoteAddress)
        let (isAccepted, evicted) = state.withLock { state -> (Bool, Pending?) in
            guard !state.isStopping else { return (false, nil) }
            let evicted = clientToClose(in: state.pending, for: address)
            if let evicted { state.pending[ObjectIdentifier(evicted.channel)] = nil }
            state.lastNumber += 1
            state.pending[id] = Pending(channel: channel, address: address, number: state.lastNumber)
            return (true, evicted)
        }
        evicted?.channel.close(promise: nil)
        if isAccepted {
            channel.closeFuture.whenComplete { [self] _ in
                state.withLock { state in
                    state.pending[id] = nil
                    state.established[id] = nil
                }
            }
        }
        return isAccepted
    }

    /// Returns the client to close for a new client of that address, or `nil` if no limit is reached.
    private func clientToClose(in pending: [ObjectIdentifier: Pending], for address: ClientAddress) -> Pending? {
        let clients = pending.values.filter { $0.address == address }
        if clients.count >= configuration.maximumHandshakesPerAddress { return clients.min { $0.number < $1.number } }
        guard pending.count >= configuration.maximumHandshakes else { return nil }
        return Dictionary(grouping: pending.values, by: \.address).values
            .map { (count: $0.count, oldest: $0.min { $0.number < $1.number }) }
            .max { ($0.count, $1.oldest?.number ?? 0) < ($1.count, $0.oldest?.number ?? 0) }?.oldest
    }

    /// Records that a client has completed its handshake. Returns `false` if there are too many connections, or the listener is stopping.
    func establish(_ connection: WebSocketConnection, on channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let now = configuration.webSocket.now()
        let (isAccepted, evicted) = state.withLock { state -> (Bool, Established?) in
            guard !state.isStopping, let pending = state.pending[id] else { return (false, nil) }
            var evicted: Established?
            if state.established.count >= configuration.maximumConnections {
                evicted = connectionToClose(in: state.established, for: pending.address, at: now)
                guard let evicted else { return (false, nil) }
                state.established[ObjectIdentifier(evicted.channel)] = nil
            }
            state.pending[id] = nil
            state.established[id] = Established(channel: channel, connection: connection, address: pending.address, time: now)
            return (true, evicted)
        }
        evicted?.connection.cancel()
        return isAccepted
    }

    /// Returns the established connection to close for a new one of that address, or `nil` if none may be closed.
    private func connectionToClose(
        in established: [ObjectIdentifier: Established],
        for address: ClientAddress,
        at now: Int64
    ) -> Established? {
        let all = established.values
        let silent = all.filter { $0.connection.lastMessage == nil && now - $0.time >= configuration.firstMessageGracePeriod }
        if let oldest = silent.min(by: { $0.time < $1.time }) { return oldest }
        let shares = Dictionary(grouping: all, by: \.address)
        guard let largest = shares.values.max(by: { $0.count < $1.count }) else { return nil }
        let idlest = largest.map { (established: $0, since: $0.connection.lastMessage ?? $0.time) }.min { $0.since < $1.since }
        // Whatever its clients send: otherwise one small message from time to time would keep the place.
        if (shares[address]?.count ?? 0) + 1 < largest.count { return idlest?.established }
        guard largest.count > configuration.maximumConnections / 2, let idlest, now - idlest.since >= configuration.idleGracePeriod
        else { return nil }
        return idlest.established
    }

    /// Accepts no more clients and closes all. The future completes when all are closed.
    func stop(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let (pending, established) = state.withLock { state in
            state.isStopping = true
            return (state.pending.values.map(\.channel), Array(state.established.values))
        }
        for channel in pending { channel.close(promise: nil) }
        for client in established { client.connection.close(code: CloseCode.goingAway.rawValue, reason: "") }
        let ends = (pending + established.map(\.channel)).map { channel in
            channel.closeFuture.hop(to: eventLoop).recover { _ in }
        }
        return EventLoopFuture.andAllComplete(ends, on: eventLoop)
    }
}

/// The part of a client's address that limits apply to: an IPv4 address, or the first half of an IPv6 address, because a client controls
/// all addresses with the same first half.
package struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Creates the address. All clients that have no IP address share one value.
    package init(_ address: SocketAddress?) {
        let all = address?.ipAddress?.ipAddressBytes ?? []
        // A listener for both families reports IPv4 clients as mapped addresses.
        let isMapped = all.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        bytes = Array(isMapped ? all[12...] : all.count == 16 ? all[..<8] : all[...])
    }

    init(bytes: [UInt8]) { self.bytes = bytes }
}
#endif
