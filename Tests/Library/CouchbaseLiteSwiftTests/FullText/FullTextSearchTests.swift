import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("Full-text search")
struct FullTextSearchTests {
    private let folder: DatabaseFolder
    private let database: Database
    private let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    private func save(_ id: String, _ name: String, in collection: Collection? = nil) throws {
        try (collection ?? self.collection).save(document: MutableDocument(id: id).setString(name, forKey: "name"))
    }

    private func ids(_ condition: any ExpressionProtocol) throws -> [String] {
        try QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(collection)).where(condition)
            .orderBy(Ordering.expression(Meta.id)).execute().compactMap { $0.string(at: 0) }
    }

    @Test("an index of the builder can be searched with the builder and with SQL++")
    func builder() throws {
        try save("a", "buy a bridge")
        try save("b", "buying")
        try save("c", "chess")
        let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name")).language("en").ignoreAccents(false)
        try collection.createIndex(index, name: "names")
        #expect(try collection.indexes() == ["names"])
        #expect(try ids(FullTextFunction.match(indexName: "names", query: "'buy'")) == ["a", "b"])
        #expect(try ids(FullTextFunction.match(Expression.fullTextIndex("names"), query: "bridg*")) == ["a"])
        let query = QueryBuilder.select(SelectResult.expression(Meta.id.from("x")))
            .from(DataSource.collection(collection).as("x"))
            .where(FullTextFunction.match(Expression.fullTextIndex("names").from("x"), query: "buy OR bridge"))
            .orderBy(Ordering.expression(FullTextFunction.rank(Expression.fullTextIndex("names").from("x"))).descending())
        #expect(try query.execute().compactMap { $0.string(at: 0) } == ["a", "b"])
        let text = try database.createQuery("SELECT meta().id FROM _ WHERE match(names, 'buy OR bridge') ORDER BY rank(names) DESC")
        #expect(try text.execute().compactMap { $0.string(at: 0) } == ["a", "b"])
    }

    @Test("the builder has the functions of a search, typing errors and synonyms")
    func searchFunctions() throws {
        try save("a", "one bridge")
        try save("b", "a bridge, and many words after it")
        let item = FullTextIndexItem.property("name")
        try collection.createIndex(IndexBuilder.fullTextIndex(items: item).language(nil).synonyms([["bridge", "viaduct"]]), name: "names")
        let index = Expression.fullTextIndex("names")
        let query = QueryBuilder.select(
            SelectResult.expression(FullTextFunction.snippet(index, of: "name", before: "<", after: ">", ellipsis: "~", words: 2)),
            SelectResult.expression(FullTextFunction.highlight(index, of: "name")),
            SelectResult.expression(FullTextFunction.snippet(index))
        ).from(DataSource.collection(collection)).where(FullTextFunction.match(index, query: "viaduct"))
            .orderBy(Ordering.expression(FullTextFunction.bm25(index, weights: [2])).descending())
        let rows = try query.execute().map { row in (0..<3).map { row.string(at: $0) } }
        #expect(rows.first == ["one <bridge>", "one **bridge**", "one **bridge**"])
        #expect(rows.last == ["~<bridge>, and~", "a **bridge**, and many words after it", "a **bridge**, and many words after it"])
        #expect(try ids(FullTextFunction.match(index, fuzzy: "bridgee")) == ["a", "b"])
        #expect(throws: (any Error).self) { try ids(FullTextFunction.match(index, fuzzy: "bridge", distance: 9)) }
    }

    @Test("the language of an index defaults to that of the locale")
    func languages() throws {
        try save("a", "applications")
        func isStemmed(_ name: String) throws -> Bool {
            try ids(FullTextFunction.match(indexName: name, query: "application")) == ["a"]
        }
        let item = FullTextIndexItem.property("name")
        try collection.createIndex(IndexBuilder.fullTextIndex(items: item).language(nil), name: "none")
        try collection.createIndex(IndexBuilder.fullTextIndex(items: [item]).language("english"), name: "english")
        try collection.createIndex(withName: "empty", config: FullTextIndexConfiguration(["name"], language: ""))
        try collection.createIndex(withName: "en_GB", config: FullTextIndexConfiguration(["name"], language: "en_GB"))
        try collection.createIndex(IndexBuilder.fullTextIndex(items: item), name: "builder")
        try collection.createIndex(withName: "default", config: FullTextIndexConfiguration(["name"]))
        #expect(try !isStemmed("none") && !isStemmed("empty"))
        #expect(try isStemmed("english") && isStemmed("en_GB"))
        let isEnglish = Locale.current.language.languageCode?.identifier == "en"
        #expect(try isStemmed("builder") == isEnglish && isStemmed("default") == isEnglish)
    }

    @Test("a full-text index configuration has the given properties and defaults")
    func configuration() {
        #expect(!FullTextIndexConfiguration.defaultIgnoreAccents)
        let plain = FullTextIndexConfiguration(["a"], ignoreAccents: nil)
        #expect(plain.expressions == ["a"] && plain.where == nil && !plain.ignoreAccents && plain.language == nil)
        let full = FullTextIndexConfiguration(["a", "b.c"], where: "a > 1", ignoreAccents: true, language: "fr")
        #expect(full.expressions == ["a", "b.c"] && full.where == "a > 1" && full.ignoreAccents && full.language == "fr")
    }

    @Test("an index may ignore accents, and a partial index contains only some documents")
    func options() throws {
        try save("a", "résumé")
        try save("b", "resume")
        try collection.createIndex(withName: "folded", config: FullTextIndexConfiguration(["name"], ignoreAccents: true, language: ""))
        try collection.createIndex(withName: "partial", config: FullTextIndexConfiguration(["name"], where: "name > 'rf'", language: ""))
        #expect(try ids(FullTextFunction.match(indexName: "folded", query: "Resumé")) == ["a", "b"])
        #expect(try ids(FullTextFunction.match(indexName: "partial", query: "resume OR résumé")) == ["a"])
    }

    @Test("searching a missing index, malformed patterns and invalid expressions throw errors")
    func errors() throws {
        let missing = #expect(throws: NSError.self) {
            try ids(FullTextFunction.match(indexName: "nope", query: "a"))
        }
        #expect(missing?.code == CBLError.missingIndex)
        let item = FullTextIndexItem.property("name")
        try collection.createIndex(IndexBuilder.fullTextIndex(items: item), name: "names")
        let malformed = #expect(throws: NSError.self) {
            try ids(FullTextFunction.match(indexName: "names", query: "(a"))
        }
        #expect(malformed?.code == CBLError.invalidQuery)
        #expect(malformed?.localizedDescription.contains("malformed MATCH expression: [(a]") == true)
        let buried = #expect(throws: NSError.self) {
            try ids(Expression.not(FullTextFunction.match(indexName: "names", query: "a")))
        }
        #expect(buried?.code == CBLError.invalidQuery)
        let expression = #expect(throws: NSError.self) {
            try collection.createIndex(withName: "upper", config: FullTextIndexConfiguration(["upper(name)"]))
        }
        #expect(expression?.code == CBLError.invalidQuery)
        #expect(expression?.localizedDescription.contains("FTS index expression must be a property") == true)
    }

    @Test("full-text search works in a named collection, with encryption and after a key change")
    func everywhere() throws {
        func open(_ password: String) throws -> Database {
            let config = folder.config
            config.encryptionKey = .password(password)
            return try Database(name: "secret", config: config)
        }
        let secret = try open("letmein")
        let articles = try secret.createCollection(name: "articles", scope: "news")
        try articles.createIndex(withName: "names", config: FullTextIndexConfiguration(["name"], language: "en"))
        try save("a", "buying bridges", in: articles)
        func found(_ database: Database) throws -> [String] {
            try database.createQuery("SELECT meta().id FROM news.articles WHERE match(names, 'bridge')").execute()
                .compactMap { $0.string(at: 0) }
        }
        #expect(try found(secret) == ["a"])
        try secret.changeEncryptionKey(.password("other"))
        #expect(try found(secret) == ["a"])
        try save("b", "a bridge", in: articles)
        try secret.performMaintenance(type: .compact)
        try secret.close()
        let reopened = try open("other")
        #expect(try found(reopened).sorted() == ["a", "b"])
        try reopened.deleteCollection(name: "articles", scope: "news")
        try reopened.close()
    }

    @Test("the database checkers find no problems in a full-text index")
    func checked() throws {
        try collection.createIndex(withName: "Names", config: FullTextIndexConfiguration(["name"], language: "en"))
        for number in 0..<20 { try save("d\(number)", "word\(number) bridges") }
        try collection.delete(document: #require(try collection.document(id: "d3")))
        try database.close()
        #expect(try folder.problems().isEmpty)
    }
}
