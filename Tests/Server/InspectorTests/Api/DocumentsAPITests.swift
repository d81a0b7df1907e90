import CouchbaseLiteSwift
import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import Inspector

@Suite("Documents in the inspector's API")
struct DocumentsAPITests {
    private let sample: SampleDatabase
    private let database: Database
    private let api: Calls

    init() throws {
        sample = try SampleDatabase()
        database = try sample.open()
        api = Calls(database)
    }

    private func ids(_ answer: [String: Any]) -> [String] {
        (answer["documents"] as? [[String: Any]])?.compactMap { $0["id"] as? String } ?? []
    }

    @Test("documents are returned in pages in the order of their IDs, each document once")
    func pages() {
        var (all, after): ([String], String?) = ([], nil)
        while true {
            let page = api.succeed("GET", "documents", ["limit": "7", "after": after].compactMapValues { $0 })
            all += ids(page)
            after = all.last
            guard page["more"] as? Bool == true else { break }
        }
        #expect(all.count == 124)
        #expect(all == all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(Set(all).count == all.count)
    }

    @Test("a page begins at an ID or at the next one, and ends with the IDs that begin so")
    func prefixes() {
        #expect(ids(api.succeed("GET", "documents", ["from": "person-1", "limit": "2"])) == ["person-100", "person-101"])
        #expect(ids(api.succeed("GET", "documents", ["from": "person-100", "limit": "1"])) == ["person-100"])
        #expect(ids(api.succeed("GET", "documents", ["prefix": "person-11"])).count == 10)
        #expect(ids(api.succeed("GET", "documents", ["prefix": "torn"])) == ["torn"])
    }

    @Test("a document keeps the types and all digits of its values when it is saved as it was read")
    func types() throws {
        let text =
            #"{"big":9223372036854775807,"bool":true,"double":2.0,"list":[1,"1",null,{"a":[]}],"null":null,"u":18446744073709551615}"#
        _ = api.succeed("PUT", "document", ["id": "new"], body: text)
        let first = api.succeed("GET", "document", ["id": "new"])
        #expect(first["body"] as? String == text)
        _ = api.succeed("PUT", "document", ["id": "new", "rev": try #require(first["rev"] as? String)], body: text)
        #expect(api.succeed("GET", "document", ["id": "new"])["body"] as? String == text)
        let document = try #require(try database.defaultCollection().document(id: "new"))
        #expect(document.int64(forKey: "big") == .max)
    }

    @Test("saving with an older revision, or creating a document that exists, changes nothing")
    func conflict() throws {
        let before = api.succeed("GET", "document", ["id": "person-001"])
        let revision = try #require(before["rev"] as? String)
        _ = api.succeed("PUT", "document", ["id": "person-001", "rev": revision], body: #"{"n":1}"#)
        let (status, answer) = api.call(
            "PUT",
            "document",
            ["collection": "_default._default", "id": "person-001", "rev": revision],
            body: #"{"n":2}"#
        )
        #expect(status == 409)
        #expect((answer["current"] as? String)?.hasPrefix("2-") == true)
        api.fail(409, "PUT", "document", ["id": "person-001"], body: #"{"n":2}"#)
        #expect(api.succeed("GET", "document", ["id": "person-001"])["body"] as? String == #"{"n":1}"#)
    }

    @Test("a deleted document is shown as deleted, and can be created again")
    func deletion() throws {
        api.fail(400, "DELETE", "document", ["id": "person-001"])
        api.fail(409, "DELETE", "document", ["id": "person-001", "rev": "1-00"])
        let revision = try #require(api.succeed("GET", "document", ["id": "person-001"])["rev"] as? String)
        _ = api.succeed("DELETE", "document", ["id": "person-001", "rev": revision])
        #expect(api.succeed("GET", "document", ["id": "person-001"])["deleted"] as? Bool == true)
        #expect(ids(api.succeed("GET", "documents", ["prefix": "person-001"])) == [])
        #expect(ids(api.succeed("GET", "documents", ["prefix": "person-001", "deleted": "true"])) == ["person-001"])
        _ = api.succeed("PUT", "document", ["id": "person-001"], body: "{}")
    }

    @Test("saving a document with blobs keeps them")
    func blobs() throws {
        let before = api.succeed("GET", "document", ["id": "attachments"])
        let (text, revision) = (try #require(before["body"] as? String), try #require(before["rev"] as? String))
        _ = api.succeed("PUT", "document", ["id": "attachments", "rev": revision], body: text)
        let after = api.succeed("GET", "document", ["id": "attachments"])
        #expect((after["blobs"] as? [Any])?.count == 4)
        let document = try #require(try database.defaultCollection().document(id: "attachments"))
        #expect(document.blob(forKey: "text")?.content == Data("Grüße aus Wien".utf8))
    }

    @Test(
        "invalid documents and parameters are refused with a reason",
        arguments: ["", "[]", "{", "1", #"{"a":1,"a":2}"#, #"{"_id":"x"}"#, "{\"a\":\"\u{1}\"}"]
    )
    func invalid(_ text: String) {
        api.fail(400, "PUT", "document", ["id": "bad"], body: text)
        api.fail(404, "GET", "document", ["id": "bad"])
    }

    @Test("unknown calls, methods, collections and parameters are refused")
    func unknown() {
        api.fail(404, "GET", "nothing")
        api.fail(404, "GET", "../database")
        api.fail(405, "POST", "documents")
        api.fail(404, "GET", "documents", ["collection": "travel.none"])
        api.fail(400, "GET", "documents", ["collection": "travel"])
        api.fail(400, "GET", "documents", ["collection": "../x.y"])
        api.fail(400, "GET", "documents", ["limit": "0"])
        api.fail(400, "GET", "documents", ["limit": "99999999999999999999"])
        api.fail(400, "GET", "document", ["id": "x", "rev": "1"].filter { $0.key != "id" })
        api.fail(400, "PUT", "document", ["id": "x", "rev": "not one"], body: "{}")
        api.fail(400, "PUT", "document", ["id": String(repeating: "x", count: 300)], body: "{}")
    }

    @Test("nothing is changed in a database that is open for reading only")
    func readOnly() throws {
        let database = try sample.open(readOnly: true)
        let api = Calls(database)
        #expect(api.succeed("GET", "database")["readOnly"] as? Bool == true)
        api.fail(403, "PUT", "document", ["id": "x"], body: "{}")
        api.fail(403, "DELETE", "document", ["id": "torn", "rev": "1-00"])
        api.fail(403, "POST", "indexes", body: #"{"collection":"_default._default","name":"i","expressions":["a"]}"#)
        api.fail(403, "DELETE", "indexes", ["name": "by_age"])
        api.fail(403, "POST", "conflicts", body: "{}")
        api.fail(403, "POST", "query", body: #"{"text":"DELETE FROM _","write":true}"#)
        #expect(api.succeed("GET", "documents", ["limit": "1"])["more"] as? Bool == true)
    }

    @Test("a damaged document is listed with what is wrong with it, and the documents after it are listed too")
    func damaged() throws {
        let connection = try Connection(path: sample.path + "/db.sqlite3", mode: .readWrite)
        try connection.execute("UPDATE kv_default SET version = x'00000000' WHERE key IN ('person-003', 'person-007')")
        try connection.close()
        var (all, after): ([String], String?) = ([], nil)
        while true {
            let page = api.succeed("GET", "documents", ["limit": "4", "prefix": "person-00", "after": after].compactMapValues { $0 })
            all += ids(page)
            after = all.last
            guard page["more"] as? Bool == true else { break }
        }
        #expect(all == (0..<10).map { "person-00\($0)" })
        let first = api.succeed("GET", "documents", ["from": "person-003", "limit": "2"])["documents"] as? [[String: Any]]
        #expect(first?.map { $0["id"] as? String } == ["person-003", "person-004"])
        #expect(first?.first?["damaged"] as? Bool == true)
        #expect(first?.first?["preview"] as? String == "document \"person-003\" is damaged: its revision ID is invalid")
        #expect(first?.last?["damaged"] == nil)
    }

    @Test("the schema names the properties of a sample with their types")
    func schema() throws {
        let properties = try #require(api.succeed("GET", "schema")["properties"] as? [[String: Any]])
        let paths = properties.compactMap { $0["path"] as? String }
        #expect(paths.contains("address.city"))
        #expect(paths.contains("tags[]"))
        #expect(paths.contains("`<b>key</b>`"))
        let photo = try #require(properties.first { $0["path"] as? String == "photo" })
        #expect((photo["types"] as? [[String: Any]])?.first?["name"] as? String == "blob")
    }

    @Test("the revision tree has all revisions with their parents, and those whose properties are stored can be read")
    func revisions() throws {
        let revisions = try #require(api.succeed("GET", "revisions", ["id": "torn"])["revisions"] as? [[String: Any]])
        #expect(revisions.count == 3)
        #expect(revisions.count { $0["leaf"] as? Bool == true } == 2)
        let remote = try #require(revisions.first { $0["rev"] as? String == "2-00ff" })
        #expect(remote["remotes"] as? [Int] == [1])
        let body = try #require(api.succeed("GET", "revision", ["id": "torn", "rev": "2-00ff"])["body"] as? String)
        #expect(body.contains("Theirs"))
        api.fail(404, "GET", "revision", ["id": "torn", "rev": "9-00ff"])
    }
}
