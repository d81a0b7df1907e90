import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("Model queries with a condition in SQL++")
struct ModelQueryTextTests {
    struct Note: Codable, Identifiable, Sendable {
        @DocumentID var id: String?
        var title: String
        var rank = 0
        var doc: String?
        var notes: String?
        var tags: [String] = []
    }

    let test: TestDatabase
    let notes: ModelCollection<Note>

    init() throws {
        test = try TestDatabase()
        notes = try test.database.createCollection(name: "notes", scope: "work").models()
        for (rank, title) in ["Soup", "soup of the day", "Cake"].enumerated() {
            try notes.save(Note(id: "\(rank)", title: title, rank: rank, doc: "d\(rank)", notes: "n\(rank)", tags: ["t\(rank)"]))
        }
    }

    private func ids(_ condition: QueryText) throws -> [String?] {
        try notes.query(where: condition, orderBy: [SortDescriptor(\.rank)]).all().map(\.id)
    }

    @Test("a condition in SQL++ selects models, with bound values, an order, a limit and an offset")
    func selecting() throws {
        let pattern = "soup%"
        let query = notes.query(where: "lower(title) LIKE \(pattern)", orderBy: [SortDescriptor(\.rank, order: .reverse)])
        #expect(try query.all().map(\.id) == ["1", "0"])
        #expect(try query.first()?.id == "1" && query.count() == 2)
        let part = notes.query(
            where: "lower(title) LIKE \(pattern) AND rank >= \(0)",
            orderBy: [SortDescriptor(\.rank)],
            limit: 1,
            offset: 1
        )
        #expect(try part.all().map(\.id) == ["1"] && part.count() == 2)
        #expect(try query.explain().contains("$__1"))
    }

    @Test("an interpolated value is never a part of the text")
    func binding() throws {
        for text in ["' OR 1=1 --", "x') OR (1=1", "`", "$_1", "\\'"] {
            #expect(try ids("title = \(text)") == [])
            try notes.save(Note(id: "odd", title: text, rank: 9))
            #expect(try ids("title = \(text)") == ["odd"])
        }
        #expect(thrown { _ = try ids("title = 1) OR (1 = 1") } == .couchbaseLite(CBLError.invalidQuery))
        #expect(thrown { _ = try ids("title = 'a' ORDER BY title") } == .couchbaseLite(CBLError.invalidQuery))
        #expect(thrown { _ = try ids("") } == .couchbaseLite(CBLError.invalidQuery))
    }

    @Test("names in the text mean what they mean in a query on the collection alone")
    func names() throws {
        #expect(try ids("doc = 'd1'") == ["1"])
        #expect(try ids("meta().id = '2' OR notes.rank = 0") == ["0", "2"])
        #expect(try ids("meta(notes).id = '2'") == ["2"])
        #expect(try ids("ANY t IN tags SATISFIES t = 't1' END") == ["1"])
        #expect(try ids("rank IN [0, 2] AND notes.notes = 'n2'") == ["2"])
        #expect(try ids("rank IN (SELECT max(rank) FROM work.notes)") == ["2"])
        #expect(try ids("doc.title = 'Soup'") == [])
    }

    @Test("models selected by a text are changed and deleted, and named parameters are set on the query")
    func changing() throws {
        let word = "soup%"
        #expect(try notes.query(where: "lower(title) LIKE \(word)").update { $0.rank += 10 } == 2)
        #expect(try ids("rank > \(9)") == ["0", "1"])
        #expect(try notes.query(where: "rank > \(10)", limit: 5).delete() == 1)
        #expect(try notes.query(where: "title = \("Cake")").delete() == 1)
        let named = notes.query(where: "rank = $rank")
        named.query.parameters = Parameters().setInt(10, forName: "rank")
        #expect(try named.count() == 1 && named.first()?.id == "0")
    }

    @Test("models selected by a text stay live")
    func live() async throws {
        let limit = 1
        var live = notes.query(where: "rank >= \(limit)", orderBy: [SortDescriptor(\.rank)]).live().makeAsyncIterator()
        #expect(try await live.next()?.map(\.id) == ["1", "2"])
        try notes.save(Note(id: "3", title: "Pie", rank: 3))
        #expect(try await live.next()?.map(\.id) == ["1", "2", "3"])
    }

    @Test("a text can contain a full-text search")
    func search() throws {
        try notes.collection.createIndex(withName: "titles", config: FullTextIndexConfiguration(["title"], language: "en"))
        let words = "soup"
        let found = notes.query(where: "match(titles, \(words)) AND rank > 0")
        #expect(try found.all().map(\.id) == ["1"] && found.count() == 1)
        #expect(try found.delete() == 1)
    }
}
