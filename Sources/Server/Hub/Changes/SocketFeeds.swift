#if Replication
import SyncCore
import Synchronization
import WebServer

/// The open WebSockets of feeds, so that their clients are told when the hub stops.
final class SocketFeeds: Sendable {
    private struct State {
        var sockets: [ObjectIdentifier: TextSocket] = [:]
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Runs `body` while the WebSocket is among those that are told.
    func with(_ socket: TextSocket, _ body: () async -> Void) async {
        let isStopping = state.withLock { state in
            if !state.isStopping { state.sockets[ObjectIdentifier(socket)] = socket }
            return state.isStopping
        }
        if isStopping { return Self.end(socket) }
        await body()
        state.withLock { $0.sockets[ObjectIdentifier(socket)] = nil }
    }

    /// Closes all WebSockets, also those that are opened later.
    func stop() {
        let sockets = state.withLock { state in
            state.isStopping = true
            return state.sockets.values.map { $0 }
        }
        sockets.forEach(Self.end)
    }

    private static func end(_ socket: TextSocket) { socket.close(code: CloseCode.goingAway.rawValue, reason: "The hub stops") }
}
#endif
