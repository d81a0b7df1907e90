import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("The guide to the API at a glance")
struct AtAGlanceGuideTests {
    struct Note: Codable, Identifiable, Sendable {
        @DocumentID var id: String?
        var title: String
        var isDone = false
    }

    @Test("the examples of the API at a glance save, find, change, observe and purge notes")
    func works() async throws {
        let config = try DatabaseFolder().config

        let database = try Database(name: "notes", config: config)
        let collection = try database.createCollection(name: "notes")

        let document = MutableDocument(id: "plan").setString("Plan", forKey: "title")
        try collection.save(document: document)
        let title = try collection.document(id: "plan")?.string(forKey: "title")
        #expect(title == "Plan")
        try collection.save(document: document.setBoolean(true, forKey: "isDone"))

        let notes = collection.models(Note.self)
        var note = Note(title: "Call Anna")
        try notes.save(&note)
        let plan = try notes.get("plan")

        let open = notes.query(
            where: #Predicate { !$0.isDone },
            orderBy: [SortDescriptor(\.title)]
        )
        let titles = try open.all().map(\.title)
        let next = try open.first()
        let number = try open.count()
        let done = try open.update { $0.isDone = true }
        let removed = try notes.query(where: #Predicate { $0.isDone }).delete()
        #expect(plan?.title == "Plan" && titles == ["Call Anna"] && next?.id == note.id)
        #expect((number, done, removed) == (1, 1, 2))
        try notes.save(Note(id: "plan", title: "Plan"))

        let word = "%plan%"
        let query = try database.query(
            "SELECT meta().id, title FROM \(collection) WHERE lower(title) LIKE \(word)"
        )
        for row in try query.execute() { print(row.string(forKey: "title") ?? "") }

        let result = try database.execute(
            "UPDATE \(collection) SET isDone = TRUE WHERE lower(title) LIKE \(word)"
        )
        print(result.changedCount)
        #expect(result.changedCount == 1)

        let shared = try await Database.async.open(name: "shared", config: config)

        let saved = try await shared.write {
            let list = try shared.createCollection(name: "notes").models(Note.self)
            try list.save(Note(id: "a", title: "Water the plants"))
            return list
        }
        let (first, count) = try await shared.read {
            (try saved.get("a"), try saved.query().count())
        }
        #expect(first?.title == "Water the plants" && count == 1)

        let undone = saved.query(where: #Predicate { !$0.isDone })
        for try await current in undone.live() {
            print(current.map(\.title))
            break
        }

        do {
            try collection.purge(id: "no such note")
        } catch CBLError.notFound {
            print("nothing to purge")
        } catch {
            print(DatabaseError(error)?.hint ?? "")
        }
    }
}
