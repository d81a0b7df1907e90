import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Testing

@Suite("Full-text match positions")
struct RowMatchesTests {
    private let database: QueryDatabase

    init() throws {
        database = try QueryDatabase()
        try database.save("a", #"{"title":"Für Bridges","body":["a bridge","too","far: bridging"]}"#)
        try database.save("b", #"{"title":"nothing","body":"one bridge","other":"a bridge"}"#)
        try database.createFullTextIndex("title, body", FullTextIndexOptions(language: "en"))
    }

    @Test("a row reports the column, term and byte range of each match on request")
    func hits() throws {
        let select = try SQLPlusPlus.parse("SELECT meta().id FROM _ WHERE match(idx, 'far OR bridge') ORDER BY meta().id")
        let query = try PreparedQuery(select, on: database.file, databaseName: "db", reportsMatches: true)
        let rows = try query.run(on: database.file)
        #expect(rows.columnTitles == ["id"] && rows.count == 2)
        let first = try #require(rows.matches(row: 0))
        let found = try first.hits.map { hit in
            let text = try #require(try first.indexedText(column: hit.column, on: database.file))
            let word = String(decoding: Array(text.utf8)[hit.bytes], as: UTF8.self)
            return "\(hit.column) \(hit.term) \(hit.bytes.lowerBound) \(word)"
        }
        #expect(found == ["0 1 5 Bridges", "1 1 3 bridge", "1 0 14 far", "1 1 19 bridging"])
        #expect(first.hitsInFirstProperty == [first.hits[0]])
        let title = try #require(try first.firstIndexedText(on: database.file))
        #expect(first.hits[0].range(in: title).map { title[$0] } == "Bridges")
        #expect(first.hits[2].range(in: title) == nil)
        let second = try #require(rows.matches(row: 1))
        #expect(try second.indexedText(column: second.hits[0].column, on: database.file) == "one bridge")
        #expect(rows.matches(row: 2) == nil && rows.matches(row: -1) == nil)
        // The text is read when it is requested.
        try database.delete("b")
        #expect(try second.indexedText(column: 1, on: database.file) == nil)
        #expect(try first.indexedText(column: 9, on: database.file) == nil)
        #expect(try first.indexedText(column: -1, on: database.file) == nil)
    }

    @Test("the text of a match is that of the same property after the columns of the index change, and nil without the index")
    func changedIndex() throws {
        let select = try SQLPlusPlus.parse("SELECT meta().id FROM _ WHERE match(idx, 'far')")
        let query = try PreparedQuery(select, on: database.file, databaseName: "db", reportsMatches: true)
        func match() throws -> RowMatches { try #require(try query.run(on: database.file).matches(row: 0)) }
        let first = try match()
        #expect(first.hits.map(\.column) == [1])
        let text = try first.indexedText(column: 1, on: database.file)
        #expect(text?.contains("far") == true)
        try database.createFullTextIndex("body, title")
        #expect(try first.indexedText(column: 1, on: database.file) == text)
        let second = try match()
        #expect(second.hits.map(\.column) == [0])
        #expect(try second.indexedText(column: 0, on: database.file) == text)
        try database.createFullTextIndex("title")
        #expect(try first.indexedText(column: 1, on: database.file) == nil)
        try database.indexes.delete("idx", on: try database.collection())
        #expect(try first.indexedText(column: 1, on: database.file) == nil)
    }

    @Test("a row reports no matches without a request, with aggregates or without a match")
    func silence() throws {
        let plain = try database.prepare("SELECT meta().id FROM _ WHERE match(idx, 'bridge')")
        #expect(try plain.run(on: database.file).matches(row: 0) == nil)
        for text in [
            "SELECT count(*) FROM _ WHERE match(idx, 'bridge')", "SELECT title FROM _ WHERE title = 'nothing'",
        ] {
            let query = try PreparedQuery(SQLPlusPlus.parse(text), on: database.file, databaseName: "db", reportsMatches: true)
            let rows = try query.run(on: database.file)
            #expect(rows.count == 1 && rows.matches(row: 0) == nil)
        }
    }

    @Test("match() with a property name searches that property in the index that covers it")
    func properties() throws {
        #expect(try database.ids(matching: "bridge", index: "title") == ["a"])
        #expect(try database.ids(matching: "bridge", index: "body") == ["a", "b"])
        try database.createFullTextIndex("other", named: "alone")
        #expect(try database.ids(matching: "bridge", index: "other") == ["b"])
        #expect(try database.rows("SELECT rank(title) FROM _ WHERE match(title, 'bridge')") == ["1.0"])
        #expect(
            try database.rows("SELECT meta(x).id FROM _ AS x WHERE match(x.title, 'bridge') ORDER BY rank(x.title)")
                == [#""a""#]
        )
        // An index with this name takes precedence.
        try database.createFullTextIndex("other", named: "title")
        #expect(try database.ids(matching: "bridge", index: "title") == ["b"])
        #expect(throws: QueryError(.missingIndex, "'match' test requires a full-text index")) {
            try database.ids(matching: "bridge", index: "nowhere")
        }
        #expect(throws: QueryError.self) {
            try database.prepare("SELECT 1 FROM _ WHERE match(idx, 'a') AND match(body, 'b')")
        }
    }
}
