import CouchbaseLiteSwift
import Foundation
import TestTraits
import Testing

@Suite("The guide to changing models")
struct ChangingYourModelsGuideTests {
    enum Priority: String, Codable {
        case low, normal, urgent
    }

    struct Note: Codable, DefaultProviding, FormerKeyProviding {
        @DocumentID var id: String?
        var title: String
        var isDone = false
        var priority = Priority.normal
        var minutes = 0

        static var defaultValue: Note { Note(title: "Untitled") }
        static let formerKeys = ["title": ["heading"]]
    }

    func openNotes(_ config: DatabaseConfiguration) throws -> Database {
        let database = try Database(name: "notes", config: config)
        try database.migrate(to: 2) { step in
            switch step.number {
            case 1:
                try step.execute(
                    "UPDATE notes SET minutes = TONUMBER(minutes) WHERE ISSTRING(minutes)"
                )
            default:
                try step.update(Note.self, in: "notes") { note in
                    note.title = note.title.trimmingCharacters(in: .whitespaces)
                }
            }
        }
        return database
    }

    func receiveNotes(in database: Database) throws {
        let collection = try database.createCollection(name: "notes")
        try collection.upgrade { note in
            guard let minutes = note.string(forKey: "minutes") else { return }
            note.setInt(Int(minutes) ?? 0, forKey: "minutes")
        }
    }

    let folder: DatabaseFolder

    init() throws { folder = try DatabaseFolder() }

    /// Stores what the first version of the app has stored.
    private func store(in database: Database) throws {
        let notes = try database.createCollection(name: "notes")
        for (id, json) in [
            ("milk", #"{"heading":" Buy milk","priority":"normal","minutes":"15"}"#),
            ("call", #"{"heading":"Call Ann","priority":"later"}"#),
        ] {
            try notes.save(document: MutableDocument(id: id, json: json))
        }
    }

    @Test("the examples of the guide to changing models read documents of the first version")
    func reading() throws {
        let database = try folder.open("notes")
        try store(in: database)
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let notes = try database.createCollection(name: "notes").models(Note.self)
        let open = notes.query(where: #Predicate { !$0.isDone })
        for note in try open.all(onDecodingError: .skip) {
            print(note.title, note.priority)
        }

        #expect(printed == ["Call Ann normal"])
        #expect(try open.count() == 2)
        let reported = Printed()
        do {
            @Sendable func print(_ line: String) { reported.lines.append(line) }
            let report = DecodingErrorPolicy.report { id, error in
                print("cannot read \(id): \(error.localizedDescription)")
            }
            let readable = try notes.query().all(onDecodingError: report)

            #expect(readable.map(\.id) == ["call"])
        }
        #expect(reported.lines.count == 1 && reported.lines[0].contains("milk") && reported.lines[0].contains("minutes"))
    }

    @Test("the example of the guide to changing models migrates documents once")
    func migrating() throws {
        try store(in: folder.open("notes"))
        let database = try openNotes(folder.config)
        let notes = try database.createCollection(name: "notes").models(Note.self)
        let milk = try #require(try notes.get("milk"))
        #expect(milk.title == "Buy milk" && milk.minutes == 15)
        try store(in: database)
        #expect(try openNotes(folder.config).execute("SELECT 1 FROM notes WHERE ISSTRING(minutes)").rows.allResults().count == 1)
    }

    #if Replication
    @Test("the example of the guide to changing models changes documents that arrive", .ownThreads)
    func receiving() async throws {
        let (old, new) = (try folder.open("old"), try folder.open("new"))
        try store(in: old)
        try receiveNotes(in: new)
        let notes = try new.createCollection(name: "notes").models(Note.self)
        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes.collection)],
            target: DatabaseEndpoint(database: old)
        )
        try await Replicator(config: config).run()
        #expect(try notes.query().all().map(\.minutes).sorted() == [0, 15])
    }
    #endif
}

/// Lines that code on one thread has printed.
private final class Printed: @unchecked Sendable {
    // Unchecked: the test calls everything on its own thread.
    var lines: [String] = []
}
