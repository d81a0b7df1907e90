import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("JSON representation of queries")
struct JSONQueryTests {
    private let folder: DatabaseFolder
    private let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        let collection = try database.createCollection(name: "people", scope: "test")
        for (id, age) in [("a", 30), ("b", 40), ("c", 50)] {
            try collection.save(document: MutableDocument(id: id).setInt(age, forKey: "age").setString("Person \(id)", forKey: "name"))
        }
    }

    @Test("a query made from the JSON representation of another query returns the same rows")
    func roundTrip() throws {
        let collection = try #require(try database.collection(name: "people", scope: "test"))
        let queries: [Query] = [
            try database.createQuery("SELECT name, age + 1 AS next FROM test.people WHERE age > 30 ORDER BY age DESC LIMIT 5"),
            QueryBuilder.select(SelectResult.property("name")).from(DataSource.collection(collection))
                .where(Expression.property("age").between(Expression.int(35), and: Expression.int(60))),
        ]
        for query in queries {
            let json = query.JSONRepresentation
            #expect(try JSONSerialization.jsonObject(with: json) is [String: Any])
            let copy = Query(database: database, JSONRepresentation: json)
            #expect(copy.JSONRepresentation == json)
            #expect(try copy.execute().map { $0.toJSON() } == query.execute().map { $0.toJSON() })
            #expect(try copy.execute().allResults().count == 2)
        }
    }

    @Test(
        "an invalid JSON representation throws an error when the query is used",
        arguments: ["", "{", "7", #"{"WHAT":[["nonsense"]]}"#, "\u{FFFD}"]
    )
    func malformed(json: String) throws {
        let query = Query(database: database, JSONRepresentation: Data(json.utf8))
        for use in [{ _ = try query.execute() }, { _ = try query.explain() }] {
            let error = #expect(throws: NSError.self) { try use() }
            #expect(error?.domain == CBLError.domain)
            #expect(error?.code == CBLError.invalidQuery)
        }
    }

    @Test("match() finds an index with or without the collection's name in front")
    func matchByCollectionName() throws {
        let collection = try #require(try database.collection(name: "people", scope: "test"))
        try collection.createIndex(withName: "names", config: FullTextIndexConfiguration(["name"], language: nil))
        for name in ["names", "people.names"] {
            let query = try database.createQuery("SELECT meta().id FROM test.people WHERE match(\(name), 'b') ORDER BY rank(\(name)) DESC")
            #expect(try query.execute().map { $0.string(at: 0) } == ["b"])
        }
        let joined = try database.createQuery(
            "SELECT meta(x).id FROM test.people JOIN test.people AS x ON x.age = people.age WHERE match(people.names, 'person')"
        )
        #expect(try joined.execute().allResults().count == 3)
        #expect(throws: NSError.self) {
            try database.createQuery("SELECT name FROM test.people WHERE match(other.names, 'b')")
        }
    }

    @Test("an unsaved blob can be a parameter, and its result has the content")
    func unsavedBlob() throws {
        let collection = try database.defaultCollection()
        try collection.save(document: MutableDocument(id: "doc"))
        let data = Data("not stored anywhere".utf8)
        let query = try database.createQuery("SELECT $b AS blob, $d AS nested FROM _")
        let blobs = [
            Blob(contentType: "text/plain", data: data),
            Blob(contentType: "text/plain", contentStream: InputStream(data: data)),
        ]
        for blob in blobs {
            let dictionary = MutableDictionaryObject().setBlob(blob, forKey: "inner")
            query.parameters = Parameters().setBlob(blob, forName: "b").setDictionary(dictionary, forName: "d")
            #expect(query.parameters?.value(forName: "b") as? Blob === blob)
            let row = try #require(try query.execute().next())
            let nested = row.dictionary(forKey: "nested")?.blob(forKey: "inner")
            for blob in [row.blob(forKey: "blob"), nested] {
                let found = try #require(blob)
                #expect(found.content == data)
                #expect(found.length == UInt64(data.count))
                #expect(found.contentType == "text/plain")
            }
        }
        let attachments = folder.directory.url.appendingPathComponent("db.cblite2/Attachments").path
        let stored = try? FileManager.default.contentsOfDirectory(atPath: attachments)
        #expect(stored?.isEmpty ?? true)
        #expect(blobs.allSatisfy { $0.digest == nil })
    }
}
