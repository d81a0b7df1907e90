import Testing

@testable import QueryLanguage

@Suite("Property paths")
struct PropertyPathTests {
    @Test(
        "an encoded property path is parsed to keys and indexes",
        arguments: [
            ("", []),
            (".", []),
            ("name", [.key("name")]),
            (".name", [.key("name")]),
            ("name.", [.key("name")]),
            ("a.b[0].c", [.key("a"), .key("b"), .index(0), .key("c")]),
            ("[-1]", [.index(-1)]),
            (".[1][2]", [.index(1), .index(2)]),
            (#"we\.ird"#, [.key("we.ird")]),
            (#"br\[0]"#, [.key("br[0]")]),
            (#"\\"#, [.key(#"\"#)]),
            (#"\$d"#, [.key("$d")]),
            ("$d", [.key("$d")]),
            ("naïve.é", [.key("naïve"), .key("é")]),
        ] as [(String, [PropertyPath.Component])]
    )
    func parses(text: String, components: [PropertyPath.Component]) throws {
        #expect(try PropertyPath(encoded: text).components == components)
    }

    @Test(
        "a malformed property path throws an error",
        arguments: ["a..b", "..", #"a\"#, "a[x]", "a[]", "a[1", "a[1]b", "a[--1]", "a[99999999999999999999]", "a[+1]"]
    )
    func refuses(text: String) {
        let error = #expect(throws: QueryError.self) { try PropertyPath(encoded: text) }
        #expect(error?.kind == .invalidQuery)
        #expect(error?.message.contains(text) == true)
    }

    @Test(
        "an encoded path escapes dots, brackets, backslashes and a leading dollar sign",
        arguments: [
            ([], ""),
            ([.key("a"), .key("b"), .index(0), .key("c")], "a.b[0].c"),
            ([.key("we.ird")], #"we\.ird"#),
            ([.key("br[0]")], #"br\[0]"#),
            ([.key(#"\"#)], #"\\"#),
            ([.key("$d"), .key("$e")], #"\$d.$e"#),
            ([.index(-1), .key("x")], "[-1].x"),
        ] as [([PropertyPath.Component], String)]
    )
    func prints(components: [PropertyPath.Component], text: String) throws {
        let path = PropertyPath(components)
        #expect(path.encoded == text)
        #expect(try PropertyPath(encoded: text) == path)
    }
}
