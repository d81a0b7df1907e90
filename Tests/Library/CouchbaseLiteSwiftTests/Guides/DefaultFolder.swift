import CouchbaseLiteSwift
import TestSupport

/// Replaces the default directory in examples that open a database without a configuration.
final class DefaultFolder {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    func database(name: String) throws -> Database {
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        return try Database(name: name, config: config)
    }
}
