#if Replication
import CouchbaseLiteSwift
import Foundation
import Testing

/// A database that a listener on this machine serves; it is the server of the guides.
final class ServedDatabase {
    let database: Database
    let collection: CouchbaseLiteSwift.Collection
    private let listener: URLEndpointListener
    let url: URL

    /// - Parameter configure: Changes the configuration. By default, everybody can connect without TLS.
    init(
        _ folder: DatabaseFolder,
        collection name: String? = nil,
        configure: (URLEndpointListenerConfiguration) -> Void = { _ in }
    ) throws {
        let database = try folder.open("server")
        self.database = database
        collection = try name.map { try database.createCollection(name: $0) } ?? database.defaultCollection()
        let config = URLEndpointListenerConfiguration(collections: [collection])
        config.disableTLS = true
        configure(config)
        listener = URLEndpointListener(config: config)
        try listener.start()
        let port = try #require(listener.port)
        url = try #require(URL(string: "\(config.disableTLS ? "ws" : "wss")://localhost:\(port)/server"))
    }

    deinit {
        listener.stop()
    }
}

extension Replicator {
    /// Waits until the replicator has stopped or is idle. Returns the last status.
    @discardableResult
    func waitUntilDone() async -> Status {
        // Requested before the status is read, so that no change between the two is missed.
        let changes = statusChanges()
        let current = status
        if current.activity == .stopped || current.activity == .idle { return current }
        for await status in changes where status.activity == .stopped || status.activity == .idle { return status }
        return status
    }
}
#endif
