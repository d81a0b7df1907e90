import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("Full-text searches for models")
struct ModelSearchTests {
    struct Recipe: Codable, Identifiable, Equatable, Sendable {
        @DocumentID var id: String?
        var title: String
        var text: String
        var isPublic = true
    }

    let test: TestDatabase
    let recipes: ModelCollection<Recipe>

    init() throws {
        test = try TestDatabase()
        recipes = try test.database.createCollection(name: "recipes").models()
        let filler = String(repeating: "Stir and wait. ", count: 30)
        try recipes.save(Recipe(id: "pasta", title: "Lemon pasta", text: filler + "Add the zest of a lemon to the pasta. " + filler))
        try recipes.save(Recipe(id: "cake", title: "Cake", text: "Bake it with one lemon."))
        try recipes.save(Recipe(id: "soup", title: "Soup", text: "Boil the pasta.", isPublic: false))
        try recipes.collection.createIndex(withName: "texts", config: FullTextIndexConfiguration(["title", "text"], language: "en"))
    }

    @Test("a search returns models by rank, with snippets of the text in which the words are marked")
    func hits() throws {
        let hits = try recipes.search("lemon OR past*", in: "texts").all()
        #expect(hits.map(\.id) == ["pasta", "cake", "soup"])
        #expect(hits.map(\.rank) == hits.map(\.rank).sorted(by: >) && hits.allSatisfy { $0.rank > 0 })
        #expect(hits[0].model == (try recipes.get("pasta")))
        let snippets = hits.compactMap(\.snippet)
        #expect(snippets.map(\.property) == ["title", "text", "text"])
        #expect(snippets.map { $0.marked() } == ["**Lemon** **pasta**", "Bake it with one **lemon**.", "Boil the **pasta**."])
    }

    @Test("the snippet of a property is as long as specified, and has its parts and marks")
    func snippets() throws {
        let search = recipes.search("lemon pasta", in: "texts", snippetOf: "text", snippetLength: 50)
        let snippet = try #require(try search.all().first?.snippet)
        #expect(snippet.marked("<", ">") == "…zest of a <lemon> to the <pasta>. Stir and wait. Stir…")
        #expect(snippet.matches.map { snippet.text[$0] } == ["lemon", "pasta"])
        #expect(snippet.parts.map(\.isMatch) == [false, true, false, true, false])
        #expect(snippet.parts.map { String($0.text) }.joined() == snippet.text)
        #expect(snippet.isCutAtStart && snippet.isCutAtEnd && snippet.property == "text")
        // A property without the words shows how it begins.
        let title = try recipes.search("boil", in: "texts", snippetOf: "title").all()
        #expect(title.map { $0.snippet?.marked() } == ["Soup"])
        #expect(try recipes.search("boil", in: "texts", snippetOf: "none").all().map(\.snippet) == [nil])
        #expect(try recipes.search("boil", in: "texts", snippetLength: -5).all().first?.snippet?.text == "B")
    }

    @Test("a search has a condition, an order, a limit, an offset and a count")
    func options() throws {
        let found = recipes.search("pasta", in: "texts", where: #Predicate { $0.isPublic })
        #expect(try found.all().map(\.id) == ["pasta"] && found.count() == 1)
        let either = recipes.search("lemon OR pasta", in: "texts", orderBy: [SortDescriptor(\.title, order: .reverse)], limit: 2, offset: 1)
        #expect(try either.all().map(\.id) == ["pasta", "cake"] && either.count() == 3)
        #expect(try recipes.search("nothing", in: "texts").all().isEmpty)
    }

    @Test("a search inside of a batch finds uncommitted documents, with their texts")
    func batch() throws {
        try test.database.batch {
            try recipes.save(Recipe(id: "tea", title: "Tea", text: "Ginger"))
            let hits = try recipes.search("ginger", in: "texts").all()
            #expect(hits.map { $0.snippet?.marked() } == ["**Ginger**"])
            try recipes.save(Recipe(id: "ale", title: "Ale", text: "No more"))
        }
    }

    @Test("a search without its index, with an invalid pattern or an undecodable document throws")
    func errors() throws {
        #expect(thrown { _ = try recipes.search("a", in: "none").all() } == .couchbaseLite(CBLError.missingIndex))
        #expect(thrown { _ = try recipes.search("a AND (", in: "texts").all() } == .couchbaseLite(CBLError.invalidQuery))
        try recipes.collection.save(document: MutableDocument(id: "bad").setString("Lemon", forKey: "title"))
        let search = recipes.search("lemon", in: "texts")
        #expect(thrown { _ = try search.all() } == .couchbaseLite(CBLError.decodingError))
        #expect(try search.all(onDecodingError: .skip).map(\.id) == ["pasta", "cake"])
    }

    @Test("texts of all scripts, also decomposed ones, have snippets with the words that were searched")
    func scripts() throws {
        let texts = [
            ("Über den Fluß geht die Brücke", "brücke"), ("מים וקפה בבוקר", "וקפה"), ("Вода и кофе утром", "кофе"),
            ("cafe\u{301} 👩‍🚀🇫🇷 noir", "noir"), ("ὕδωρ καὶ οἶνος", "οἶνος"), ("एक नींबू और पानी", "और"),
        ]
        for (number, (text, word)) in texts.enumerated() {
            try recipes.save(Recipe(id: "\(number)", title: "t", text: text))
            let hit = try #require(try recipes.search(word, in: "texts").all().first { $0.id == "\(number)" }, "\(word)")
            let snippet = try #require(hit.snippet)
            #expect(snippet.text == text)
            #expect(snippet.matches.map { snippet.text[$0].lowercased() } == [word])
        }
    }

    @Test("a live search returns all hits again after a change")
    func live() async throws {
        var live = recipes.search("lemon", in: "texts").live().makeAsyncIterator()
        #expect(try await live.next()?.map(\.id) == ["pasta", "cake"])
        try recipes.save(Recipe(id: "cake", title: "Cake", text: "Bake it with two lemons."))
        let hits = try #require(try await live.next())
        #expect(hits.first { $0.id == "cake" }?.snippet?.marked() == "Bake it with two **lemons**.")
        try recipes.delete(hits[0].model)
        #expect(try await live.next()?.map(\.id) == ["cake"])
    }
}
