#if Replication
    import BLIP
    import DocumentStore
    import LogCore
    import Replication
    import Transport

    /// What a listener is from its start to its end.
    final class ListenerService: @unchecked Sendable {
        // Unchecked: what the app gave, authenticators, is called as it knows; everything else is constant or locks itself.
        let identity: TLSIdentity?
        let connections = PassiveConnections()
        private let database: Database
        private let listener: WebSocketListener
        private let stopping: OnceFlag
        private let stopped: (ListenerService) -> Void
        private var activity = 0

        /// Begins to listen.
        ///
        /// - Parameter stopping: Is called when it begins to end.
        init(_ config: URLEndpointListenerConfiguration, stopping: @escaping (ListenerService) -> Void) throws {
            database = config.collections[0].database
            self.stopped = stopping
            self.stopping = OnceFlag()
            let file = try database.openFile()
            for collection in config.collections where !collection.store.exists { throw collection.notOpen }
            identity = config.disableTLS ? nil : try config.tlsIdentity ?? AnonymousIdentity.identity(of: database)

            let options = config.passiveOptions
            let connections = connections
            listener = WebSocketListener(try config.transport(identity, name: database.name)) { connection in
                EngineLog.log(.info, .listener, "Listener: \(connection.remoteAddress) has connected")
                connections.add(connection.channel, file, options)
            }
            let number = database.activities.begin(stop: { [weak self] in self?.stop() })
            guard let number else { throw StoreError.notOpen(what: "database \"\(database.name)\"") }
            activity = number
            do {
                try listener.start()
            } catch {
                database.activities.end(activity)
                throw error
            }
        }

        var port: UInt16? { listener.port.flatMap { UInt16(exactly: $0) } }

        var urls: [URL]? {
            guard let port = listener.port else { return nil }
            let scheme = identity == nil ? "ws" : "wss"
            let name = database.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? database.name
            return listener.hosts.compactMap { host in
                URL(string: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(name)")
            }
        }

        /// Ends it. It keeps itself until that is done.
        func stop() {
            guard stopping.set() else { return }
            stopped(self)
            listener.stop { [self] in
                // The channels are closed; what their sessions still do in the database is waited for.
                connections.stop { [self] in database.activities.end(activity) }
            }
        }
    }

    /// Something that happens once.
    private final class OnceFlag: @unchecked Sendable {
        // Unchecked: guarded by the lock.
        private let lock = NSLock()
        private var isSet = false

        /// Whether it is the first time.
        func set() -> Bool {
            lock.withLock {
                defer { isSet = true }
                return !isSet
            }
        }
    }

    extension URLEndpointListenerConfiguration {
        /// What sessions are to serve.
        fileprivate var passiveOptions: PassiveOptions {
            var options = PassiveOptions(collections: collections.map(\.store.id))
            options.isReadOnly = readOnly
            options.usesDeltas = enableDeltaSync
            return options
        }

        /// What the transport is to do.
        fileprivate func transport(_ identity: TLSIdentity?, name: String) throws -> ListenerConfiguration {
            var result = ListenerConfiguration(subprotocols: Subprotocol.all) { $0 == name }
            result.port = Int(port ?? 0)
            result.networkInterface = networkInterface
            result.tls = identity.map { ListenerTLS(identity: $0.data) }
            switch authenticator {
            case let passwords as ListenerPasswordAuthenticator:
                // The closure is the app's, which knows that it is called on other threads.
                nonisolated(unsafe) let delegate = passwords.delegate
                result.authenticator = { delegate($0.username, $0.password) }
            case let certificates as ListenerCertificateAuthenticator:
                guard result.tls != nil else {
                    throw SyncError(
                        .liteCore,
                        CBLError.invalidParameter,
                        "a listener without TLS cannot ask clients for certificates"
                    )
                }
                result.tls?.clientCertificates = certificates.judge.transport
            default: break
            }
            return result
        }
    }

    extension ListenerCertificateAuthenticator.Judge {
        fileprivate var transport: ListenerTLS.ClientCertificates {
            switch self {
            case .roots(let roots): return .roots(roots.compactMap { CertificateInfo(der: $0.der) })
            case .delegate(let delegate):
                // The closure is the app's, which knows that it is called on other threads.
                nonisolated(unsafe) let delegate = delegate
                return .accepted { chain in delegate(chain.compactMap { SecCertificate.read(der: $0) }) }
            }
        }
    }
#endif
