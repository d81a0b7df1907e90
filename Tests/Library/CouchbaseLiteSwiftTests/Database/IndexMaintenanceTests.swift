import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Maintenance of databases with indexes")
struct IndexMaintenanceTests {
    /// Index expressions identify properties by the numbers of their keys, which a connection does not know before its first read: all
    /// indexed values would be missing.
    @Test(
        "maintenance of a database that has just been opened keeps its indexes correct",
        arguments: [MaintenanceType.reindex, .compact, .optimize, .fullOptimize, .integrityCheck]
    )
    func justOpened(type: MaintenanceType) throws {
        let directory = try TemporaryDirectory()
        let configuration = DatabaseConfiguration()
        configuration.directory = directory.url.path
        do {
            let database = try Database(name: "db", config: configuration)
            let collection = try database.defaultCollection()
            for number in 0..<100 { try collection.save(document: MutableDocument().setInt(number, forKey: "n")) }
            try collection.createIndex(withName: "byN", config: ValueIndexConfiguration(["n"]))
            try database.close()
        }
        let database = try Database(name: "db", config: configuration)
        try database.performMaintenance(type: type)
        try database.performMaintenance(type: .integrityCheck)
        let query = try database.createQuery("SELECT n FROM _ WHERE n BETWEEN 10 AND 19")
        #expect(try query.explain().contains("USING INDEX byN"))
        #expect(try query.execute().allResults().count == 10)
        try database.close()
    }

    @Test("rebuilding the indexes in a batch fails before it has changed anything")
    func reindexInBatch() throws {
        let test = try TemporaryDirectory()
        let configuration = DatabaseConfiguration()
        configuration.directory = test.url.path
        let database = try Database(name: "db", config: configuration)
        try database.inBatch {
            let error = #expect(throws: NSError.self) { try database.performMaintenance(type: .reindex) }
            #expect(error?.code == CBLError.transactionNotClosed)
        }
        try database.performMaintenance(type: .reindex)
        try database.close()
    }
}
