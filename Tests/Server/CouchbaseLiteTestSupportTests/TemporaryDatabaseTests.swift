import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import Testing

@Suite("Temporary databases and documents from JSON")
struct TemporaryDatabaseTests {
    @Test("the files of a temporary database are removed when it is released")
    func removal() throws {
        var temporary: TemporaryDatabase? = try TemporaryDatabase(name: "tasks")
        let directory = try #require(temporary?.directory)
        #expect(temporary?.database.name == "tasks")
        #expect(FileManager.default.fileExists(atPath: directory.appendingPathComponent("tasks.cblite2").path))
        temporary = nil
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test("two temporary databases of the same name are independent")
    func independence() throws {
        let (one, two) = (try TemporaryDatabase(), try TemporaryDatabase())
        try one.database.defaultCollection().save(document: MutableDocument(id: "a"))
        #expect(try two.database.defaultCollection().count == 0)
    }

    @Test("a temporary database can be opened again after a restart, also with a key")
    func restart() throws {
        let temporary = try TemporaryDatabase(encryptionKey: .password("secret"))
        try temporary.database.defaultCollection().save(document: MutableDocument(id: "a"))
        try temporary.database.close()
        let again = try temporary.openAgain()
        #expect(try again.defaultCollection().count == 1)
    }

    @Test("a copy of a database does not change the original")
    func copy() throws {
        let original = try TemporaryDatabase(name: "original")
        try original.database.defaultCollection().load(json: #"{"a": {"n": 1}}"#)
        try original.database.close()
        let bundle = original.directory.appendingPathComponent("original.cblite2")
        let copy = try TemporaryDatabase(copying: bundle)
        try copy.database.execute("DELETE FROM _")
        #expect(try original.openAgain().defaultCollection().count == 1)
        #expect(throws: NSError.self) { try TemporaryDatabase(copying: bundle.appendingPathComponent("missing.cblite2")) }
    }

    @Test("documents are loaded from an object, an array and lines of JSON")
    func fixtures() throws {
        let temporary = try TemporaryDatabase()
        let collection = try temporary.database.defaultCollection()
        #expect(try collection.load(json: #"{"a": {"n": 1, "yes": true}, "b": {}}"#) == 2)
        #expect(try collection.load(json: #"[{"_id": "c", "n": 9007199254740993}, {"n": 2}]"#) == 2)
        let file = temporary.directory.appendingPathComponent("more.jsonl")
        try Data("{\"_id\":\"d\",\"x\":1.5}\n\n{\"_id\":\"e\"}\n".utf8).write(to: file)
        #expect(try collection.load(contentsOf: file) == 2)
        #expect(collection.count == 6)
        #expect(try collection.document(id: "a")?.toJSON() == #"{"n":1,"yes":true}"#)
        #expect(try collection.document(id: "c")?.toJSON() == #"{"n":9007199254740993}"#)
        #expect(try collection.document(id: "d")?.toJSON() == #"{"x":1.5}"#)
    }

    @Test("JSON that is not a set of documents saves nothing", arguments: ["", "5", "[", #"{"a": {}, "b": 5}"#, #"[{"_id": "a"}, []]"#])
    func invalid(_ json: String) throws {
        let temporary = try TemporaryDatabase()
        let collection = try temporary.database.defaultCollection()
        #expect(throws: FixtureError.self) { try collection.load(json: json) }
        #expect(collection.count == 0)
    }
}
