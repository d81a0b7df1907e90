import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite("Blobs in the inspector's API")
struct BlobsAPITests {
    private let sample: SampleDatabase
    private let api: Calls
    private let digest: String

    init() throws {
        sample = try SampleDatabase()
        let database = try sample.open()
        api = Calls(database)
        digest = try #require(try database.defaultCollection().document(id: "attachments")?.blob(forKey: "text")?.digest)
    }

    private func read(_ type: String = "text/plain", range: String? = nil) -> APIResponse {
        api.inspected.answer(APIRequest(method: "GET", name: "blob", parameters: [("digest", digest), ("type", type)], range: range))
    }

    @Test("the content of a blob is returned as a whole and in ranges")
    func ranges() {
        let content = Array("Grüße aus Wien".utf8)
        #expect(read().body == content)
        #expect(read(range: "bytes=0-3").body == Array(content[0...3]))
        #expect(read(range: "bytes=0-3").status == 206)
        #expect(read(range: "bytes=4-").body == Array(content[4...]))
        #expect(read(range: "bytes=-4").body == Array(content.suffix(4)))
        #expect(read(range: "bytes=2-999999").body == Array(content[2...]))
        #expect(read(range: "bytes=2-999999").headers.contains { $0.name == "Content-Range" && $0.value == "bytes 2-15/16" })
    }

    @Test("ranges without bytes of the content are refused", arguments: ["bytes=16-", "bytes=-0", "bytes=99999999999999999999-"])
    func rangesOutside(_ range: String) {
        let response = read(range: range)
        #expect(response.status == 416)
        #expect(response.headers.contains { $0.name == "Content-Range" && $0.value == "bytes */16" })
    }

    @Test(
        "the whole content is returned if the range is invalid, in another unit, or one of several",
        arguments: ["bytes=3-2", "bytes=a-b", "bytes=0-1,3-4", "lines=0-1", "bytes="]
    )
    func ignoredRanges(_ range: String) {
        let response = read(range: range)
        #expect(response.status == 200)
        #expect(response.body == Array("Grüße aus Wien".utf8))
        #expect(!response.headers.contains { $0.name == "Content-Range" })
    }

    @Test(
        "content is only labelled with types that a browser shows without running them",
        arguments: [
            ("image/png", "image/png"), ("TEXT/HTML", "text/plain; charset=utf-8"), ("text/html; charset=x", "text/plain; charset=utf-8"),
            ("image/svg+xml", "application/octet-stream"), ("application/xhtml+xml", "application/octet-stream"),
            ("text/javascript", "text/plain; charset=utf-8"), ("application/pdf", "application/octet-stream"),
            ("", "application/octet-stream"),
            ("image/png\r\nX: y", "application/octet-stream"),
        ]
    )
    func types(_ stated: String, _ sent: String) {
        #expect(read(stated).contentType == sent)
    }

    @Test("contents that are not stored, and texts that are no digest, are refused")
    func missing() {
        api.fail(404, "GET", "blob", ["digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="])
        api.fail(400, "GET", "blob", ["digest": "../../db.sqlite3"])
        api.fail(400, "GET", "blob")
    }
}
