#if Replication
package import SyncCore
import Dispatch
import Base
package import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The state that the handlers of a listener's connections share.
final class ListenerCore: Sendable {
    let configuration: ListenerConfiguration
    let accept: @Sendable (IncomingConnection) -> Void
    let connections: ListenerConnections
    let throttle: PasswordThrottle
    /// The queue on which code of the app is called.
    let queue = DispatchQueue(label: "CouchbaseLiteSwift.Listener", attributes: .concurrent)
    /// Calls code of the app: on ``queue``, unless a test calls it otherwise.
    let perform: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(
        _ configuration: ListenerConfiguration,
        _ perform: (@Sendable (@escaping @Sendable () -> Void) -> Void)?,
        _ accept: @escaping @Sendable (IncomingConnection) -> Void
    ) {
        self.configuration = configuration
        self.accept = accept
        self.perform = perform ?? { [queue] in queue.async(execute: $0) }
        connections = ListenerConnections(configuration)
        throttle = PasswordThrottle(configuration.wrongPasswords)
    }

    /// Adds the handlers of a new connection to its channel.
    ///
    /// - Parameter context: The settings of TLS; `nil` for a connection that is not encrypted.
    func serve(_ channel: any Channel, _ context: NIOSSLContext?) throws {
        guard connections.add(channel) else { throw ChannelError.alreadyClosed }
        let peer = TLSPeer()
        let pipeline = channel.pipeline.syncOperations
        if let tls = configuration.tls, let context {
            try pipeline.addHandler(PlainRequestDetector())
            try pipeline.addHandler(tls.makeHandler(context, peer: peer, queue: queue))
        }
        try pipeline.addHandler(ServerHandshakeHandler(self, peer))
    }
}

/// Listens for clients that sync over WebSockets (Replication 6.1). It can be started only once.
package final class WebSocketListener: Sendable {
    private let core: ListenerCore
    /// The listening sockets. There are several if there is one address for each family; all have the same port.
    private let channels = Mutex<[any Channel]>([])

    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - perform: Calls code of the app; `nil`, the default, for the listener's queue. For channels that have no socket.
    ///   - accept: Receives each client that has completed its handshake, on the listener's queue. It must open the channel.
    package init(
        _ configuration: ListenerConfiguration,
        perform: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil,
        accept: @escaping @Sendable (IncomingConnection) -> Void
    ) {
        core = ListenerCore(configuration, perform, accept)
    }

    /// The number of established WebSockets.
    package var connectionCount: Int { core.connections.count }

    /// The number of clients in their handshake.
    package var handshakeCount: Int { core.connections.pendingCount }

    /// The port of the listener. `nil` before the start and after the stop.
    package var port: Int? { channels.withLock { $0.first?.localAddress?.port } }

    /// Starts listening. Blocks until the sockets are bound; must not be called on an event loop.
    ///
    /// - Throws: ``SyncError``: POSIX `EADDRINUSE` if the port is in use, `EMFILE` if no more files can be opened, network 27 if the interface is
    ///   unknown, LiteCore 22 if the identity is invalid.
    package func start() throws(SyncError) {
        let core = self.core
        let context = try core.configuration.tls?.makeContext()
        try EventLoops.prepare()
        let bootstrap = ServerBootstrap(group: EventLoops.shared)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: SocketBuffers.waterMark)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try core.serve(channel, context) } }
        let bound = try ListeningSockets.bind(bootstrap, to: core.configuration.networkInterface, port: core.configuration.port)
        channels.withLock { $0 = bound }
        let addresses = bound.map { $0.localAddress?.ipAddress ?? "an unknown address" }.joined(separator: " and ")
        EngineLog.log(.info, .listener, "Listener: listening on \(addresses), port \(port ?? 0)")
    }

    /// Serves a client on a channel that the caller has made, with TLS if it is configured. Must be called on the event loop of the channel.
    ///
    /// - Throws: An error if the listener is stopping, or the identity is invalid.
    package func serve(_ channel: any Channel) throws { try core.serve(channel, try core.configuration.tls?.makeContext()) }

    /// Stops listening and closes all connections with the close code 1001.
    ///
    /// - Parameter completion: Called when all connections are closed, at most a few seconds later, on an event loop.
    package func stop(_ completion: @escaping @Sendable () -> Void) {
        let channels = self.channels.withLock { channels in
            defer { channels = [] }
            return channels
        }
        // Without event loops there are no connections.
        guard (try? EventLoops.prepare()) != nil else { return EventLoops.execute(completion) }
        let eventLoop = EventLoops.shared.next()
        let listening = channels.map { $0.close().hop(to: eventLoop).recover { _ in } }
        EventLoopFuture.andAllComplete(listening, on: eventLoop).and(core.connections.stop(on: eventLoop))
            .whenComplete { _ in completion() }
    }

    /// The hosts for the listener's URLs: the address of its interface, or all addresses of this machine.
    package var hosts: [String] { ListeningSockets.hosts(of: core.configuration.networkInterface) }
}
#endif
