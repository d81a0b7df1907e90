import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("The guide to databases")
struct DatabasesGuideTests {
    private enum AirportError: Error {
        case noGate
    }

    @Test("the examples of the guide to databases open, fill, copy, maintain and delete databases")
    func works() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.url
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let config = DatabaseConfiguration()
        config.directory = folder.path
        let database = try Database(name: "travel", config: config)

        let airports = try database.createCollection(name: "airports", scope: "inventory")
        try airports.save(
            document: MutableDocument(id: "CDG").setString("Paris", forKey: "city")
        )
        for scope in try database.scopes() {
            for collection in try scope.collections() {
                print(collection.fullName, collection.count)
            }
        }
        #expect(printed == ["_default._default 0", "inventory.airports 1"])

        try database.inBatch {
            for number in 1...1000 {
                try airports.save(
                    document: MutableDocument(id: "gate-\(number)")
                        .setInt(number, forKey: "gate")
                )
            }
        }
        #expect(airports.count == 1001)

        let count = try database.batch {
            guard let gate = try airports.document(id: "gate-1") else {
                throw AirportError.noGate
            }
            try airports.delete(document: gate)
            return airports.count
        }
        #expect(count == 1000)

        try database.performMaintenance(type: .compact)
        try database.performMaintenance(type: .integrityCheck)
        var stored = ""
        printed = []
        var token = stored.isEmpty ? nil : try HistoryToken(string: stored)
        var page: HistoryPage
        repeat {
            page = try database.history(since: token)
            for change in page.changes where change.origin == .app {
                print(change.collection.name, change.documentID, change.isDeleted)
            }
            token = page.token
            stored = page.token.string
        } while page.hasMore
        #expect(printed.count == 1001 && printed.first == "airports CDG false" && printed.last == "airports gate-1 true")
        #expect(try database.history(since: HistoryToken(string: stored)).changes.isEmpty)

        let shipped = folder.appendingPathComponent("travel.cblite2")
        try database.close()

        if !Database.exists(withName: "catalogue", inDirectory: folder.path) {
            try Database.copy(
                fromPath: shipped.path,
                toDatabase: "catalogue",
                withConfig: config
            )
        }
        let catalogue = try Database(name: "catalogue", config: config)
        #expect(try catalogue.collection(name: "airports", scope: "inventory")?.count == 1000)

        try catalogue.close()
        try Database.delete(withName: "catalogue", inDirectory: folder.path)
        #expect(!Database.exists(withName: "catalogue", inDirectory: folder.path))
    }
}
