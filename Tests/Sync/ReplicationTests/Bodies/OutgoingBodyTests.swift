import Fleece
import Testing

@testable import Replication

@Suite("Outgoing revision bodies")
struct OutgoingBodyTests {
    private static let blob = #"{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}"#
    private static let entry = #"{"digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12,"stub":true,"revpos":3}"#

    private func sent(_ json: String) throws -> String {
        let body = try OutgoingBody.jsonWithAttachments(JSON.fleece(json), .empty, generation: 3)
        return String(decoding: body, as: UTF8.self)
    }

    private func stored(_ json: String) throws -> String {
        String(decoding: try OutgoingBody.json(JSON.fleece(json), .empty), as: UTF8.self)
    }

    @Test(
        "a body is sent as it is stored when attachments are not needed",
        arguments: [#"{"a":1,"b":[true,null]}"#, "{}", #"{"b":\#(blob)}"#]
    )
    func plain(json: String) throws {
        let normal = try JSON.fleece(json).withRoot { try JSON.string($0) }
        #expect(try stored(json) == normal)
    }

    @Test("a body without blobs is sent without _attachments", arguments: [#"{"a":1,"b":[true,null]}"#, "{}"])
    func withoutBlobs(json: String) throws {
        #expect(try sent(json) == json)
    }

    @Test("every blob gets an _attachments entry that is named after its JSON pointer")
    func pointers() throws {
        let json = try sent(#"{"deep":{"list":[1,{"x":\#(Self.blob)}]},"photo":\#(Self.blob),"a~/b":\#(Self.blob)}"#)
        let names = try #require(
            JSON.fleece(json).withRoot { root in
                root.dictionary?.value(for: "_attachments")?.dictionary?.pairs.compactMap { $0.key.text(.empty) }
            } ?? nil
        )
        #expect(Set(names) == ["blob_/deep/list/1/x", "blob_/photo", "blob_/a~0~1b"])
        #expect(json.contains(#""blob_/photo":\#(Self.entry)"#))
        #expect(json.contains(#""photo":{"#))
    }

    @Test("older attachments are kept, and _attachments entries for blobs are generated again")
    func oldAttachments() throws {
        let old = #"{"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","length":1,"revpos":1,"stub":true}"#
        let json = try sent(#"{"_attachments":{"a.txt":\#(old),"blob_/gone":\#(old),"blob_\#u{301}":\#(old)},"p":\#(Self.blob)}"#)
        #expect(json.hasSuffix(#""_attachments":{"a.txt":\#(old),"blob_/p":\#(Self.entry)}}"#))
        // Without blobs no entry is added.
        let without = #"{"_attachments":{"a.txt":\#(old)}}"#
        #expect(try sent(without) == without)
    }

    @Test("a body that is not a dictionary is sent as an empty dictionary")
    func noDictionary() throws {
        #expect(try OutgoingBody.json(FleeceData([]), .empty) == Array("{}".utf8))
        #expect(try OutgoingBody.jsonWithAttachments(FleeceData([]), .empty, generation: 1) == Array("{}".utf8))
    }
}
