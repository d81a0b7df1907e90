import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("Full-text search with deprecated spellings")
struct FullTextSampleTests {
    private let folder: DeprecatedFolder
    private let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.database()
        for (id, name) in [
            ("1", "buy milk"), ("2", "Buying museum tickets"), ("3", "play chess, or für buy"), ("4", "linux problems"),
            ("5", "title of an introductory linux text with other problems"), ("6", "applications of linux"),
        ] {
            try database.saveDocument(MutableDocument(id: id).setString(name, forKey: "name").setString("task", forKey: "type"))
        }
    }

    private func ids(_ condition: any ExpressionProtocol) throws -> [String] {
        try QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.database(database)).where(condition)
            .execute().compactMap { $0.string(forKey: "id") }.sorted()
    }

    @Test("an index of a property can be searched with a match expression of the property")
    func property() throws {
        try database.createIndex(["name"], options: .fullTextIndex(language: nil, ignoreDiacritics: false))
        let query = Query.select().from(DataSource.database(database)).where(Expression.property("name").match("'buy'"))
        let rows = try query.run()
        #expect(Set(rows.map { $0.document.string(forKey: "name") ?? "" }) == ["buy milk", "play chess, or für buy"])
        #expect(throws: NSError.self) { try ids(Expression.property("other").match("'buy'")) }
        #expect(throws: NSError.self) { try ids(Function.lower(Expression.property("name")).match("'buy'")) }
        #expect(throws: NSError.self) { try ids(Expression.property("name").notMatch("'buy'")) }
        let ranked = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.database(database))
            .where(Expression.property("name").match("'buy'"))
            .orderBy(Ordering.expression(Expression.fts().rank("name")).descending())
        #expect(try ranked.execute().allResults().count == 2)
    }

    @Test("full-text rows have the ranges of the matched words")
    func rows() throws {
        try database.createIndex(["name"], options: .fullTextIndex(language: "en", ignoreDiacritics: false))
        let query = database.createQuery(where: "name MATCHES 'buy OR chess'", orderBy: ["_id"])
        let rows = try query.run().compactMap { $0 as? FullTextQueryRow }
        #expect(rows.map(\.documentID) == ["1", "2", "3"])
        #expect(rows.map(\.fullTextMatched) == ["buy milk", "Buying museum tickets", "play chess, or für buy"])
        #expect(rows.map(\.matchCount) == [1, 1, 2])
        let text = try #require(rows[2].fullTextMatched)
        let words = (0..<2).map { (text as NSString).substring(with: rows[2].textRangeOfMatch($0)) }
        #expect(words == ["chess", "buy"])
        #expect(rows[2].textRangeOfMatch(2).location == NSNotFound && rows[2].textRangeOfMatch(-1).location == NSNotFound)
        try database.deleteDocument(#require(database.document(withID: "3")))
        #expect(rows[2].textRangeOfMatch(1).length == 3, "the text is not read again")
        #expect(rows[2].fullTextMatched == nil && rows[2].textRangeOfMatch(0).location == NSNotFound)
        let others = try database.createQuery(where: "type == 'task'").run()
        #expect(!others.contains { $0 is FullTextQueryRow })
    }

    @Test("a full-text index is searched by name with patterns and ordered by rank")
    func index() throws {
        let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name")).ignoreAccents(false).language("en")
        try database.createIndex(index, withName: "nameFTSIndex")
        let name = FullTextExpression.index("nameFTSIndex")
        for (pattern, found) in [
            ("'buy'", ["1", "2", "3"]), ("'lin*'", ["4", "5", "6"]), ("name:linux problems", ["4", "5"]),
            ("'title:linux problems'", ["5"]), ("\"linux applications\"", []), ("\"linux problems\"", ["4"]),
            ("linux NEAR/0 problems", ["4"]), ("linux NEAR problems", ["4", "5"]),
            ("(buy OR linux) NOT problems", ["1", "2", "3", "6"]),
            ("buy AND (milk OR museum)", ["1", "2"]),
        ] {
            #expect(try ids(name.match(pattern)) == found, "\(pattern)")
        }
        let ranked = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.database(database))
            .where(name.match("linux OR milk"))
            .orderBy(Ordering.expression(FullTextFunction.rank("nameFTSIndex")).descending())
            .limit(Expression.int(1))
        #expect(try ranked.execute().compactMap { $0.string(at: 0) } == ["1"])
    }
}
