#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("The guide to getting started", .ownThreads)
struct GettingStartedGuideTests {
    @Test("the app of the guide saves, queries and syncs notes")
    func works() async throws {
        let folder = try DatabaseFolder()
        let server = try ServedDatabase(folder, collection: "notes")
        let url = server.url
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let configuration = DatabaseConfiguration()
        configuration.directory = directory
        let database = try Database(name: "notes", config: configuration)
        let notes = try database.createCollection(name: "notes")

        let note = MutableDocument(id: "note-1")
            .setString("Buy milk", forKey: "text")
            .setBoolean(false, forKey: "done")
            .setDate(Date(), forKey: "created")
        try notes.save(document: note)

        try database.inBatch {
            for number in 2...100 {
                let note = MutableDocument(id: "note-\(number)")
                note.setString("Note \(number)", forKey: "text")
                    .setBoolean(number % 2 == 0, forKey: "done")
                try notes.save(document: note)
            }
        }

        if let stored = try notes.document(id: "note-1") {
            print(stored.string(forKey: "text") ?? "", stored.boolean(forKey: "done"))
            try notes.save(document: stored.toMutable().setBoolean(true, forKey: "done"))
        }

        try notes.createIndex(withName: "byDone", config: ValueIndexConfiguration(["done"]))

        let isDone = false
        let query = try database.query(
            "SELECT meta().id, text FROM notes WHERE done = \(isDone) ORDER BY text LIMIT 10"
        )
        for row in try query.execute() {
            print(row.string(forKey: "id") ?? "", row.string(forKey: "text") ?? "")
        }

        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes)],
            target: URLEndpoint(url: url)
        )
        let report = try await Replicator(config: config).run()
        print("synced:", report.pushed.count, "pushed,", report.pulled.count, "pulled")
        for refusal in report.refused.first {
            print(refusal.id, "was refused:", refusal.error.localizedDescription)
        }
        try database.close()

        #expect(printed.all.first == "Buy milk false")
        #expect(printed.all.count == 12)
        #expect(printed.all.last == "synced: 100 pushed, 0 pulled")
        #expect(server.collection.count == 100)
    }
}
#endif
