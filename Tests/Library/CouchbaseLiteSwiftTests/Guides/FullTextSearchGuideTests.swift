import CouchbaseLiteSwift
import Testing

struct Article: Codable, Identifiable {
    @DocumentID var id: String?
    var title: String
    var content: String
}

@Suite("The guide to full-text search")
struct FullTextSearchGuideTests {
    private let test: TestDatabase
    private let database: Database
    private let articles: Collection

    init() throws {
        test = try TestDatabase()
        database = test.database
        articles = try database.createCollection(name: "articles")
        let documents = [
            "a":
                #"{"title":"Linux problems","content":"How to solve the problems of Linux","published":true,"author":"Éva"}"#,
            "b":
                #"{"title":"Windows","content":"A problem of Linux is no problem here","published":false,"author":"Eva"}"#,
            "c": #"{"title":"東京","content":"東京都に住んでいます","published":true}"#,
        ]
        for (id, json) in documents { try articles.save(document: MutableDocument(id: id, json: json)) }
    }

    private func ids(_ query: Query) throws -> [String?] {
        try query.execute().map { $0.string(at: 0) }
    }

    @Test("the queries of the guide to full-text search find articles by their words in the order of their rank")
    func searching() throws {
        try articles.createIndex(
            withName: "texts",
            config: FullTextIndexConfiguration(["title", "content"], language: "en")
        )
        let words = "linux AND problem*"
        let query = try database.query(
            """
            SELECT meta().id, title FROM articles
            WHERE match(texts, \(words)) ORDER BY rank(texts) DESC LIMIT 20
            """
        )
        for row in try query.execute() { print(row.string(forKey: "title") ?? "") }
        #expect(try ids(query) == ["a", "b"])

        let index = Expression.fullTextIndex("texts")
        let built =
            QueryBuilder
            .select(SelectResult.expression(Meta.id), SelectResult.property("title"))
            .from(DataSource.collection(articles))
            .where(FullTextFunction.match(index, query: "linux AND problem*"))
            .orderBy(Ordering.expression(FullTextFunction.rank(index)).descending())
            .limit(Expression.int(20))
        #expect(try ids(built) == ["a", "b"])

        for (pattern, found) in [
            ("linux problem", ["a", "b"]), ("linux OR windows", ["a", "b"]), ("linux NOT windows", ["a"]),
            ("(linux OR windows) problem", ["a", "b"]), ("win*", ["b"]), ("\"solve problems\"", ["a"]),
            ("solve NEAR/2 linux", ["a"]), ("title:linux problem", ["a"]), ("^linux", ["a"]), ("", []),
        ] {
            let query = try database.query("SELECT meta().id FROM articles WHERE match(texts, \(pattern))")
            #expect(try Set(ids(query)) == Set(found), "\(pattern)")
        }
        let invalid = try database.query("SELECT meta().id FROM articles WHERE match(texts, \("linux AND ("))")
        #expect(throws: (any Error).self) { try invalid.execute() }
    }

    @Test("the guide's searches find typing errors and synonyms, mark words, and rank by BM25")
    func expansions() throws {
        try articles.createIndex(
            withName: "texts",
            config: FullTextIndexConfiguration(["title", "content"], language: "en")
        )
        let words = "linux AND problem*"
        let typed = "linx problm"
        let similar = try database.query(
            "SELECT meta().id FROM articles WHERE match(texts, fuzzy(\(typed), 1))"
        )
        #expect(try Set(ids(similar)) == ["a", "b"])

        try articles.createIndex(
            withName: "synonyms",
            config: FullTextIndexConfiguration(
                ["title", "content"],
                language: "en",
                synonyms: [["problem", "trouble"], ["os", "operating system"]]
            )
        )
        #expect(try Set(ids(database.query("SELECT meta().id FROM articles WHERE match(synonyms, 'troubles')"))) == ["a", "b"])

        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        let marked = try database.query(
            """
            SELECT meta().id, snippet(texts, 'content', '<b>', '</b>', '…', 12) AS part,
            highlight(texts, 'title', '<b>', '</b>') AS title
            FROM articles WHERE match(texts, \(words)) ORDER BY bm25(texts) DESC LIMIT 20
            """
        )
        for row in try marked.execute() { print(row.string(forKey: "part") ?? "") }
        #expect(printed.first == "How to solve the <b>problems</b> of <b>Linux</b>" && printed.count == 2)

        let weighted = try database.query(
            """
            SELECT meta().id FROM articles WHERE match(texts, \(words))
            ORDER BY bm25(texts, 1.2, 0.75, 3, 1) DESC LIMIT 20
            """
        )
        let ranked = articles.models(Article.self).search(
            "linux",
            in: "texts",
            rankedBy: .bm25(weights: [3, 1])
        )
        #expect(try ids(weighted) == ["a", "b"])
        #expect(try ranked.all().map(\.id) == ["a", "b"])
    }

    @Test("the search of the guide to full-text search returns articles as models, with snippets")
    func models() throws {
        try articles.createIndex(
            withName: "texts",
            config: FullTextIndexConfiguration(["title", "content"], language: "en")
        )
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        let search = articles.models(Article.self).search(
            "linux prob*",
            in: "texts",
            where: #Predicate { $0.title != "" },
            limit: 20,
            snippetOf: "content"
        )
        for hit in try search.all() {
            print(hit.model.title, hit.snippet?.marked() ?? "")
        }
        let number = try search.count()
        #expect(
            printed == [
                "Linux problems How to solve the **problems** of **Linux**",
                "Windows A **problem** of **Linux** is no **problem** here",
            ]
        )
        #expect(number == 2)
    }

    @Test("the guide's full-text indexes are partial, ignore accents and segment Japanese text")
    func options() throws {
        try articles.createIndex(
            withName: "published",
            config: FullTextIndexConfiguration(
                ["content"],
                where: "published = true",
                language: "en"
            )
        )
        #expect(
            try ids(database.query("SELECT meta().id FROM articles WHERE match(published, 'linux')")) == ["a"]
        )

        try articles.createIndex(
            withName: "names",
            config: FullTextIndexConfiguration(
                ["author"],
                ignoreAccents: true,
                language: ""
            )
        )
        let evas = try database.query(
            "SELECT meta().id FROM articles WHERE match(names, 'éva') ORDER BY meta().id"
        )
        #expect(try ids(evas) == ["a", "b"])

        try articles.createIndex(
            withName: "japanese",
            config: FullTextIndexConfiguration(["content"], language: "ja")
        )
        let inTokyo = try database.query(
            "SELECT meta().id FROM articles WHERE match(japanese, '東京')"
        )
        #expect(try ids(inTokyo) == ["c"])
    }
}
