#if Replication
    /// Serves several databases at one port, as the command line tool does.
    package final class DatabaseServer {
        private let service: ListenerService

        /// Begins to listen.
        ///
        /// - Parameter configs: One for each database, at least one. How clients connect is said by the first.
        /// - Throws: As ``URLEndpointListener/start()``.
        package init(_ configs: [URLEndpointListenerConfiguration]) throws {
            service = try throwingPublicErrors { try ListenerService(configs) { _ in } }
        }

        /// The URL of a database, for clients on this machine.
        package func url(of database: Database) -> URL? {
            service.url(of: database, host: "localhost")
        }

        /// Ends it, and waits until what clients were sending is stored.
        package func stop() {
            service.stop()
            service.waitUntilStopped()
        }
    }
#endif
