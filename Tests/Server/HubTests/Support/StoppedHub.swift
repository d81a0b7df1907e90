#if Replication
import CouchbaseLiteSwift
import TestSupport
import Testing

@testable import Hub

/// The database `db` of a hub that is not running.
struct StoppedHub {
    let directory: TemporaryDirectory
    let databases: HubDatabases
    let keyspace: Keyspace

    init(_ prepare: (Database) throws -> Void = { _ in }) throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try Database(name: "db", config: config)
        try prepare(database)
        try database.close()
        databases = try HubDatabases(directory: directory.url.path, mapping: ChannelMapping())
        keyspace = try #require(try databases.keyspace("db"))
    }

    func store(_ id: String) throws {
        let writing = DocumentWriting(keyspace: keyspace, access: { .guest })
        _ = try writing.store(try DocumentInput(json: Array("{}".utf8)), as: id, base: nil)
    }
}
#endif
