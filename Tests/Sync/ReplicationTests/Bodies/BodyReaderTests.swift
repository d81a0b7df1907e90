import DocumentStore
import Fleece
import SyncCore
import Testing

@testable import Replication

@Suite("Received revision bodies")
struct BodyReaderTests {
    private let hello = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
    private let other = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="

    private func content(_ json: String) throws -> ReceivedContent {
        try BodyReader(file: nil).content(json: Array(json.utf8))
    }

    private func body(_ json: String) throws -> IncomingBody {
        guard case .body(let body) = try content(json) else {
            Issue.record("access removed")
            throw SyncError(.liteCore, 10)
        }
        return body
    }

    /// The stored body with sorted keys.
    private func stored(_ json: String) throws -> String { try body(json).body.json }

    @Test("a body without special properties is stored unchanged")
    func plain() throws {
        let body = try body(#"{"b":[1,2.5,null,{"_x":true}],"a":"ü"}"#)
        #expect(try body.body.json == #"{"a":"ü","b":[1,2.5,null,{"_x":true}]}"#)
        #expect(body.blobs.isEmpty && body.listedDigests == nil && !body.body.hasBlobs)
    }

    @Test("an empty body is stored as an empty document", arguments: ["", "{}"])
    func empty(_ json: String) throws {
        #expect(try stored(json) == "{}")
    }

    @Test(
        "a body that is not a JSON object is rejected",
        arguments: ["[1,2]", "17", "null", "\"x\"", "{", #"{"a":1}x"#, #"{"a":1,"a":2}"#, "\u{0}", #"{"a":1e999}"#]
    )
    func refused(_ json: String) {
        let error = #expect(throws: SyncError.self) { try content(json) }
        #expect(error?.domain == .liteCore && error?.code == 5)
    }

    @Test("top-level properties that begin with an underscore are removed, and nested ones are kept")
    func underscores() throws {
        #expect(
            try stored(
                #"{"_id":"x","_rev":"1-a","_deleted":false,"_exp":17,"_foo":{"a":1},"\u005fbar":1,"n":{"_id":1}}"#
            )
                == #"{"n":{"_id":1}}"#
        )
    }

    @Test(
        "a body with _removed set to true at its top level means lost access",
        arguments: [
            (#"{"_removed":true}"#, true), (#"{"_removed":false,"a":1}"#, false), (#"{"a":{"_removed":true}}"#, false),
        ]
    )
    func removed(_ json: String, _ isRemoved: Bool) throws {
        if case .accessRemoved = try content(json) { #expect(isRemoved) } else { #expect(!isRemoved) }
    }

    // MARK: Blobs

    private func blob(_ digest: String, length: Int = 12, type: String = "text/plain") -> String {
        #"{"@type":"blob","content_type":"\#(type)","digest":"\#(digest)","length":\#(length)}"#
    }

    private func entry(_ digest: String, length: Int = 12, type: String = "text/plain") -> String {
        #"{"content_type":"\#(type)","digest":"\#(digest)","length":\#(length),"revpos":1,"stub":true}"#
    }

    @Test("blobs are found at any depth, and each digest is listed once")
    func inlineBlobs() throws {
        let body = try body(
            #"{"a":\#(blob(hello)),"b":[[\#(blob(other, length: 5, type: "image/png"))]],"c":\#(blob(hello))}"#
        )
        #expect(body.blobs.map(\.digest.string) == [hello, other])
        #expect(body.blobs.map(\.length) == [12, 5])
        #expect(body.blobs.map(\.isCompressible) == [true, false])
        #expect(body.listedDigests == nil && body.body.hasBlobs)
    }

    @Test("blobs with an invalid digest or inline data are not fetched")
    func unusable() throws {
        let body = try body(
            #"{"a":{"@type":"blob","digest":"md5-x"},"b":{"@type":"blob","data":"aGVsbG8="},"c":\#(blob(hello, length: -3))}"#
        )
        #expect(body.blobs.map(\.digest.string) == [hello])
        #expect(body.blobs.map(\.length) == [nil])
    }

    @Test("_attachments entries for blobs are removed, together with an _attachments dictionary that becomes empty")
    func standIns() throws {
        let body = try body(
            #"{"note":\#(blob(hello)),"l":[{"x":\#(blob(other))}],"_attachments":{"blob_/note":\#(entry(hello)),"blob_/l/0/x":\#(entry(other)),"blob_1":\#(entry(hello))}}"#
        )
        #expect(try body.body.json == #"{"l":[{"x":\#(blob(other))}],"note":\#(blob(hello))}"#)
        #expect(Set(body.blobs.map(\.digest.string)) == [hello, other])
        #expect(Set((body.listedDigests ?? []).map(\.string)) == [hello, other])
    }

    @Test("_attachments entries without a matching blob are kept, and their content is fetched")
    func realAttachments() throws {
        let json =
            #"{"_attachments":{"blob_/pic":\#(entry(hello)),"in":\#(entry(other)),"blob_x":\#(entry(other))},"pic":1}"#
        let body = try body(json)
        #expect(
            try body.body.json
                == #"{"_attachments":{"blob_/pic":\#(entry(hello)),"blob_x":\#(entry(other)),"in":\#(entry(other))},"pic":1}"#
        )
        #expect(Set(body.blobs.map(\.digest.string)) == [hello, other])
        #expect(body.body.hasBlobs)
    }

    @Test("a blob whose _attachments entry has another digest takes the digest, length and type of the entry")
    func changedAttachment() throws {
        let json =
            #"{"a":{"n":[{"k":1,"more":{"@type":"blob","content_type":"text/plain","digest":"\#(hello)","extra":7,"length":12}}]},"_attachments":{"blob_/a/n/0/more":\#(entry(other, length: 5, type: "image/png"))}}"#
        let body = try body(json)
        #expect(
            try body.body.json
                == #"{"a":{"n":[{"k":1,"more":{"@type":"blob","content_type":"image/png","digest":"\#(other)","extra":7,"length":5}}]}}"#
        )
        #expect(body.blobs.map(\.digest.string) == [other])
    }

    @Test("a blob keeps its content type when its changed _attachments entry has no type")
    func changedWithoutType() throws {
        let json = #"{"a":\#(blob(hello)),"_attachments":{"blob_/a":{"digest":"\#(other)","stub":true}}}"#
        #expect(try stored(json) == #"{"a":{"@type":"blob","content_type":"text/plain","digest":"\#(other)"}}"#)
    }

    @Test("slashes and tildes in keys are escaped in the names of _attachments entries")
    func escapedNames() throws {
        #expect(
            try stored(#"{"a/b~c":\#(blob(hello)),"_attachments":{"blob_/a~1b~0c":\#(entry(hello))}}"#)
                == #"{"a/b~c":\#(blob(hello))}"#
        )
    }

    @Test("a malformed _attachments property, malformed entries in it and an empty one cause no error")
    func oddAttachments() throws {
        #expect(try stored(#"{"_attachments":{"a":7,"blob_/":null}}"#) == #"{"_attachments":{"a":7,"blob_/":null}}"#)
        #expect(try stored(#"{"_attachments":[1],"a":1}"#) == #"{"a":1}"#)
        #expect(try stored(#"{"_attachments":{},"a":1}"#) == #"{"a":1}"#)
    }

    @Test(
        "a blob is compressible unless its content type is missing or already compressed, or it has an encoding",
        arguments: [
            (nil, nil, false), ("text/plain", nil, true), ("application/json", nil, true),
            ("text/plain", "gzip", false),
            ("application/zip", nil, false), ("image/png", nil, false), ("audio/x", nil, false),
            ("VIDEO/MP4", nil, false),
            ("application/x-rar-compressed", nil, false), ("application/pkcs8", nil, false), ("", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func compressibility(_ type: String?, _ encoding: String?, _ isCompressible: Bool) {
        #expect(BlobReference.isCompressible(contentType: type, encoding: encoding) == isCompressible)
    }
}

@Suite("Received deltas")
struct DeltaBodyTests {
    private let hello = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
    private let other = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="

    private func stored(_ delta: String, to base: String) throws -> IncomingBody {
        let base = try JSON.fleece(base)
        guard
            case .body(let body) = try BodyReader(file: nil).content(delta: Array(delta.utf8), base: base, sharedKeys: .empty)
        else { throw SyncError(.liteCore, 10) }
        return body
    }

    @Test("a delta is applied to its base body")
    func plain() throws {
        #expect(
            try stored(#"{"a":2,"b":{"2-":[3]},"c":[{"d":0}]}"#, to: #"{"a":1,"b":[1,2]}"#).body.json
                == #"{"a":2,"b":[1,2,3],"c":{"d":0}}"#
        )
        #expect(try stored("{}", to: #"{"a":1}"#).body.json == #"{"a":1}"#)
    }

    @Test(
        "a malformed delta, or one that does not apply to its base, throws the error that requests the full body",
        arguments: [
            "", "[", "[1,2,3]", #"{"x":[]}"#, #"{"a":{"b":1}}"#, #"[7]"#, "7", #"{"b":{"9-":[]}}"#,
            #"{"a":["1=",0,2]}"#, "[]", "null",
            #"[["x"]]"#,
        ]
    )
    func refused(_ delta: String) {
        let error = #expect(throws: SyncError.self) { try stored(delta, to: #"{"a":1,"b":[1,2]}"#) }
        // The peer gets the status 422 for this error.
        #expect(error?.domain == .liteCore && error?.code == 32)
    }

    @Test("a delta with _attachments is applied to the base in the form with _attachments")
    func attachments() throws {
        let base = #"{"a":{"@type":"blob","digest":"\#(hello)","length":12},"t":1}"#
        // The peer has replaced the blob, and both places contain the new digest.
        let delta =
            #"{"a":{"digest":"\#(other)","length":5},"_attachments":{"blob_/a":{"digest":"\#(other)","length":5,"revpos":2}}}"#
        let body = try stored(delta, to: base)
        #expect(try body.body.json == #"{"a":{"@type":"blob","digest":"\#(other)","length":5},"t":1}"#)
        #expect(body.blobs.map(\.digest.string) == [other])
        #expect(body.listedDigests?.map(\.string) == [other])
    }

    @Test("a delta that removes a blob removes its _attachments entry")
    func removal() throws {
        let base = #"{"a":{"@type":"blob","digest":"\#(hello)","length":12},"t":1}"#
        #expect(try stored(#"{"a":[],"_attachments":[]}"#, to: base).body.json == #"{"t":1}"#)
    }

    @Test("a delta without _attachments keeps the _attachments of the base")
    func kept() throws {
        let base = #"{"_attachments":{"x":{"digest":"\#(hello)","length":12,"stub":true}},"a":1}"#
        let body = try stored(#"{"a":2,"b":[{"@type":"blob","digest":"\#(other)","length":5}]}"#, to: base)
        #expect(
            try body.body.json
                == #"{"_attachments":{"x":{"digest":"\#(hello)","length":12,"stub":true}},"a":2,"b":{"@type":"blob","digest":"\#(other)","length":5}}"#
        )
        // The peer has sent no list, so no entry can be missing.
        #expect(body.listedDigests == nil)
    }
}

@Suite("JSON pointers")
struct JSONPointerTests {
    @Test(
        "a JSON pointer resolves to one value or to nil",
        arguments: [
            ("/a/0/b", "7"), ("/a/1", "null"), ("/x~1y", "1"), ("/x~0y", "2"), ("/~", "3"), ("/", "4"),
            ("/a/00/b", nil), ("/a/9", nil),
            ("a/0", nil), ("/a/0/b/c", nil), ("/a/-1", nil), ("", nil), ("/a/+1", nil),
            ("/a/99999999999999999999", nil), ("/a//", nil),
        ] as [(String, String?)]
    )
    func paths(_ pointer: String, _ json: String?) throws {
        let data = try JSON.fleece(#"{"a":[{"b":7},null],"x/y":1,"x~y":2,"~":3,"":4}"#)
        let found = try data.withRoot { root in
            try JSONPointer.value(at: pointer[...], in: root, sharedKeys: .empty).map { try JSON.string($0) }
        }
        #expect(found == json)
        let ofObject = try data.withRoot { root in
            try root.dictionary.flatMap { JSONPointer.value(at: pointer[...], in: $0, sharedKeys: .empty) }.map { try JSON.string($0) }
        }
        #expect(ofObject == json)
    }
}
