#if Replication
import TestSupport

/// Clients of CouchDB from PyPI.
enum CouchClients: String, CaseIterable {
    case couchdb, pycouchdb, cloudant, aiocouch

    private static let packages = PythonPackages(["CouchDB==1.2", "pycouchdb==1.17.1", "cloudant==2.15.0", "aiocouch==4.0.1"])

    /// Why the clients are not installed; `nil` if they are.
    static let obstacle = packages.obstacle

    /// Uses a hub with the client, as `Tests/Tools/couch_clients.py` describes.
    func run(port: Int) async throws -> ProcessResult {
        try await Self.packages.run("couch_clients.py", [rawValue, "http://localhost:\(port)"])
    }
}
#endif
