import DocumentStore
import QueryEngine
import SQLiteEngine
import Testing

/// Runs SQL on a connection with the functions.
private func sql(_ expression: String, _ texts: String...) throws -> String {
    let database = try QueryDatabase()
    return try database.file.read { context in
        let statement = try context.connection.prepare("SELECT \(expression)")
        for (index, text) in texts.enumerated() { try statement.bindText(text, at: index + 1) }
        defer { statement.finalize() }
        return try statement.step() ? statement.optionalText(at: 0) ?? "NULL" : "no row"
    }
}

@Suite("LIKE and fl_like")
struct LikeTests {
    private static let cases: [(String, String, Bool)] = [
        ("abc", "abc", true), ("abc", "ABC", false), ("abc", "a%", true), ("abc", "%c", true), ("abc", "a_c", true),
        ("abc", "a_", false), ("", "%", true), ("", "", true), ("", "_", false), ("a%c", "a\\%c", true),
        ("abc", "a\\%c", false), ("a\\c", "a\\\\c", true), ("abc", "abc\\", false), ("äbc", "_bc", true),
        ("aab", "%ab", true), ("abab", "a%ab", true), ("mississippi", "m%iss%ip%", true), ("abc", "%%c%", true),
    ]

    @Test("LIKE, fl_like_text and fl_like agree for case-sensitive patterns", arguments: cases)
    func like(text: String, pattern: String, matches: Bool) throws {
        #expect(try sql("?1 LIKE ?2 ESCAPE '\\'", text, pattern) == (matches ? "1" : "0"))
        #expect(try sql("fl_like_text(?1, ?2)", text, pattern) == (matches ? "1" : "0"))
        #expect(try sql("fl_like(?1, ?2, 'LCUnicode____')", text, pattern) == (matches ? "1" : "0"))
    }

    @Test(
        "fl_like applies a collation",
        arguments: [
            ("ÄPFEL", "äp%", "LCUnicode_C__", "1"), ("ÄPFEL", "äp%", "LCUnicode____", "0"),
            ("ÄPFEL", "ap%", "LCUnicode_CD_", "1"),
            ("ÄPFEL", "AP%", "LCUnicode__D_", "1"), ("ÄPFEL", "ap%", "LCUnicode__D_", "0"),
            // As in the original, despite the name (Query 10, `more-like-collated-bool`).
            ("ABC", "abc", "NOCASE", "0"), ("abc", "abc", "NOCASE", "1"),
            ("ÄBC", "äbc", "NOCASE", "0"), ("e\u{301}x", "_x", "LCUnicode____", "1"),
            ("e\u{301}x", "\u{E9}x", "LCUnicode____", "1"),
            // Indexes store these results.
            ("한글", "__", "LCUnicode__D_", "0"), ("한글", "______", "LCUnicode__D_", "1"), ("한글", "하%", "LCUnicode__D_", "1"),
        ]
    )
    func collated(text: String, pattern: String, collation: String, expected: String) throws {
        #expect(try sql("fl_like(?1, ?2, '\(collation)')", text, pattern) == expected)
    }

    @Test(
        "fl_like_characters counts each character once, also without accents",
        arguments: [
            ("한글", "__", "LCUnicode__D_", "1"), ("한글", "______", "LCUnicode__D_", "0"), ("한글", "하%", "LCUnicode__D_", "0"),
            ("\u{1112}\u{1161}\u{11AB}", "_", "LCUnicode_CD_", "1"), ("e\u{301}x", "__", "LCUnicode__D_", "1"),
            ("\u{B95}\u{BCA}", "__", "LCUnicode__D_", "1"), ("\u{B95}\u{BC6}\u{BBE}", "__", "LCUnicode__D_", "1"),
            ("ÄPFEL", "AP%", "LCUnicode__D_", "1"), ("한글", "__", "LCUnicode____", "1"),
        ]
    )
    func characters(text: String, pattern: String, collation: String, expected: String) throws {
        #expect(try sql("fl_like_characters(?1, ?2, '\(collation)')", text, pattern) == expected)
    }

    @Test("contains finds the part of a Korean syllable under a collation that ignores accents, with and without an index")
    func parts() throws {
        for name in ["contains", "fl_contains_text"] { #expect(try sql("\(name)(?1, ?2, 'LCUnicode__D_')", "한글", "하") == "1") }
    }

    @Test("LIKE matches numbers by their text, never matches null or arrays, and returns MISSING for MISSING")
    func otherKinds() throws {
        for like in ["%@ LIKE '7' ESCAPE '\\'", "fl_like_text(%@, '7')", "fl_like(%@, '7', 'LCUnicode_C__')"] {
            #expect(try sql(like.replacing("%@", with: "7")) == "1")
            #expect(try sql(like.replacing("%@", with: "fl_null()")) == "0")
            #expect(try sql(like.replacing("%@", with: "array_of(7)")) == "0")
            #expect(try sql(like.replacing("%@", with: "NULL")) == "NULL")
        }
    }

    @Test("plain LIKE between MISSING and null is false in SQLite's function and in that of this library")
    func missingAndNull() throws {
        for like in ["NULL LIKE fl_null() ESCAPE '\\'", "fl_like_text(NULL, fl_null())", "fl_like_text(fl_null(), NULL)"] {
            #expect(try sql(like) == "0")
        }
    }

    @Test("fl_like evaluates a pattern with many wildcards on a long text")
    func hostilePattern() throws {
        let text = String(repeating: "a", count: 2000)
        #expect(try sql("fl_like(?1, ?2, 'NOCASE')", text, String(repeating: "%a", count: 50) + "b") == "0")
    }
}

@Suite("Unicode collations")
struct CollationTests {
    private func order(_ left: String, _ right: String, _ collation: String) throws -> String {
        let less = try sql("?1 < ?2 COLLATE \"\(collation)\"", left, right) == "1"
        let equal = try sql("?1 = ?2 COLLATE \"\(collation)\"", left, right) == "1"
        return equal ? "=" : less ? "<" : ">"
    }

    @Test(
        "Unicode collations order strings as specified",
        arguments: [
            ("a", "<", "A", "LCUnicode____"), ("Aaa", "<", "abc", "LCUnicode____"), ("AB", "<", "abc", "LCUnicode____"),
            ("test a", "<", "test á", "LCUnicode____"), ("test á", "<", "test b", "LCUnicode____"),
            ("Ähnlichkeit", "<", "apple", "LCUnicode____"), ("ax", "<", "Äz", "LCUnicode____"),
            ("test á", "<", "test Á", "LCUnicode____"), ("á", "=", "Á", "LCUnicode_C__"),
            ("á", "=", "a", "LCUnicode__D_"),
            ("á", "<", "A", "LCUnicode__D_"), ("a", "=", "A", "LCUnicode_C__"), ("á", "=", "A", "LCUnicode_CD_"),
            ("a", "<", "á", "LCUnicode_C__"), ("Å", ">", "Z", "LCUnicode____se"), ("Å", "<", "Z", "LCUnicode____"),
            ("Aardvark", "<", "Ångström", "LCUnicode____"), ("Ångström", "<", "Apple", "LCUnicode____"),
            ("Apple", "<", "äpple", "LCUnicode____"), ("äpple", "<", "Zebra", "LCUnicode____"),
            ("aB", ">", "ab", "LCUnicode____"), ("a-b", "<", "aa", "LCUnicode____"), ("a", "<", "ab", "LCUnicode____"),
            ("Ab", ">", "aB", "LCUnicode____"), ("AB", "<", "abc", "LCUnicode_C__"), ("_", "<", "-", "LCUnicode____"),
            ("9", "<", "a", "LCUnicode____"), ("~", "<", "$", "LCUnicode____"), ("$", "<", "0", "LCUnicode____"),
            ("", "<", "a", "LCUnicode____"), ("ss", "<", "ß", "LCUnicode_C__"), ("ss", "=", "ß", "LCUnicode_CD_"),
            ("STRASSE", "<", "straße", "LCUnicode_C__"), ("e\u{301}", "=", "é", "LCUnicode____"),
            ("E\u{301}", "=", "é", "LCUnicode_C__"), ("A\u{300}", "=", "A", "LCUnicode_CD_"),
            ("À", "=", "A", "LCUnicode_CD_"), ("a\u{308}x", ">", "b", "LCUnicode____sv"), ("a\u{308}x", "<", "b", "LCUnicode____de"),
            ("a^", ">", "a-", "LCUnicode____"), ("a-", "<", "a–", "LCUnicode____"), ("a–", "<", "a^", "LCUnicode____"),
            ("a`", ">", "a%", "LCUnicode____"), ("a\u{1}b", "=", "ab", "LCUnicode____"), ("a\u{0}", "=", "a", "LCUnicode____"),
            ("Cheb", ">", "Hranice", "LCUnicode____cs"), ("Cheb", "<", "Hranice", "LCUnicode____"),
            ("Aabenraa", ">", "Abel", "LCUnicode____da"), ("Aabenraa", ">", "Zebra", "LCUnicode_C__nb"),
            ("ljubav", ">", "luk", "LCUnicode____hr"), ("llama", ">", "luz", "LCUnicode____es@collation=traditional"),
            ("llama", "<", "luz", "LCUnicode____es"), ("y", "<", "j", "LCUnicode____lt"), ("z", "<", "t", "LCUnicode____et"),
            ("csoda", ">", "cukor", "LCUnicode____hu"), ("chwarae", ">", "cyw", "LCUnicode____cy"), ("A", "<", "a", "LCUnicode____da"),
            ("e\u{301}\u{323}", "=", "e\u{323}\u{301}", "LCUnicode____"), ("", "=", "\u{200B}", "LCUnicode____"),
        ]
    )
    func facts(left: String, relation: String, right: String, collation: String) throws {
        #expect(try order(left, right, collation) == relation)
        let mirrored = relation == "<" ? ">" : relation == ">" ? "<" : "="
        #expect(try order(right, left, collation) == mirrored)
    }

    @Test("an unknown collation name throws an error")
    func unknown() {
        for name in ["LCUnicode_", "LCUnicode_X__", "Latin"] {
            #expect(throws: SQLiteError.self) { try sql("'a' < 'b' COLLATE \(name)") }
        }
    }
}
