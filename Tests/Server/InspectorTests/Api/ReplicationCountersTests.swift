import CouchbaseLiteSwift
import DocumentStore
import Fleece
import Foundation
import Testing

@testable import Inspector

@Suite("Counters of replication in the inspector's API")
struct ReplicationCountersTests {
    @Test("what the process replicates is part of the counters, and null if it does not replicate")
    func counters() throws {
        let sample = try SampleDatabase()
        let database = try sample.open()
        #expect(Calls(database).succeed("GET", "counters")["replication"] is NSNull)
        var source = InspectedSource(database)
        source.replication = { ReplicationCounters(clients: 1, sent: 2, received: 3, refused: 4, failures: 5) }
        let shown = Calls(source).succeed("GET", "counters")["replication"] as? [String: Int]
        #expect(shown == ["clients": 1, "sent": 2, "received": 3, "refused": 4, "failures": 5])
    }

    @Test("the owner of a database decides about the properties of a tombstone")
    func tombstone() throws {
        let sample = try SampleDatabase()
        let database = try sample.open()
        var source = InspectedSource(database)
        source.tombstone = { record, _ in OwnedBody(try JSON.fleece(#"{"was":"\#(record.id)"}"#)) }
        let api = Calls(source)
        let revision = try #require(api.succeed("GET", "document", ["id": "person-001"])["rev"] as? String)
        _ = api.succeed("DELETE", "document", ["id": "person-001", "rev": revision])
        let deleted = try #require(try database.defaultCollection().store.document("person-001", includingDeleted: true))
        #expect(deleted.isDeleted)
        let was = deleted.body.withRoot { $0.dictionary?.value(for: "was", sharedKeys: deleted.sharedKeys)?.string } ?? nil
        #expect(was == "person-001")
    }
}
