import CouchbaseLiteSwift
import Testing

@Suite("Samples of full-text search")
struct SamplesFullTextTests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.travelSample()
    }

    @Test("a full-text index of the preview can be created repeatedly")
    func previewIndex() throws {
        let count = database.indexes.count
        for _ in 0..<2 {
            try database.createIndex(["name"], options: .fullTextIndex(language: nil, ignoreDiacritics: false))
        }
        #expect(database.indexes.count == count + 1)
        try database.createIndex(["name"], options: .fullTextIndex(language: "en", ignoreDiacritics: true))
        #expect(database.indexes.count == count + 1)
    }

    @Test("a full-text index is searched for a word in quotes")
    func search() throws {
        let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name")).ignoreAccents(false)
        try database.createIndex(index, withName: "nameFTSIndex")

        let whereClause = FullTextExpression.index("nameFTSIndex").match("'hostel'")
        let ftsQuery = Query.select(SelectResult.expression(Expression.meta().id), SelectResult.property("name"))
            .from(DataSource.database(database))
            .where(whereClause)
        var found = 0
        for row in try ftsQuery.run() {
            #expect(row.string(forKey: "id") != nil)
            #expect(try #require(row.string(forKey: "name")).lowercased().contains("hostel"))
            found += 1
        }
        #expect(found > 20)
    }

    @Test("patterns support prefixes, columns, phrases, NEAR, AND, OR, NOT and parentheses")
    func patterns() throws {
        let texts = try folder.database("texts")
        let documents = [
            ("1", "linux driver", "a device driver for linux"), ("2", "linux problems", "applications on linux"),
            ("3", "windows", "problems with linux applications"), ("4", "lineage", "a database of families"),
            ("5", "database problems", "sqlite is a widely used database of linux"),
        ]
        for (id, title, body) in documents {
            try texts.saveDocument(MutableDocument(id: id, data: ["title": title, "body": body]))
        }
        let index = IndexBuilder.fullTextIndex(
            items: FullTextIndexItem.property("title"),
            FullTextIndexItem.property("body")
        ).language(nil)
        try texts.createIndex(index, withName: "text")
        let patterns: [(String, [String])] = [
            ("'lin*'", ["1", "2", "3", "4", "5"]),
            ("title:linux problems", ["2"]),
            // After a quote, the name of the column is an ordinary word.
            ("'title:linux problems'", []),
            ("\"linux applications\"", ["3"]),
            ("'\"lin* app*\"'", ["3"]),
            ("sqlite NEAR/3 used", ["5"]),
            ("sqlite NEAR/1 database", []),
            ("sqlite NEAR database", ["5"]),
            ("database AND sqlite", ["5"]),
            ("driver OR families", ["1", "4"]),
            ("linux NOT problems", ["1"]),
            ("(applications OR driver) AND title:linux", ["1", "2"]),
        ]
        for (pattern, ids) in patterns {
            let query = Query.select().from(DataSource.database(texts))
                .where(FullTextExpression.index("text").match(pattern))
            #expect(try query.run().map(\.documentID).sorted() == ids, "\(pattern)")
        }
    }

    @Test("results are ordered by their rank")
    func ranking() throws {
        let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("description"))
        try database.createIndex(index, withName: "descriptionFTSIndex")
        let rank = FullTextFunction.rank("descriptionFTSIndex")
        let query = QueryBuilder.select(SelectResult.expression(Meta.id), SelectResult.expression(rank).as("rank"))
            .from(DataSource.database(database))
            .where(FullTextExpression.index("descriptionFTSIndex").match("'garden'"))
            .orderBy(Ordering.expression(FullTextFunction.rank("descriptionFTSIndex")).descending())
            .limit(10)
        let ranks = try query.run().map { $0.double(forKey: "rank") }
        #expect(ranks.count == 10)
        #expect(ranks == ranks.sorted(by: >))
        #expect(try #require(ranks.first) > ranks[9])
    }
}
