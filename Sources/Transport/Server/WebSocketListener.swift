#if Replication
    package import BLIP
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
        /// Where code of the app is called.
        let queue = DispatchQueue(label: "CouchbaseLiteSwift.Listener", attributes: .concurrent)

        init(_ configuration: ListenerConfiguration, _ accept: @escaping @Sendable (IncomingConnection) -> Void) {
            self.configuration = configuration
            self.accept = accept
            connections = ListenerConnections(maximum: configuration.maximumConnections)
        }
    }

    /// Listens for clients that want to sync over WebSockets (Replication 6.1). Started once.
    package final class WebSocketListener: Sendable {
        private let core: ListenerCore
        private let channel = Mutex<(any Channel)?>(nil)

        /// - Parameters:
        ///   - configuration: What is served, and to whom.
        ///   - accept: Gets each client that has come in, on a queue of the listener's; it must open the channel.
        package init(
            _ configuration: ListenerConfiguration,
            accept: @escaping @Sendable (IncomingConnection) -> Void
        ) {
            core = ListenerCore(configuration, accept)
        }

        /// How many WebSockets stand.
        package var connectionCount: Int { core.connections.count }

        /// The port that is listened on; nil before the start and after the stop.
        package var port: Int? { channel.withLock { $0?.localAddress?.port } }

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
                            try channel.pipeline.syncOperations.addHandler(
                                tls.makeHandler(context, peer: peer, listener: core)
                            )
                        }
                        try channel.pipeline.syncOperations.addHandler(ServerHandshakeHandler(core, peer))
                    }
                }
            let bound = try bind(bootstrap)
            channel.withLock { $0 = bound }
            EngineLog.log(.info, .listener, "Listener: listening on port \(bound.localAddress?.port ?? 0)")
        }

        /// Ends: clients get the close code 1001.
        ///
        /// - Parameter completion: Called when all connections are gone, at most a few seconds later, on a thread of the network.
        package func stop(_ completion: @escaping @Sendable () -> Void) {
            let channel = self.channel.withLock { channel in
                defer { channel = nil }
                return channel
            }
            let eventLoop = EventLoops.shared.next()
            let listening = channel?.close().hop(to: eventLoop).recover { _ in } ?? eventLoop.makeSucceededVoidFuture()
            listening.and(core.connections.stop(on: eventLoop)).whenComplete { _ in completion() }
        }

        /// Ends, and waits until all connections are gone.
        package func stop() async {
            await withCheckedContinuation { continuation in stop { continuation.resume() } }
        }

        /// The hosts in the listener's URLs: the address of its interface, or all addresses of this machine.
        package var hosts: [String] {
            guard let name = core.configuration.networkInterface,
                let addresses = try? NetworkInterfaces.addresses(of: name),
                let host = NetworkInterfaces.preferred(addresses)?.ipAddress, host != "0.0.0.0", host != "::"
            else { return NetworkInterfaces.reachableHosts() }
            return [host]
        }

        private func bind(_ bootstrap: ServerBootstrap) throws(SyncError) -> any Channel {
            let port = core.configuration.port
            if let name = core.configuration.networkInterface {
                let addresses = try NetworkInterfaces.addresses(of: name)
                guard let address = NetworkInterfaces.preferred(addresses)?.ipAddress else {
                    throw SyncError(network: .unknownInterface, "“\(name)” has no address")
                }
                return try bind(bootstrap, address, port)
            }
            do throws(SyncError) {
                // Serves IPv4 too.
                return try bind(bootstrap, "::", port)
            } catch {
                // This machine has no IPv6.
                guard error.code == Int(EAFNOSUPPORT) || error.code == Int(EADDRNOTAVAIL) else { throw error }
                return try bind(bootstrap, "0.0.0.0", port)
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
#endif
