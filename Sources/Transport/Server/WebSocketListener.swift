#if Replication
package import SyncCore
import Dispatch
import LogCore
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the handlers of a listener's connections share.
final class ListenerCore: Sendable {
    let configuration: ListenerConfiguration
    let accept: @Sendable (IncomingConnection) -> Void
    let connections: ListenerConnections
    let throttle: PasswordThrottle
    /// Where code of the app is called.
    let queue = DispatchQueue(label: "CouchbaseLiteSwift.Listener", attributes: .concurrent)

    init(_ configuration: ListenerConfiguration, _ accept: @escaping @Sendable (IncomingConnection) -> Void) {
        self.configuration = configuration
        self.accept = accept
        connections = ListenerConnections(configuration)
        throttle = PasswordThrottle(configuration.wrongPasswords)
    }
}

/// Listens for clients that want to sync over WebSockets (Replication 6.1). Started once.
package final class WebSocketListener: Sendable {
    private let core: ListenerCore
    /// What is listened on: several when there is an address for each family. All have the same port.
    private let channels = Mutex<[any Channel]>([])

    /// - Parameters:
    ///   - configuration: What is served, and to whom.
    ///   - accept: Gets each client that has come in, on a queue of the listener's; it must open the channel.
    package init(_ configuration: ListenerConfiguration, accept: @escaping @Sendable (IncomingConnection) -> Void) {
        core = ListenerCore(configuration, accept)
    }

    /// How many WebSockets stand.
    package var connectionCount: Int { core.connections.count }

    /// How many clients are in their handshake.
    package var handshakeCount: Int { core.connections.pendingCount }

    /// The port that is listened on; nil before the start and after the stop.
    package var port: Int? { channels.withLock { $0.first?.localAddress?.port } }

    /// Begins to listen. Blocks until it does; must not be called on an event loop.
    ///
    /// - Throws: ``SyncError``: POSIX `EADDRINUSE` for a port in use, network 27 for an unknown interface, LiteCore 22 for an identity of no
    ///   use.
    package func start() throws(SyncError) {
        let core = self.core
        let tls = core.configuration.tls
        let context = try tls?.makeContext()
        let bootstrap = ServerBootstrap(group: EventLoops.shared)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: SocketBuffers.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard core.connections.add(channel) else { throw ChannelError.alreadyClosed }
                    let peer = TLSPeer()
                    if let tls, let context {
                        try channel.pipeline.syncOperations.addHandler(PlainRequestDetector())
                        try channel.pipeline.syncOperations.addHandler(tls.makeHandler(context, peer: peer, listener: core))
                    }
                    try channel.pipeline.syncOperations.addHandler(ServerHandshakeHandler(core, peer))
                }
            }
        let bound = try bind(bootstrap)
        channels.withLock { $0 = bound }
        let addresses = bound.map { $0.localAddress?.ipAddress ?? "an unknown address" }.joined(separator: " and ")
        EngineLog.log(.info, .listener, "Listener: listening on \(addresses), port \(port ?? 0)")
    }

    /// Ends: clients get the close code 1001.
    ///
    /// - Parameter completion: Called when all connections are gone, at most a few seconds later, on a thread of the network.
    package func stop(_ completion: @escaping @Sendable () -> Void) {
        let channels = self.channels.withLock { channels in
            defer { channels = [] }
            return channels
        }
        let eventLoop = EventLoops.shared.next()
        let listening = channels.map { $0.close().hop(to: eventLoop).recover { _ in } }
        EventLoopFuture.andAllComplete(listening, on: eventLoop).and(core.connections.stop(on: eventLoop))
            .whenComplete { _ in completion() }
    }

    /// Ends, and waits until all connections are gone.
    package func stop() async {
        await withCheckedContinuation { continuation in stop { continuation.resume() } }
    }

    /// The hosts in the listener's URLs: the address of its interface, or all addresses of this machine.
    package var hosts: [String] {
        if core.configuration.networkInterface == NetworkInterfaces.thisMachine {
            return [NetworkInterfaces.thisMachine]
        }
        guard let name = core.configuration.networkInterface,
            let addresses = try? NetworkInterfaces.addresses(of: name),
            let host = NetworkInterfaces.preferred(addresses)?.ipAddress, host != "0.0.0.0", host != "::"
        else { return NetworkInterfaces.reachableHosts() }
        return [host]
    }

    /// Whether an interface, given as in ``ListenerConfiguration/networkInterface``, is reached from this machine only.
    ///
    /// - Throws: ``SyncError``, network 27, for an unknown interface.
    package static func isOfThisMachineOnly(_ networkInterface: String) throws(SyncError) -> Bool {
        try NetworkInterfaces.isOfThisMachineOnly(networkInterface)
    }

    private func bind(_ bootstrap: ServerBootstrap) throws(SyncError) -> [any Channel] {
        let port = core.configuration.port
        if core.configuration.networkInterface == NetworkInterfaces.thisMachine {
            return try bindToThisMachine(bootstrap, port)
        }
        if let name = core.configuration.networkInterface {
            let addresses = try NetworkInterfaces.addresses(of: name)
            guard let address = NetworkInterfaces.preferred(addresses)?.ipAddress else {
                throw SyncError(network: .unknownInterface, "“\(name)” has no address")
            }
            return [try bind(bootstrap, address, port)]
        }
        do throws(SyncError) {
            // Serves IPv4 too.
            return [try bind(bootstrap, "::", port)]
        } catch {
            guard error.isOfMissingAddress else { throw error }
            return [try bind(bootstrap, "0.0.0.0", port)]
        }
    }

    /// Listens on the loopback addresses of both families: what asks for “localhost” may try either first, and nobody else on this machine
    /// is to be found at the other.
    private func bindToThisMachine(_ bootstrap: ServerBootstrap, _ port: Int) throws(SyncError) -> [any Channel] {
        var attempts = 0
        while true {
            attempts += 1
            let first = try bind(bootstrap, "127.0.0.1", port)
            do throws(SyncError) {
                return [first, try bind(bootstrap, "::1", first.localAddress?.port ?? port)]
            } catch {
                if error.isOfMissingAddress { return [first] }
                first.close(promise: nil)
                // A port that is free for one family may be in use for the other.
                guard port == 0, error.code == Int(EADDRINUSE), attempts < 10 else { throw error }
            }
        }
    }

    private func bind(_ bootstrap: ServerBootstrap, _ host: String, _ port: Int) throws(SyncError) -> any Channel {
        do {
            return try bootstrap.bind(host: host, port: port).wait()
        } catch {
            throw NetworkFailure.ofConnecting(error)
        }
    }
}

extension SyncError {
    /// Whether this machine has no address of the kind that was to be listened on: it has no IPv6.
    fileprivate var isOfMissingAddress: Bool {
        domain == .posix && (code == Int(EAFNOSUPPORT) || code == Int(EADDRNOTAVAIL))
    }
}
#endif
