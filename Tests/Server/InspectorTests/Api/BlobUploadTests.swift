import CouchbaseLiteSwift
import Fleece
import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite("Uploads of blobs in the inspector's API")
struct BlobUploadTests {
    private let sample: SampleDatabase
    private let database: Database
    private let api: Calls

    init() throws {
        sample = try SampleDatabase()
        database = try sample.open()
        api = Calls(database)
    }

    private func revision(_ id: String) throws -> String {
        try #require(api.succeed("GET", "document", ["id": id])["rev"] as? String)
    }

    private func upload(_ content: String, _ parameters: [String: String]) -> [String: Any] {
        api.succeed("POST", "blob", parameters, body: content)
    }

    @Test("a blob is stored with its type, and the other properties of the document stay as they are")
    func stored() throws {
        let collection = try database.defaultCollection()
        let binary = try MutableDocument(id: "binary", json: #"{"big":9007199254740993,"list":[1,{"a":null}],"note":"old"}"#)
        try collection.save(document: binary)
        let first = try revision("binary")
        let answer = upload("content", ["id": "binary", "rev": first, "property": "file", "type": "text/plain"])
        #expect((answer["rev"] as? String)?.hasPrefix("2-") == true)
        let second = try #require(answer["rev"] as? String)
        _ = upload("other", ["id": "binary", "rev": second, "property": "note"])
        let document = try #require(try collection.document(id: "binary"))
        #expect(document.int64(forKey: "big") == 9_007_199_254_740_993)
        #expect(document.array(forKey: "list")?.count == 2)
        #expect(document.blob(forKey: "file")?.content == Data("content".utf8))
        #expect(document.blob(forKey: "file")?.contentType == "text/plain")
        #expect(document.blob(forKey: "note")?.contentType == "application/octet-stream")
        // The document is known to have blobs, so that a compaction keeps them.
        try database.performMaintenance(type: .compact)
        #expect(try collection.document(id: "binary")?.blob(forKey: "note")?.content == Data("other".utf8))
    }

    @Test("a property is replaced only if its name is the same byte for byte")
    func names() throws {
        _ = api.succeed("PUT", "document", ["id": "accents"], body: "{\"e\u{301}\":1}")
        let stored = try revision("accents")
        _ = upload("x", ["id": "accents", "rev": stored, "property": "\u{E9}"])
        let body = try #require(api.succeed("GET", "document", ["id": "accents"])["body"] as? String)
        #expect(body.unicodeScalars.contains("\u{301}") && body.unicodeScalars.contains("\u{E9}"), "\(body)")
    }

    @Test("an upload with an older revision, to no document, or with a name or type that is not possible changes nothing")
    func refused() throws {
        let current = try revision("person-001")
        api.fail(409, "POST", "blob", ["id": "person-001", "rev": "1-00", "property": "x"], body: "x")
        api.fail(409, "POST", "blob", ["id": "none", "rev": "1-00", "property": "x"], body: "x")
        api.fail(400, "POST", "blob", ["id": "person-001", "property": "x"], body: "x")
        api.fail(400, "POST", "blob", ["id": "person-001", "rev": current], body: "x")
        api.fail(400, "POST", "blob", ["id": "person-001", "rev": current, "property": ""], body: "x")
        api.fail(400, "POST", "blob", ["id": "person-001", "rev": current, "property": "_id"], body: "x")
        for type in ["a\nb", "é", String(repeating: "x", count: 300)] {
            api.fail(400, "POST", "blob", ["id": "person-001", "rev": current, "property": "x", "type": type], body: "x")
        }
        api.fail(404, "POST", "blob", ["collection": "travel.none", "id": "x", "rev": current, "property": "x"], body: "x")
        #expect(try revision("person-001") == current)
        let readOnly = Calls(try sample.open(readOnly: true))
        readOnly.fail(403, "POST", "blob", ["id": "person-001", "rev": current, "property": "x"], body: "x")
    }
}
