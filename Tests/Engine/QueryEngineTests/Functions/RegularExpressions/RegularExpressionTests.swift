import Foundation
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@testable import QueryEngine

/// A pattern with a text, as strings.
private struct Trial {
    let expression: RegularExpression

    init(_ pattern: String) throws {
        expression = try RegularExpression(Array(pattern.utf8))
    }

    /// The texts of the first match and its groups; nil for a group that did not match.
    func groups(in text: String, from start: Int = 0) throws -> [String?]? {
        var effort = MatchEffort()
        return try Array(text.utf8).withUnsafeBytes { bytes -> [String?]? in
            let match = try expression.firstMatch(in: bytes, from: start, groups: 100, effort: &effort)
            return match.map { slots in
                stride(from: 0, to: slots.count, by: 2).map { index in
                    slots[index] < 0 ? nil : String(decoding: bytes[slots[index]..<slots[index + 1]], as: UTF8.self)
                }
            }
        }
    }

    /// The number of steps until the result is known.
    func steps(in text: [UInt8]) throws -> (isMatch: Bool, steps: Int) {
        var effort = MatchEffort()
        let match = try text.withUnsafeBytes {
            try expression.firstMatch(in: $0, from: 0, groups: 0, effort: &effort)
        }
        return (match != nil, effort.steps)
    }
}

@Suite("Regular expressions")
struct RegularExpressionTests {
    @Test(
        "the first match and its groups are the same as in ECMAScript",
        arguments: [
            ("abc", "xabcx", ["abc"]), ("", "abc", [""]), ("a*", "baac", [""]), ("a+", "baac", ["aa"]),
            ("a+?", "baac", ["a"]),
            ("(a|ab)(c|bcd)", "abcd", ["abcd", "a", "bcd"]), ("(a+)(b*)", "xaabb", ["aabb", "aa", "bb"]),
            ("a|ab|abc", "abc", ["a"]), ("(?:a|b)+", "cabd", ["ab"]), ("(a)|(b)", "b", ["b", nil, "b"]),
            ("^b", "ab", nil), ("b$", "ab", ["b"]), ("a$", "ab", nil), ("^$", "", [""]), ("a{2,3}", "aaaa", ["aaa"]),
            ("a{2,3}?", "aaaa", ["aa"]), ("a{2}", "aaaa", ["aa"]), ("a{3,}", "aaaaa", ["aaaaa"]),
            ("(a{0,1}){3}b", "aab", ["aab", ""]),
            ("\\bfoo\\b", "a foo.", ["foo"]), ("\\Boo\\b", "foo", ["oo"]), ("\\bö", "ö", nil),
            ("[a-c]+", "xxabcd", ["abc"]),
            ("[^a-c]+", "abxyc", ["xy"]), ("[]", "a", nil), ("[^]", "\n", ["\n"]), (".", "\n\r\u{2028}\u{2029}", nil),
            ("...", "äöü", ["äöü"]), (".", "e\u{301}", ["e"]), ("[[:alpha:]]+", "12ab", ["ab"]),
            ("[\\w-]+", "a-b c", ["a-b"]),
            ("\\d+", "a12", ["12"]), ("\\s", "a\tb", ["\t"]), ("\\u00e4\\x62", "äb", ["äb"]), ("\\cJ", "\n", ["\n"]),
            ("(a*)*", "b", ["", nil]), ("(a*)*b", "aab", ["aab", "aa"]), ("(a|b*)*c", "abac", ["abac", "a"]),
            ("(?=ab)a", "xab", ["a"]), ("a(?!b)", "abac", ["a"]), ("(?=(a+))a*b", "aab", ["aab", "aa"]),
            ("(a+)\\1", "aaaa", ["aaaa", "aa"]), ("(a)\\1", "ab", nil), ("(?:(a)|b)\\1", "b", nil),
            ("(\\w)\\1+", "abbbc", ["bbb", "b"]),
            ("(?:(a\\1?)b)*", "abab", ["abab", "a"]), ("(?:(a|b\\1))*", "aab", ["aa", "a"]),
            ("\\.\\*", "a.*", [".*"]), ("}", "}", ["}"]), ("]", "]", ["]"]), ("[a\\]b]+", "]a", ["]a"]),
            ("[\\b]", "\u{8}", ["\u{8}"]),
        ] as [(String, String, [String?]?)]
    )
    func firstMatch(pattern: String, text: String, expected: [String?]?) throws {
        #expect(try Trial(pattern).groups(in: text) == expected)
    }

    @Test("regular expressions compare characters by code point")
    func codePoints() throws {
        #expect(try Trial("e").groups(in: "e\u{301}") == ["e"])
        #expect(try Trial("\u{E9}").groups(in: "e\u{301}") == nil)
        #expect(try Trial("^[^a-z]$").groups(in: "e\u{301}") == nil)
    }

    @Test(
        "each byte of invalid UTF-8 is a replacement character",
        arguments: [
            ([0xC0, 0x80], 2), ([0xE0, 0x9F, 0xBF], 3), ([0xED, 0xA0, 0x80], 3), ([0xF0, 0x8F, 0xBF, 0xBF], 4),
            ([0xF4, 0x90, 0x80, 0x80], 4), ([0xF5, 0x80, 0x80, 0x80], 4), ([0xE2, 0x82], 2), ([0xEF, 0xBF, 0xBD], 1),
        ] as [([UInt8], Int)]
    )
    func invalidText(bytes: [UInt8], count: Int) throws {
        #expect(try Trial("^\u{FFFD}{\(count)}$").steps(in: bytes).isMatch)
        for valid in ["\u{800}", "\u{D7FF}", "\u{10000}", "\u{10FFFF}"] {
            #expect(try Trial("^\(valid)$").steps(in: Array(valid.utf8)).isMatch)
        }
    }

    @Test(
        "an invalid regular expression throws an error with a reason",
        arguments: [
            "(", ")", "a)", "(a", "[a", "[b-a]", "[a-\\d]", "*", "a**", "a+*", "a{", "a{,2}", "a{3,2}", "a{x}", "^*",
            "\\b+", "\\", "[\\",
            "\\q", "\\1", "(a)\\2", "(?<n>a)", "(?i)a", "\\u12", "\\xg", "\\c1", "[[:nope:]]", "|*", "(*)", "{1}",
        ]
    )
    func invalid(pattern: String) {
        let error = #expect(throws: RegularExpression.Failure.self) { try Trial(pattern) }
        guard case .invalid(let reason)? = error else { return #expect(Bool(false), "\(pattern)") }
        #expect(!reason.isEmpty)
    }

    @Test("a regular expression that expands too far is refused, and repeated empty groups are accepted")
    func size() throws {
        for pattern in [
            "((a{1000}){1000}){1000}", "a{100001}", "(a{0,300}){0,300}", String(repeating: "a", count: 60_000),
        ] {
            #expect(throws: RegularExpression.Failure.tooLarge) { try Trial(pattern) }
        }
        #expect(try Trial("(?:(?:){100000}){100000}").groups(in: "a") == [""])
        let deep = String(repeating: "(", count: 10_000) + String(repeating: ")", count: 10_000)
        #expect(throws: RegularExpression.Failure.invalid("its groups are nested too deeply")) { try Trial(deep) }
    }

    @Test("the working memory of a pattern is kept for the next text unless it is large")
    func memory() throws {
        for (groups, isKept) in [(10, true), (200, false)] {
            let trial = try Trial(String(repeating: "(a)", count: groups))
            #expect(try trial.groups(in: String(repeating: "a", count: groups))?.count == min(groups + 1, 100))
            let isThere = trial.expression.memory != nil
            trial.expression.releaseLargeMemory()
            let isStillThere = trial.expression.memory != nil
            #expect(isThere && isStillThere == isKept)
        }
    }

    @Test(
        "matching without back-references takes a number of steps linear in the text length",
        arguments: [
            "(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*a){12}b", "^(ab)*$", "(a*)*b", "(a?){30}a{30}", "(x+x+)+y",
            "\\b(a+)+\\b!",
        ]
    )
    func linear(pattern: String) throws {
        let trial = try Trial(pattern)
        func steps(_ count: Int) throws -> Int {
            try trial.steps(in: Array(repeating: UInt8(ascii: "a"), count: count) + [UInt8(ascii: "!")]).steps
        }
        let (few, many) = (try steps(500), try steps(2000))
        // Four times the text, after something at which a match can begin.
        #expect(many <= 5 * few)
        #expect(many < 2000 * 200)
    }

    @Test("a long text is matched without a stack overflow")
    func longText() throws {
        let text = Array(repeating: "ab", count: 30_000).joined()
        #expect(try Trial("^(ab)*$").steps(in: Array(text.utf8)).isMatch)
        #expect(try !Trial("^(ab)*$").steps(in: Array((text + "c").utf8)).isMatch)
        #expect(try Trial("^(?=a)(ab)*$").steps(in: Array(text.utf8)).isMatch)
    }

    @Test("a back-reference or look-ahead that needs too many steps throws an error")
    func bounded() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 200)
        for pattern in ["(a+)+\\1b", "(?=(a+)+b)a"] {
            var effort = MatchEffort()
            #expect(throws: RegularExpression.Failure.tooManySteps) {
                try text.withUnsafeBytes { bytes in
                    _ = try Trial(pattern).expression.firstMatch(in: bytes, from: 0, groups: 0, effort: &effort)
                }
            }
            #expect(effort.steps <= BacktrackingMatcher.limit(forTextOf: text.count))
        }
    }

    @Test("the groups that a search or a look-ahead copies and the text that a back-reference compares count as steps")
    func copies() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 3200)
        let groups = "(?:\(String(repeating: "()", count: 800))){0}"
        let few = try Trial("^(?:(?=a)a){50}").steps(in: text).steps
        let many = try Trial("^(?:(?=a)a){50}\(groups)").steps(in: text).steps
        #expect(many == few + 51 * 100)
        #expect(try Trial("^(a{1600})\\1$").steps(in: text).steps > 1700)
    }

    @Test("a regular expression search ends soon after the connection is interrupted")
    func interrupted() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        connection.handle.interrupt()
        let text = Array(repeating: UInt8(ascii: "a"), count: 100_000)
        for pattern in ["(a+)+$b", "(?=b)|(a)\\1c"] {
            var effort = MatchEffort(interruptedWith: connection)
            #expect(throws: RegularExpression.Failure.interrupted) {
                try text.withUnsafeBytes { bytes in
                    _ = try Trial(pattern).expression.firstMatch(in: bytes, from: 0, groups: 0, effort: &effort)
                }
            }
            #expect(effort.steps <= 10_000)
        }
        connection.handle.clearInterruption()
        #expect(!connection.handle.isInterrupted)
    }

    @Test("random regular expressions match like NSRegularExpression")
    func random() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1500 {
            let pattern = Self.pattern(depth: 3, &generator)
            let text = String(
                (0..<Int.random(in: 0...8, using: &generator)).map { _ in "abc".randomElement(using: &generator) ?? "a"
                }
            )
            let reference = try NSRegularExpression(pattern: pattern)
            let match = reference.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
            let expected = match.flatMap { Range($0.range, in: text) }.map { String(text[$0]) }
            let found = try Trial(pattern).groups(in: text)?.first.flatMap(\.self)
            #expect(found == expected, "/\(pattern)/ on \(text), seed \(seed)")
        }
    }

    private static func pattern(depth: Int, _ generator: inout SeededGenerator) -> String {
        guard depth > 0 else { return ["a", "b", "c", ".", "[ab]", "[^a]"].randomElement(using: &generator) ?? "a" }
        func part() -> String { pattern(depth: depth - 1, &generator) }
        switch Int.random(in: 0...8, using: &generator) {
        case 0...2: return part() + part()
        case 3: return "(\(part())|\(part()))"
        // A part that can be empty is omitted from repetitions, because the engines differ in its last iteration.
        case 4: return "(?:\(part())a)*"
        case 5: return "(?:b\(part()))+?"
        case 6: return "(?:\(part())c){1,2}"
        case 7: return ["^", "$", "\\b"].randomElement(using: &generator).map { $0 + part() } ?? part()
        default: return "(\(part()))?"
        }
    }
}

@Suite("Regular expression functions")
struct PatternFunctionTests {
    private func value(_ expression: String, _ parameters: [String: String] = [:]) throws -> String {
        let database = try QueryDatabase()
        try database.save("doc", "{}")
        let json = String(decoding: try JSONEncoder().encode(parameters), as: UTF8.self)
        return try database.value(expression, QueryParameters(json: json))
    }

    @Test(
        "a regexp_replace replacement can refer to groups, the match and its surroundings",
        arguments: [
            ("regexp_replace('abc', 'b', '[$&]')", "a[b]c"), ("regexp_replace('abc', 'b', '[$`|$'']')", "a[a|c]c"),
            ("regexp_replace('abc', '(a)(b)', '$2$1$3$$')", "ba$c"), ("regexp_replace('aaa', 'a', 'b', 2)", "bba"),
            ("regexp_replace('aaa', 'a', 'b', '1')", "baa"), ("regexp_replace('aaa', 'a', 'b', 0)", "aaa"),
            ("regexp_replace('abc', '', '-')", "-a-b-c-"), ("regexp_replace('äöü', '', '-')", "-ä-ö-ü-"),
            ("regexp_replace('abc', 'x*', '-')", "-a-b-c-"),
            ("regexp_replace('abcdefghijk', '(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)', '$10$1')", "jak"),
            ("regexp_replace('ab', '(a)', '$12')", "a2b"), ("regexp_replace('ab', '(x)?a', '<$1>')", "<>b"),
            ("regexp_replace('a$', '[$]', '$')", "a$"),
        ]
    )
    func replacements(expression: String, expected: String) throws {
        #expect(try value(expression) == "\"\(expected)\"")
    }

    @Test("writing a replacement stops when it exceeds the length limit")
    func longReplacement() {
        let text = Array(repeating: UInt8(ascii: "a"), count: 1000)
        let template = Array(String(repeating: "$`", count: 1000).utf8)
        var result: [UInt8] = []
        let fits = template.withUnsafeBytes { template in
            text.withUnsafeBytes { bytes in
                ReplacementTemplate(template, groupCount: 0).append([1000, 1000], of: bytes, to: &result, limit: 10_500)
            }
        }
        #expect(!fits)
        #expect(result.count == 10_000)
    }

    @Test("an invalid or too slow regular expression throws an error that names it")
    func errors() throws {
        let invalid = #expect(throws: QueryError.self) { try value("regexp_like('a', '(b')") }
        #expect(invalid?.message == "the regular expression '(b' is invalid: a ( is not closed")
        let pattern = "^(?!(a|aa)*b)(a|aa)*c"
        let text = String(repeating: "a", count: 200)
        let slow = #expect(throws: QueryError.self) { try value("regexp_like($t, $p)", ["t": text, "p": pattern]) }
        #expect(slow?.message.hasPrefix("the regular expression '\(pattern)' takes too many steps") == true)
    }

    @Test("the limit on the steps of a regular expression is one for all matches of regexp_replace")
    func slowMatches() throws {
        // Four thousand unsuccessful ways to match each look-ahead.
        let pattern = "b(?!(?:a|aa){12}c)"
        let text = Array(repeating: "b" + String(repeating: "a", count: 24), count: 100).joined()
        #expect(try value("length(regexp_replace($t, $p, '', 1))", ["t": text, "p": pattern]) == "2499")
        let slow = #expect(throws: QueryError.self) { try value("regexp_replace($t, $p, '')", ["t": text, "p": pattern]) }
        #expect(slow?.message.hasPrefix("the regular expression '\(pattern)' takes too many steps") == true)
    }

    @Test("regular expressions that look the same and differ in bytes are distinguished")
    func similarPatterns() throws {
        #expect(
            try value(
                "regexp_like('\u{E9}', '^\u{E9}$') AND NOT regexp_like('\u{E9}', '^e\u{301}$') AND regexp_like('e\u{301}', '^e\u{301}$')"
            )
                == "1"
        )
    }
}
