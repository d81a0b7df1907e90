#if Replication
import DocumentStore
import Fleece
import Testing

@testable import Hub

@Suite("Mappings of channels")
struct ChannelMappingTests {
    private func channels(_ rule: String, _ document: String) throws -> [String] {
        let mapping = try ChannelMapping(json: Array(#"{"db":{"s.c":\#(rule)}}"#.utf8))
        let body = try document.utf8.withContiguousStorageIfAvailable { try JSON.fleece(UnsafeRawBufferPointer($0)) }
        return mapping.rule(of: try CollectionID(name: "c", scope: "s"), in: "db").channels(of: try #require(body), .empty)
    }

    @Test("channels come from a property or are fixed, and other collections have the property channels")
    func rules() throws {
        let tags = #"{"meta":{"tags":["a",1,"b",["c"]]},"channels":"x"}"#
        #expect(try channels(#"{"property":"meta.tags"}"#, tags) == ["a", "b"])
        #expect(try channels(#"{"property":"meta"}"#, tags) == [])
        #expect(try channels(#"{"property":"meta.tags.more"}"#, tags) == [])
        #expect(try channels(#"{"channels":["all"]}"#, tags) == ["all"])
        #expect(try channels(#"{"channels":["all"],"property":"meta.tags","prefix":"p-"}"#, tags) == ["all", "p-a", "p-b"])
        #expect(try channels(#"{"property":"owner","prefix":"user-"}"#, #"{"owner":"anna"}"#) == ["user-anna"])
        #expect(try channels(#"{"property":"members.name"}"#, #"{"members":[{"name":"a"},{"n":1},{"name":["b"]}]}"#) == ["a", "b"])
        #expect(try channels(#"{"property":"a\\.b"}"#, #"{"a.b":"c","a":{"b":"d"}}"#) == ["c"])
        let repeated = try channels(#"{"channels":["a"],"property":"t"}"#, "{\"t\":[\"b\",\"a\",\"b\",\"\u{E9}\",\"e\u{301}\",\"\u{E9}\"]}")
        #expect(repeated.map { Array($0.utf8) } == ["a", "b", "\u{E9}", "e\u{301}"].map { Array($0.utf8) })
        let mapping = try ChannelMapping(json: Array(#"{"db":{"c":{"channels":["all"]}}}"#.utf8))
        #expect(mapping.rule(of: try CollectionID(name: "c"), in: "db").channels == ["all"])
        for (id, database) in [(CollectionID.default, "db"), (try CollectionID(name: "c"), "other")] {
            #expect(mapping.rule(of: id, in: database).fingerprint == ChannelRule.standard.fingerprint)
        }
    }

    @Test(
        "a mapping that is not valid is refused with the place of the error",
        arguments: [
            ("", "line 1, column 1"), ("{\n \"db\": {,}}", "line 2, column 9"), (#"{"db":{},"db":{}}"#, "line 1"),
            ("[]", ": it must be an object"),
            (#"{"db":1}"#, #""db": it must be an object"#), (#"{"db":{"a.b.c":{}}}"#, #""db" → "a.b.c": this is not the name"#),
            (#"{"db":{"_default.c":{"channels":["a"]},"c":{"channels":["a"]}}}"#, "is listed twice"),
            (#"{"db":{"c":[]}}"#, #""db" → "c": it must be an object"#),
            (#"{"db":{"c":{}}}"#, #""db" → "c": one of property and channels"#),
            (#"{"db":{"c":{"propertie":"x"}}}"#, #""db" → "c" → "propertie": the key is unknown"#),
            (#"{"db":{"c":{"property":1}}}"#, #""db" → "c" → "property": it must be a string"#),
            (#"{"db":{"c":{"property":"a..b"}}}"#, #""db" → "c" → "property": this is not a path"#),
            (#"{"db":{"c":{"property":""}}}"#, #""db" → "c" → "property": the path must not be empty"#),
            (#"{"db":{"c":{"property":"a[0]"}}}"#, #""db" → "c" → "property": the path must not contain indexes"#),
            (#"{"db":{"c":{"channels":"a"}}}"#, #""db" → "c" → "channels": it must be an array"#),
            (#"{"db":{"c":{"channels":["a",""]}}}"#, #""db" → "c" → "channels": element 2 must be the name"#),
            (#"{"db":{"c":{"channels":["a"],"prefix":"x"}}}"#, #""db" → "c" → "prefix": a prefix requires a property"#),
        ]
    )
    func failures(text: String, part: String) throws {
        let error = #expect(throws: ChannelMappingError.self) { try ChannelMapping(json: Array(text.utf8)) }
        #expect(": \(try #require(error))".contains(part), "\(error?.description ?? "")")
    }
}
#endif
