#if Replication
import Base
package import NIOCore
import NIOPosix
package import SyncCore
import Synchronization
import Transport

/// A small HTTP/1.1 server for the APIs and pages of this product. It can be started once.
///
/// Every part has a limit, see ``WebServerOptions``: heads, bodies and the memory they take, connections in all and of one address, the time
/// for each step, requests in advance, and what is not read of a response. Handlers run on threads of their own.
///
/// A server for one path:
///
///     struct Hello: WebHandler {
///         func respond(to request: WebRequest) async throws -> WebResponse {
///             guard request.path == ["hello"] else { throw WebError(404, "missing") }
///             return WebResponse(json: Array(#"{"ok":true}"#.utf8))
///         }
///     }
///     let server = WebServer(WebServerOptions(), handler: Hello())
///     try server.start()
///     print(server.urls)
package final class WebServer: Sendable {
    private let shared: ServerContext
    private let channels = Mutex<[any Channel]>([])

    /// - Parameter threads: What responds to requests; `nil`, the default, for threads of the server.
    package init(_ options: WebServerOptions, handler: any WebHandler, threads: (any TaskExecutor)? = nil) {
        shared = ServerContext(options, handler, threads)
    }

    /// The port on which the server listens. `nil` before the start and after the stop.
    package var port: Int? { channels.withLock { $0.first?.localAddress?.port } }

    /// The number of connections, including WebSockets.
    package var connectionCount: Int { shared.table.count }

    /// The base URLs of the server, such as `http://localhost:4984`, or `https://localhost:4984` with TLS: one for each address of this
    /// machine, or that of its interface. Empty if the server is not listening.
    package var urls: [String] {
        guard let port else { return [] }
        let scheme = shared.options.identity == nil ? "http" : "https"
        return ListeningSockets.hosts(of: shared.options.networkInterface)
            .map { "\(scheme)://\($0.contains(":") ? "[\($0)]" : $0):\(port)" }
    }

    /// Starts listening. Blocks until the sockets are bound; must not be called on an event loop.
    ///
    /// - Throws: ``SyncError``: POSIX `EADDRINUSE` if the port is in use, `EMFILE` if no more files can be opened, network 27 if the interface is
    ///   unknown, LiteCore 22 if the identity is invalid.
    package func start() throws(SyncError) {
        let shared = shared
        let tls = try makeTLS()
        try EventLoops.prepare()
        let bootstrap = ServerBootstrap(group: EventLoops.shared)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try shared.serve(channel, tls) } }
        let bound = try ListeningSockets.bind(bootstrap, to: shared.options.networkInterface, port: shared.options.port)
        channels.withLock { $0 = bound }
        EngineLog.log(.info, .listener, "HTTP: listening on port \(port ?? 0)")
    }

    /// Serves a client on a channel that the caller has made, with TLS if the server has an identity. Must be called on the event loop of the
    /// channel.
    ///
    /// - Throws: An error if the server is stopping, there are too many busy connections, or the identity is invalid.
    package func serve(_ channel: any Channel) throws { try shared.serve(channel, try makeTLS()) }

    private func makeTLS() throws(SyncError) -> ServerTLS? {
        if let identity = shared.options.identity { try ServerTLS(identity) } else { nil }
    }

    /// The memory that bodies of requests, and responses, take now, in bytes. Both are 0 when there is no request.
    package var usedMemory: (bodies: Int, responses: Int) { (shared.budget.used, shared.responseBudget.used) }

    /// Closes all connections at once, including WebSockets, and continues to listen.
    package func cutConnections() {
        for channel in shared.table.all { channel.close(promise: nil) }
    }

    /// Stops listening, and closes all connections at once. Does not wait until they are closed.
    package func abort() {
        for channel in drainListeningChannels() { channel.close(promise: nil) }
        cutConnections()
    }

    private func drainListeningChannels() -> [any Channel] {
        channels.withLock { channels in
            defer { channels = [] }
            return channels
        }
    }

    /// Stops listening. Connections without a request are closed, responses are completed within
    /// ``WebServerOptions/stopTimeout``, streamed responses are cancelled, and WebSockets are closed. Returns when all are closed.
    package func stop() async {
        for channel in drainListeningChannels() { try? await channel.close() }
        let (unused, busy) = shared.table.beginStopping()
        for channel in unused { channel.close(promise: nil) }
        for channel in busy { Self.stop(channel, within: shared.options.stopTimeout) }
        for channel in unused + busy { try? await channel.closeFuture.get() }
    }

    private static func stop(_ channel: any Channel, within seconds: Double) {
        channel.eventLoop.execute {
            guard let connection = try? channel.pipeline.syncOperations.handler(type: WebConnection.self) else {
                // A WebSocket, which its owner has not closed.
                return channel.close(promise: nil)
            }
            connection.stopStreaming()
            let timer = channel.eventLoop.scheduleTask(in: seconds.timeAmount) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in timer.cancel() }
        }
    }
}
#endif
