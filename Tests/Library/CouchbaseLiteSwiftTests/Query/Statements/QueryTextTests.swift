import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Values in the text of queries")
struct QueryTextTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things", scope: "my-scope")
        try collection.save(
            document: MutableDocument(
                id: "a",
                data: ["name": "O'Neil \" $x", "n": 5, "d": 1.5, "yes": true, "odd`key.x": 1, "list": [1, 2], "sub": ["k": "v"]]
            )
        )
        try collection.save(document: MutableDocument(id: "b", data: ["name": "B", "n": 6]))
    }

    private func ids(_ text: QueryText) throws -> [String] {
        try database.query(text).execute().compactMap { $0.string(at: 0) }
    }

    @Test("interpolated values are bound, whatever they contain")
    func values() throws {
        let none: String? = nil
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE name = \("O'Neil \" $x")") == ["a"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE name = \("' OR 1 = 1 --")").isEmpty)
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE n = \(5) AND d = \(1.5) AND yes = \(true)") == ["a"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE n IN \([5, 7]) AND list = \([1, 2])") == ["a"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE sub = \(["k": "v"])") == ["a"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE n > \(UInt8(5)) AND n < \(Float(7))") == ["b"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE name = \(none)").isEmpty)
    }

    @Test("decimal numbers, durations, UUIDs and URLs are bound in the form in which documents store them")
    func otherScalars() throws {
        let (uuid, url) = (UUID(), try #require(URL(string: "https://example.com/")))
        let half = Decimal(5) / 10
        let data: [String: Any] = ["half": half, "uuid": uuid, "url": url, "time": Duration.milliseconds(1500)]
        try collection.save(document: MutableDocument(id: "c", data: data))
        let json = try #require(try collection.document(id: "c")).toDictionary()
        #expect(json["half"] as? Double == 0.5 && json["time"] as? Double == 1.5)
        #expect(json["uuid"] as? String == uuid.uuidString && json["url"] as? String == "https://example.com/")
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE half = \(half) AND time < \(Duration.seconds(2))") == ["c"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE uuid = \(uuid) AND url = \(url) AND half IN \([half])") == ["c"])
        let none: Decimal? = nil
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE half = \(none)").isEmpty)
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE n = \(9.99 - 4.99) AND d < \(9.99)") == ["a"])
    }

    private enum Name: String {
        case big = "B"
    }

    private enum Number: Int {
        case six = 6
    }

    @Test("enumerations are bound by their raw values")
    func enumerations() throws {
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE name = \(Name.big)") == ["b"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE n = \(Number.six)") == ["b"])
        let none: Name? = nil
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE name = \(none)").isEmpty)
    }

    @Test("names are inserted in backticks")
    func names() throws {
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE \(property: "odd`key\\.x") = 1") == ["a"])
        #expect(try ids("SELECT meta().id FROM \(collection) WHERE \(property: "sub.k") = 'v' AND \(property: "list[-1]") = 2") == ["a"])
        #expect(try ids("SELECT meta().id FROM \(name: "my-scope").\(name: "things") WHERE n = 6") == ["b"])
        #expect(throws: NSError.self) { try ids("SELECT meta().id FROM \(collection) WHERE \(property: "") = 1") }
        #expect(throws: NSError.self) { try ids("SELECT meta().id FROM \(name: "")") }
    }

    @Test("statements bind interpolated values and named parameters")
    func statements() throws {
        let visits = 3
        let text: QueryText = "UPDATE \(collection) SET n = n + \(visits), at = \(Date(timeIntervalSince1970: 0)) WHERE name = $name"
        #expect(try database.execute(text, parameters: Parameters(["name": "B"])).changedCount == 1)
        #expect(try collection.document(id: "b")?.int(forKey: "n") == 9)
        #expect(try collection.document(id: "b")?.date(forKey: "at") == Date(timeIntervalSince1970: 0))
        #expect(throws: NSError.self) { try database.execute(text) }
        #expect(throws: NSError.self) { try database.execute(text, parameters: Parameters(["name": "B", "_1": 1])) }
    }

    @Test("a query can be run with values of its own for one run")
    func oneRun() throws {
        let query = try database.query("SELECT meta().id FROM \(collection) WHERE n = $n")
        #expect(try query.execute(["n": 5]).map { $0.string(at: 0) } == ["a"])
        #expect(query.parameters == nil)
        #expect(throws: NSError.self) { try query.execute([:]) }
        #expect(throws: NSError.self) { try query.execute(["n": 5, "m": 5]) }
        #expect(try query.execute().allResults().isEmpty)
    }
}
