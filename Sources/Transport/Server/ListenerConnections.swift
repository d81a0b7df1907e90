#if Replication
import NIOCore
import Synchronization

/// The clients of a listener, counted: those in their handshake, and those whose WebSocket stands.
///
/// Nobody keeps others out by doing nothing. Of those in their handshake the oldest gives way to a new one, at first among those of the
/// new one's address. Of those that stand one gives way that has not said anything for a while; or, when one address has more than half
/// of all places, the one of that address that has been quiet for longest.
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

    init(_ configuration: ListenerConfiguration) {
        self.configuration = configuration
    }

    /// How many WebSockets stand.
    var count: Int { state.withLock { $0.established.count } }

    /// How many clients are in their handshake.
    var pendingCount: Int { state.withLock { $0.pending.count } }

    /// Counts a client that has just connected. False when the listener is stopping.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let address = ClientAddress(channel.remoteAddress)
        let (isWelcome, surplus) = state.withLock { state -> (Bool, Pending?) in
            guard !state.isStopping else { return (false, nil) }
            let surplus = self.surplus(in: state.pending, for: address)
            if let surplus { state.pending[ObjectIdentifier(surplus.channel)] = nil }
            state.lastNumber += 1
            state.pending[id] = Pending(channel: channel, address: address, number: state.lastNumber)
            return (true, surplus)
        }
        surplus?.channel.close(promise: nil)
        if isWelcome {
            channel.closeFuture.whenComplete { [self] _ in
                state.withLock { state in
                    state.pending[id] = nil
                    state.established[id] = nil
                }
            }
        }
        return isWelcome
    }

    /// Who has to give way to a new client of that address, if anybody.
    private func surplus(in pending: [ObjectIdentifier: Pending], for address: ClientAddress) -> Pending? {
        let neighbours = pending.values.filter { $0.address == address }
        if neighbours.count >= configuration.maximumHandshakesPerAddress {
            return neighbours.min { $0.number < $1.number }
        }
        guard pending.count >= configuration.maximumHandshakes else { return nil }
        return pending.values.min { $0.number < $1.number }
    }

    /// Notes that a client's handshake is done. False when there are too many, or the listener is stopping.
    func promote(_ channel: any Channel, to connection: WebSocketConnection) -> Bool {
        let id = ObjectIdentifier(channel)
        let now = configuration.webSocket.now()
        let (isWelcome, surplus) = state.withLock { state -> (Bool, Established?) in
            guard !state.isStopping, let pending = state.pending[id] else { return (false, nil) }
            var surplus: Established?
            if state.established.count >= configuration.maximumConnections {
                surplus = self.surplus(in: state.established, at: now)
                guard let surplus else { return (false, nil) }
                state.established[ObjectIdentifier(surplus.channel)] = nil
            }
            state.pending[id] = nil
            state.established[id] = Established(channel: channel, connection: connection, address: pending.address, time: now)
            return (true, surplus)
        }
        surplus?.connection.cancel()
        return isWelcome
    }

    /// Which of the connections that stand has to give way, if any.
    private func surplus(in established: [ObjectIdentifier: Established], at now: Int64) -> Established? {
        let all = established.values
        let mute = all.filter { $0.connection.lastMessage == nil && now - $0.time >= configuration.muteTime }
        if let oldest = mute.min(by: { $0.time < $1.time }) { return oldest }
        let counts = Dictionary(grouping: all, by: \.address)
        let quiet = counts.first { $0.value.count > configuration.maximumConnections / 2 }?.value
            .map { (established: $0, since: $0.connection.lastMessage ?? $0.time) }
            .min { $0.since < $1.since }
        guard let quiet, now - quiet.since >= configuration.quietTime else { return nil }
        return quiet.established
    }

    /// Takes no more, closes all, and completes when they are gone.
    func stop(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let (pending, established) = state.withLock { state in
            state.isStopping = true
            return (state.pending.values.map(\.channel), Array(state.established.values))
        }
        for channel in pending { channel.close(promise: nil) }
        for client in established { client.connection.close(code: WebSocketCloseCode.goingAway, reason: "") }
        let ends = (pending + established.map(\.channel)).map { channel in
            channel.closeFuture.hop(to: eventLoop).recover { _ in }
        }
        return EventLoopFuture.andAllComplete(ends, on: eventLoop)
    }
}
#endif
