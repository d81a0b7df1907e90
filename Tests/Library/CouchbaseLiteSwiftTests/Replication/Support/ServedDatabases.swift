#if Replication
import Foundation
import PeerSupport
import TestSupport

@testable import CouchbaseLiteSwift

/// Databases that are served at one port of this machine until the object is released.
final class ServedDatabases {
    let folder: DatabaseFolder
    let databases: [String: Database]
    private let server: DatabaseServer

    /// - Parameters:
    ///   - specs: The names of the databases, each with the names of the collections that are served in addition to the default one.
    ///   - configure: Changes what is served.
    init(
        _ specs: [String: [String]],
        in folder: DatabaseFolder? = nil,
        configure: (URLEndpointListenerConfiguration) throws -> Void = { _ in }
    ) throws {
        let folder = try folder ?? DatabaseFolder()
        self.folder = folder
        databases = Dictionary(uniqueKeysWithValues: try specs.keys.map { ($0, try folder.open($0)) })
        var configs: [URLEndpointListenerConfiguration] = []
        for (name, collections) in specs {
            guard let database = databases[name] else { continue }
            let served =
                [try database.defaultCollection()]
                + (try collections.map { try database.createCollection(name: $0) })
            let config = URLEndpointListenerConfiguration(collections: served)
            config.networkInterface = "127.0.0.1"
            config.disableTLS = true
            try configure(config)
            configs.append(config)
        }
        server = try DatabaseServer(configs)
    }

    deinit {
        server.stop()
    }

    func database(_ name: String = "db") throws -> Database {
        guard let database = databases[name] else { throw POSIXError(.ENOENT) }
        return database
    }

    /// For `127.0.0.1`, the only address of the listener.
    func url(_ name: String = "db") throws -> String {
        server.urls(of: try database(name)).first?.absoluteString ?? ""
    }
}

extension Database {
    /// All documents of a collection as JSON with its keys in order, by ID.
    func contents(_ collection: String = "_default") throws -> [String: String] {
        var contents: [String: String] = [:]
        let stored = try collection == "_default" ? defaultCollection() : createCollection(name: collection)
        for result in try createQuery("SELECT meta().id FROM \(collection)").execute().allResults() {
            let id = result.string(at: 0) ?? ""
            let json = try stored.document(id: id)?.toJSON() ?? ""
            let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            contents[id] = IndependentPeer.canonical(object ?? [:])
        }
        return contents
    }

    func save(_ id: String, _ json: String) throws {
        let document = self.document(withID: id)?.toMutable() ?? MutableDocument(id: id)
        try saveDocument(document.setJSON(json))
    }

    func delete(_ id: String) throws {
        if let document = document(withID: id) { try deleteDocument(document) }
    }
}
#endif
