#if Replication
import SyncCore
import Transport

let offeredProtocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

/// A connected client and listener on this machine.
struct Loopback {
    let listener: WebSocketListener
    let client: ChannelRecorder
    let server: ChannelRecorder
    let incoming: IncomingConnection

    /// - Parameters:
    ///   - path: The path that the client requests.
    ///   - listening: Changes the configuration of the listener.
    ///   - connecting: Changes the configuration of the client.
    static func make(
        path: String = "/db",
        listening: (inout ListenerConfiguration) -> Void = { _ in },
        connecting: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws -> Loopback {
        let arrivals = Arrivals()
        let listener = try startListener(listening) { arrivals.add($0) }
        let client = ChannelRecorder(WebSocketClientChannel(try configuration(for: listener, path: path, connecting)))
        _ = try await client.opened()
        let incoming = try await arrivals.next()
        let server = ChannelRecorder(incoming.channel)
        _ = try await server.opened()
        return Loopback(listener: listener, client: client, server: server, incoming: incoming)
    }

    static func startListener(
        _ change: (inout ListenerConfiguration) -> Void = { _ in },
        accept: @escaping @Sendable (IncomingConnection) -> Void
    ) throws -> WebSocketListener {
        var configuration = ListenerConfiguration(subprotocols: offeredProtocols) { $0 == "db" }
        configuration.networkInterface = "127.0.0.1"
        configuration.webSocket.closeTimeout = 0.2
        change(&configuration)
        let listener = WebSocketListener(configuration, accept: accept)
        try listener.start()
        return listener
    }

    static func configuration(
        for listener: WebSocketListener,
        path: String = "/db",
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> ClientConfiguration {
        try configuration("ws://127.0.0.1:\(listener.port ?? 0)\(path)", change)
    }

    static func configuration(_ url: String, _ change: (inout ClientConfiguration) -> Void = { _ in }) throws -> ClientConfiguration {
        var configuration = ClientConfiguration(url: try EndpointURL(endpoint: url).effective, subprotocols: offeredProtocols)
        // Host names are looked up on queues that all tests share, which may take long.
        configuration.connectTimeout = 300
        change(&configuration)
        return configuration
    }
}

extension WebSocketListener {
    /// Stops listening, and waits until all connections are closed.
    func stop() async { await withCheckedContinuation { continuation in stop { continuation.resume() } } }
}
#endif
