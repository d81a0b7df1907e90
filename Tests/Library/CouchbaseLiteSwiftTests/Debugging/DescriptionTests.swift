import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("Descriptions of objects")
struct DescriptionTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    /// The labels and texts of what a debugger shows.
    private func children(_ object: Any) -> [String: String] {
        let pairs = Mirror(reflecting: object).children.map { ($0.label ?? "", "\($0.value)") }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test("databases, scopes, collections and indexes are described by their names")
    func names() throws {
        let hotels = try database.createCollection(name: "hotels", scope: "travel")
        try hotels.createIndex(withName: "by_name", config: ValueIndexConfiguration(["name"]))
        let index = try #require(try hotels.index(withName: "by_name"))
        #expect("\(hotels)" == "Collection(name: \"travel.hotels\", database: \"\(database.name)\")")
        #expect("\(hotels.scope)" == "Scope(name: \"travel\", database: \"\(database.name)\")")
        #expect("\(index)" == "QueryIndex(name: \"by_name\", collection: \"travel.hotels\")")
        #expect("\(database)".hasPrefix("Database(name: \"\(database.name)\", path: \"/"))
        #expect(children(hotels) == ["name": "travel.hotels", "database": database.name])
        try database.close()
        #expect("\(database)" == "Database(name: \"\(database.name)\", path: \"closed\")")
        #expect("\([hotels])".contains("travel.hotels"))
    }

    @Test("a document is described with its ID, its revision and its properties")
    func document() throws {
        let mutable = MutableDocument(id: "a").setString("Zürich \"HB\"", forKey: "name")
        #expect("\(mutable)" == #"MutableDocument(id: "a", sequence: 0, properties: {"name": "Zürich \"HB\""})"#)
        let collection = try database.defaultCollection()
        try collection.save(document: mutable)
        let saved = try #require(try collection.document(id: "a"))
        let revision = try #require(saved.revisionID)
        let properties = #"properties: {"name": "Zürich \"HB\""}"#
        #expect(
            "\(saved)"
                == "Document(id: \"a\", revisionID: \"\(revision)\", sequence: 1, collection: \"\(collection.fullName)\", \(properties))"
        )
        #expect(String(reflecting: saved) == "\(saved)")
        #expect(children(saved)["id"] == "a")
        let shown = try #require(Mirror(reflecting: saved).children.first { $0.label == "properties" })
        #expect(children(shown.value) == ["name": "Zürich \"HB\""])
    }

    @Test("all types of values are described, also in documents that were not saved")
    func values() throws {
        let blob = Blob(contentType: "text/plain", data: Data("x".utf8))
        let values: [Any] = [true, 1, 2.5, "é\n", NSNull(), blob, [1, 2] as [Any], ["k": "v"] as [String: Any]]
        let text = #"[true, 1, 2.5, "é\n", null, Blob(contentType: "text/plain", length: 1), [1, 2], {"k": "v"}]"#
        #expect("\(MutableArrayObject(data: values))" == text)
        let document = MutableDocument(id: "a").setValue(values, forKey: "v")
        #expect("\(try #require(document.array(forKey: "v")))" == text)
        #expect(document["v"].description == text)
        #expect(document["v"][3].description == #""é\n""#)
        #expect(document["w"].description == "nil")
        #expect("\(MutableDictionaryObject())" == "{}")
    }

    @Test("at most 20 properties, 100 characters of a text and three levels are described")
    func limits() throws {
        let many = MutableArrayObject(data: Array(0..<25))
        #expect("\(many)".hasSuffix("18, 19, … 5 more]"))
        #expect(Mirror(reflecting: many).children.count == 20)
        let long = MutableArrayObject(data: [String(repeating: "é", count: 101)])
        #expect("\(long)" == "[\"\(String(repeating: "é", count: 100))\"…]")
        #expect(Mirror(reflecting: long).children.first?.value as? String == String(repeating: "é", count: 100) + "…")
        let deep: [String: Any] = ["1": ["2": ["3": ["4": 5]]]]
        #expect("\(MutableDictionaryObject(data: deep))" == #"{"1": {"2": {"3": {…}}}}"#)
        let wide = Array(repeating: Array(repeating: Array(repeating: String(repeating: "x", count: 200), count: 50), count: 50), count: 50)
        #expect("\(MutableArrayObject(data: wide))".utf8.count < 5000)
    }

    @Test("describing a mutable document changes nothing")
    func unchanged() throws {
        try database.saveDocument(MutableDocument(id: "a").setValue(["k": [1, 2]] as [String: Any], forKey: "d"))
        let document = try #require(database.document(withID: "a")).toMutable()
        let before = document.toDictionary() as NSDictionary
        #expect("\(document)".contains(#"{"d": {"k": [1, 2]}}"#))
        var dumped = ""
        dump(document, to: &dumped)
        #expect(before.isEqual(to: document.toDictionary()))
        document.dictionary(forKey: "d")?.setInt(1, forKey: "k")
        #expect("\(document)".contains(#"{"d": {"k": 1}}"#))
    }

    @Test("a result set is described without consuming its rows")
    func results() throws {
        for number in 1...25 { try database.saveDocument(MutableDocument(id: "\(number)").setInt(number, forKey: "n")) }
        let query = try database.createQuery("SELECT n, 'x' || 'y' AS t, nothing FROM _ ORDER BY n")
        let results = try query.execute()
        #expect("\(results)" == "ResultSet(columns: [\"n\", \"t\", \"nothing\"], rows: 25)")
        let rows = try #require(Mirror(reflecting: results).children.first { $0.label == "rows" })
        #expect(Mirror(reflecting: rows.value).children.map { "\($0.value)" }.first == #"{"n": 1, "t": "xy"}"#)
        #expect(Mirror(reflecting: rows.value).children.count == 20)
        #expect(results.allResults().count == 25)
        let row = try #require(try query.execute().next())
        #expect("\(row)" == #"{"n": 1, "t": "xy"}"#)
        #expect(children(row) == ["n": "1", "t": "xy"])
        #expect(query.description.hasPrefix("Query["))
        #expect(String(reflecting: query) == query.description)
    }

    #if Replication
    @Test("replicators, their configurations and proxies are described without passwords")
    func secrets() throws {
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: database.defaultCollection())],
            target: URLEndpoint(url: try #require(URL(string: "ws://localhost:1/db?token=secret")))
        )
        config.headers = ["X-Token": "secret"]
        config.proxy = ProxySettings(host: "proxy", port: 80, username: "anna", password: "secret")
        config.authenticator = BasicAuthenticator(username: "anna", password: "secret")
        let replicator = Replicator(config: config)
        #expect(
            "\(replicator)".hasPrefix("Replicator(target: \"ws://localhost:1/db\", type: pushAndPull, continuous: false, activity: stopped")
        )
        #expect("\(config)".contains("headers: [\"X-Token\"]"))
        let proxy = try #require(config.proxy)
        #expect("\(proxy)" == "ProxySettings(kind: http, host: \"proxy\", port: 80, username: \"anna\")")
        var dumped = ""
        for object in [replicator, config, proxy, database] as [Any] {
            dump(object, to: &dumped)
            dumped += "\(object)" + String(reflecting: object)
        }
        #expect(!dumped.contains("secret"))
    }
    #endif

    @Test("an encrypted database is described without its key")
    func encrypted() throws {
        let config = DatabaseConfiguration()
        config.directory = folder.path
        config.encryptionKey = .password("open sesame")
        let encrypted = try Database(name: "encrypted", config: config)
        var dumped = "\(encrypted)"
        dump(encrypted, to: &dumped)
        dump(encrypted.config, to: &dumped)
        #expect(!dumped.contains("sesame"))
        try encrypted.close()
    }
}
