import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("The guide to deployment")
struct DeploymentGuideTests {
    /// Opens the database in the directory that the environment names.
    func openDatabase(_ environment: [String: String]) throws -> Database {
        let config = DatabaseConfiguration()
        if let directory = environment["DATA_DIRECTORY"] {
            config.directory = directory
        }
        return try Database(name: "app", config: config)
    }

    @Test("the example of the guide opens the database in the directory of the environment")
    func works() throws {
        let directory = try TemporaryDirectory()
        let missing = directory.url.appendingPathComponent("data").path
        #expect(try openDatabase(["DATA_DIRECTORY": missing]).path == missing + "/app.cblite2/")
    }
}
