import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Value indexes")
struct IndexTests {
    let directory: TemporaryDirectory
    let database: Database
    let collection: Collection

    init() throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "db", config: config)
        collection = try database.createCollection(name: "people", scope: "Acme")
        for target in [try database.defaultCollection(), collection] {
            for index in 0..<50 {
                try target.save(
                    document: MutableDocument(id: "p\(index)").setString("name \(index % 7)", forKey: "name")
                        .setInt(index, forKey: "age")
                )
            }
        }
    }

    private func explain(_ text: String) throws -> String {
        try database.createQuery(text).explain()
    }

    @Test("queries of the builder and of text use an index made by the builder")
    func builderIndex() throws {
        let index = IndexBuilder.valueIndex(items: ValueIndexItem.property("name"), ValueIndexItem.property("age"))
        #expect(try explain("SELECT age FROM _ WHERE name = 'name 1'").contains("SCAN"))
        try database.createIndex(index, withName: "byName")
        #expect(database.indexes == ["byName"])
        #expect(try explain("SELECT age FROM _ WHERE name = 'name 1'").contains("USING INDEX byName"))
        let query = QueryBuilder.select(SelectResult.property("age")).from(DataSource.database(database))
            .where(Expression.property("name").equalTo(Expression.string("name 1")))
            .orderBy(Ordering.property("age"))
        #expect(try query.explain().contains("USING INDEX byName"))
        #expect(try query.execute().map { $0.int(at: 0) } == [1, 8, 15, 22, 29, 36, 43])
    }

    @Test("a value index is updated by saves, deletions and purges")
    func maintained() throws {
        try collection.createIndex(withName: "byAge", config: ValueIndexConfiguration(["age"]))
        let query = try database.createQuery("SELECT meta().id FROM Acme.people WHERE age > 47 ORDER BY age")
        #expect(try query.explain().contains("USING INDEX byAge"))
        #expect(try query.execute().map { $0.string(at: 0) } == ["p48", "p49"])
        let changed = try #require(try collection.document(id: "p48")).toMutable()
        try collection.save(document: changed.setInt(100, forKey: "age"))
        try collection.delete(document: try #require(try collection.document(id: "p49")))
        try collection.save(document: MutableDocument(id: "new").setInt(99, forKey: "age"))
        try collection.purge(id: "p0")
        #expect(try query.execute().map { $0.string(at: 0) } == ["new", "p48"])
        try database.performMaintenance(type: .integrityCheck)
    }

    @Test("creating an index with another definition replaces it, and deleting it twice is no error")
    func replacing() throws {
        try collection.createIndex(withName: "i", config: ValueIndexConfiguration(["age"]))
        try collection.createIndex(withName: "i", config: ValueIndexConfiguration(["age"]))
        #expect(try explain("SELECT name FROM Acme.people WHERE age = 3").contains("USING INDEX i"))
        try collection.createIndex(withName: "i", config: ValueIndexConfiguration(["lower(name)"]))
        #expect(try collection.indexes() == ["i"])
        #expect(try explain("SELECT name FROM Acme.people WHERE age = 3").contains("SCAN"))
        #expect(try explain("SELECT name FROM Acme.people WHERE lower(name) = 'x'").contains("USING INDEX i"))
        #expect(try collection.index(withName: "i")?.name == "i")
        try collection.deleteIndex(forName: "i")
        try collection.deleteIndex(forName: "i")
        #expect(try collection.indexes() == [])
        #expect(try collection.index(withName: "i") == nil)
    }

    @Test("two collections may have indexes of the same name")
    func sameName() throws {
        try database.createIndex(ValueIndexConfiguration(["age"]), name: "byAge")
        try collection.createIndex(withName: "byAge", config: ValueIndexConfiguration(["age"]))
        #expect(try collection.indexes() == ["byAge"])
        #expect(database.indexes == ["byAge"])
        #expect(try explain("SELECT name FROM _ WHERE age = 3").contains("USING INDEX byAge"))
        #expect(try explain("SELECT name FROM Acme.people WHERE age = 3").contains("USING INDEX"))
        try database.deleteIndex(forName: "byAge")
        #expect(try collection.indexes() == ["byAge"])
    }

    @Test("a partial index is used by queries that state its condition")
    func partial() throws {
        try database.createIndex(ValueIndexConfiguration(["age"], where: "name = 'name 1'"), name: "part")
        #expect(try explain("SELECT age FROM _ WHERE name = 'name 1' AND age > 3").contains("USING INDEX part"))
        #expect(try explain("SELECT age FROM _ WHERE age > 3").contains("SCAN"))
    }

    @Test("invalid expressions and names of indexes are refused")
    func refused() throws {
        let badExpression = #expect(throws: NSError.self) {
            try database.createIndex(ValueIndexConfiguration(["age >"]), name: "i")
        }
        #expect(badExpression?.code == CBLError.invalidQuery)
        let badName = #expect(throws: NSError.self) {
            try database.createIndex(ValueIndexConfiguration(["age"]), name: "a\"b")
        }
        #expect(badName?.code == CBLError.invalidParameter)
        #expect(database.indexes == [])
    }

    @Test("the independent checker finds no problems in a database with indexes")
    func checked() throws {
        try database.createIndex(ValueIndexConfiguration(["age", "name"]), name: "Both")
        try collection.createIndex(withName: "byAge", config: ValueIndexConfiguration(["age"]))
        let path = try #require(database.path)
        try database.close()
        #expect(try DatabaseChecker.check(URL(fileURLWithPath: path)).problems == [])
    }
}
