import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Array indexes of collections")
struct ArrayIndexTests {
    let directory: TemporaryDirectory
    let database: Database
    let collection: Collection

    init() throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "db", config: config)
        collection = try database.createCollection(name: "people", scope: "Acme")
        for (id, json) in [
            ("p1", #"{"name":"Lue","contacts":[{"city":"SP","phones":["1","2"]}],"likes":["cat",true]}"#),
            ("p2", #"{"name":"Bob","contacts":[{"city":"SC","phones":["2"]}],"likes":["tea"]}"#),
        ] {
            try collection.save(document: MutableDocument(id: id, json: json))
        }
    }

    private let elements = "SELECT p.name, l FROM Acme.people AS p UNNEST p.likes AS l WHERE l = 'tea'"
    private let nested =
        "SELECT p.name FROM Acme.people AS p UNNEST p.contacts AS c UNNEST c.phones AS ph WHERE ph = '2' ORDER BY p.name"

    private func names(_ text: String) throws -> [String?] {
        try database.createQuery(text).execute().map { $0.string(at: 0) }
    }

    @Test("UNNEST uses array indexes, which are updated with the documents")
    func use() throws {
        try collection.createIndex(withName: "likes", config: ArrayIndexConfiguration(path: "likes"))
        try collection.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "contacts[].phones"))
        try collection.createIndex(
            withName: "cities",
            config: ArrayIndexConfiguration(path: "contacts", expressions: ["city", "zip.code"])
        )
        #expect(try collection.indexes() == ["cities", "likes", "phones"])
        #expect(try database.createQuery(elements).explain().contains("USING INDEX likes"))
        #expect(try database.createQuery(nested).explain().contains("USING INDEX phones"))
        #expect(try names(elements) == ["Bob"] && names(nested) == ["Bob", "Lue"])
        let changed = try #require(try collection.document(id: "p1")).toMutable()
        changed.array(forKey: "likes")?.addString("tea")
        try collection.save(document: changed)
        try collection.delete(document: try #require(try collection.document(id: "p2")))
        #expect(try names(elements) == ["Lue"] && names(nested) == ["Lue"])
        try collection.purge(id: "p1")
        #expect(try names(elements) == [] && names(nested) == [])
        try database.performMaintenance(type: .integrityCheck)
    }

    @Test("empty expressions of an array index raise an exception, and an invalid path throws an error")
    func refused() throws {
        #expect(misuse { _ = ArrayIndexConfiguration(path: "likes", expressions: []) }?.name == invalidArgument)
        #expect(misuse { _ = ArrayIndexConfiguration(path: "likes", expressions: ["a", ""]) }?.name == invalidArgument)
        for path in ["", "likes[]", "a[].[]"] {
            let error = #expect(throws: NSError.self) {
                try collection.createIndex(withName: "i", config: ArrayIndexConfiguration(path: path))
            }
            #expect(error?.code == CBLError.invalidQuery)
        }
    }

    @Test("array indexes are kept by compacting, reindexing, copying and a key change")
    func maintenance() throws {
        try collection.createIndex(withName: "likes", config: ArrayIndexConfiguration(path: "likes"))
        try collection.createIndex(withName: "names", config: ValueIndexConfiguration(["name"]))
        try database.performMaintenance(type: .compact)
        try database.performMaintenance(type: .reindex)
        try database.changeEncryptionKey(.key(Data(repeating: 7, count: 32)))
        #expect(try names(elements) == ["Bob"])
        #expect(try database.createQuery(elements).explain().contains("USING INDEX likes"))
        let path = try #require(database.path)
        try database.close()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        config.encryptionKey = .key(Data(repeating: 7, count: 32))
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config)
        let copy = try Database(name: "copy", config: config)
        let query = try copy.createQuery(elements)
        #expect(try query.explain().contains("USING INDEX likes"))
        #expect(try query.execute().map { $0.string(at: 0) } == ["Bob"])
        #expect(try copy.createQuery("SELECT name FROM Acme.people WHERE name = 'Bob'").explain().contains("INDEX names"))
        try copy.close()
    }

    @Test("indexesInfo() returns the definitions of all indexes")
    func information() throws {
        try collection.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "contacts[].Phones", expressions: ["n", "m"]))
        try collection.createIndex(IndexBuilder.valueIndex(items: ValueIndexItem.property("a.b")), name: "builder")
        let info = try #require(try collection.indexesInfo())
        #expect(info.map { $0["name"] as? String } == ["builder", "phones"])
        #expect(info.map { $0["type"] as? Int } == [0, 2])
        #expect(info.map { $0["lang"] as? String } == ["json", "n1ql"])
        #expect(info.map { $0["expr"] as? String } == [#"[[".a.b"]]"#, "n,m"])
        #expect(info.map { $0["unnestPath"] as? String } == [nil, "contacts[].Phones"])
    }

    @Test("the independent checker finds no problems in array indexes")
    func checked() throws {
        try collection.createIndex(withName: "Likes", config: ArrayIndexConfiguration(path: "Likes"))
        try collection.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "contacts[].phones"))
        let path = try #require(database.path)
        try database.close()
        #expect(try DatabaseChecker.check(URL(fileURLWithPath: path)).problems == [])
    }
}
