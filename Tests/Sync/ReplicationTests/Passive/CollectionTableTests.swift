import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Collection table of a passive session")
struct CollectionTableTests {
    private let items: CollectionID
    private let notes: CollectionID

    init() throws {
        items = try CollectionID(name: "items", scope: "inv")
        notes = try CollectionID(name: "notes")
    }

    private func request(collection: String? = nil) -> IncomingRequest {
        var properties: Properties = ["Profile": "getCheckpoint"]
        properties["collection"] = collection
        return IncomingRequest(properties)
    }

    @Test("a request without a collection index refers to the default collection")
    func legacy() throws {
        var table = CollectionTable(served: [.default, items])
        let (id, index) = try table.collection(of: request())
        #expect(id == .default)
        #expect(index == nil)
    }

    @Test("a collection index is rejected before getCollections")
    func numberTooEarly() {
        var table = CollectionTable(served: [.default])
        #expect(throws: SyncError(.http, 400, "inappropriate use of the collection property.")) {
            try table.collection(of: request(collection: "0"))
        }
    }

    @Test("a request for the default collection is rejected when that collection is not served")
    func noDefaultCollection() {
        var table = CollectionTable(served: [items])
        #expect(throws: SyncError(.blip, 400, "This server is not configured for 3.0 client support")) {
            try table.collection(of: request())
        }
    }

    @Test("collections have the indexes of their positions in the list")
    func named() throws {
        var table = CollectionTable(served: [.default, items, notes])
        #expect(try table.choose(["notes", "inv.items", "_default"]) == [notes, items, .default])
        for (index, id) in [notes, items, .default].enumerated() {
            let found = try table.collection(of: request(collection: "\(index)"))
            #expect(found.id == id)
            #expect(found.index == index)
        }
    }

    @Test("after getCollections, a request with a missing or invalid collection index is rejected", arguments: [nil, "2", "-1", "x", ""])
    func badNumber(property: String?) throws {
        var table = CollectionTable(served: [items, notes])
        _ = try table.choose(["notes", "inv.items"])
        let error = #expect(throws: SyncError.self) { try table.collection(of: request(collection: property)) }
        #expect(error?.domain == .http)
        #expect(error?.code == 400)
    }

    @Test("no collection is served when one of the requested collections is unknown")
    func unknown() throws {
        var table = CollectionTable(served: [items])
        #expect(try table.choose(["inv.items", "a.b.c", "nosuch", "_system"]) == [items, nil, nil, nil])
        let error = #expect(throws: SyncError.self) { try table.collection(of: request(collection: "0")) }
        #expect(error?.code == 404)
    }

    @Test("getCollections is accepted once, and only as the first request")
    func once() throws {
        var table = CollectionTable(served: [.default, items])
        _ = try table.choose(["inv.items"])
        #expect(throws: SyncError.self) { try table.choose(["inv.items"]) }
        var other = CollectionTable(served: [.default, items])
        _ = try other.collection(of: request())
        #expect(throws: SyncError.self) { try other.choose(["inv.items"]) }
    }

    @Test("a list that names a collection twice is rejected", arguments: [["notes", "notes"], ["notes", "_default.notes"], ["x", "x"]])
    func duplicate(names: [String]) {
        var table = CollectionTable(served: [notes])
        let error = #expect(throws: SyncError.self) { try table.choose(names) }
        #expect(error?.domain == .blip)
        #expect(error?.code == 400)
    }

    @Test(
        "the default scope is omitted from collection names in messages",
        arguments: [
            ("_default", "_default"), ("notes", "notes"), ("inv.items", "inv.items"), ("_default.notes", "notes"),
        ]
    )
    func wireNames(name: String, normal: String) {
        #expect(CollectionID(wireName: name)?.wireName == normal)
    }
}
