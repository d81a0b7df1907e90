import Foundation
import QueryLanguage
import Testing

@Suite("Predicate string errors")
struct PredicateErrorTests {
    private func error(_ text: String) -> QueryError? {
        #expect(throws: QueryError.self) { try PredicateString.parse(text) }
    }

    @Test(
        "a syntax error in a predicate string has a reason and a position",
        arguments: [
            ("", 0, "the text ends too early"),
            ("a ==", 4, "the text ends too early"),
            ("a == 1 b", 7, "'b' was not expected"),
            ("a == 1 AND", 10, "the text ends too early"),
            ("a", 1, "a comparison is missing"),
            ("(a) AND b == 1", 4, "a comparison is missing"),
            ("NOT a", 5, "a comparison is missing"),
            ("(a == 1", 7, "')' is missing"),
            ("(a == 1) + 2 > 3", 0, "expected a value but found a condition"),
            ("a == (b == 1)", 5, "expected a value but found a condition"),
            ("a BETWEEN 3", 10, "BETWEEN needs two values in braces: {low, high}"),
            ("a BETWEEN {1, 2, 3}", 10, "BETWEEN needs two values in braces: {low, high}"),
            ("a LIKE $p", 7, "the pattern of LIKE must be a string"),
            ("'a' MATCHES 'b'", 4, "MATCHES needs a key path on its left"),
            ("ANY tags MATCHES 'b'", 9, "MATCHES needs a key path on its left"),
            ("ANY 'a' == 'b'", 4, "a key path must follow ANY, ALL and NONE"),
            ("a ==[x] 1", 5, "only c and d are allowed here"),
            ("a ==[1] 1", 5, "only c and d are allowed here"),
            ("a == 'b", 5, "the string is not terminated"),
            (#"a == '\d'"#, 5, #"a backslash in a string must be written as \\"#),
            ("a == %@", 5, "% is not supported: write a parameter such as $name in place of %@"),
            ("a == %d", 5, "% is not supported: write a parameter such as $name in place of %@"),
            ("a % 2 == 1", 2, "% is not supported: write modulus:by:(a, b) in place of a % b"),
            ("a%2 == 1", 1, "% is not supported: write modulus:by:(a, b) in place of a % b"),
            ("a == $", 5, "the name of a parameter must follow '$'"),
            ("a == #1", 5, "a name must follow '#'"),
            ("a == 12abc", 5, "malformed number"),
            ("a == 1e", 5, "malformed number"),
            ("a == 0x", 5, "malformed number"),
            ("a == 1e999", 5, "malformed number"),
            ("a == ~b", 5, "unexpected character"),
            ("a == 1 & b == 2", 7, "unexpected character"),
            ("a == 1 | b == 2", 7, "unexpected character"),
            ("a == 1;", 6, "unexpected character"),
            ("a == 1 << 2", 7, "'<' was not expected"),
            ("a. == 1", 3, "a name must follow the dot"),
            ("a[b] == 1", 2, "an index must be an integer, FIRST, LAST or SIZE"),
            ("$p[0] == 1", 2, "only a key path can be followed by an index or a name"),
            ("a[SIZE].b == 1", 7, "only a key path can be followed by an index or a name"),
            ("a.@avg == 1", 3, "@count is the only supported operator with @"),
            ("@count == 1", 0, "'@' was not expected"),
            ("random() == 1", 0, "function 'random' is not supported"),
            ("now() == 1", 0, "function 'now' is not supported"),
            ("SUBQUERY(a, b) == 1", 0, "function 'SUBQUERY' is not supported"),
            ("FUNCTION(a, 'nope') == 1", 12, "function 'nope' is not supported"),
            ("FUNCTION(a, b) == 1", 12, "the name of the function is missing"),
            ("TERNARY(a, 1, 2) == 1", 9, "a comparison is missing"),
            ("CAST(a, 'NSDate') == 1", 5, "CAST is supported for dates only"),
            ("CAST(1, 'NSNumber') == 1", 5, "CAST is supported for dates only"),
            ("é == 'b' AND", 13, "the text ends too early"),
        ]
    )
    func messages(text: String, offset: Int, reason: String) {
        let error = error(text)
        #expect(error?.kind == .invalidQuery)
        #expect(error?.offset == offset)
        #expect(error?.message == "predicate syntax error near character \(offset + 1): \(reason)")
    }

    @Test("a sort string accepts only c and d in its last brackets")
    func sortStrings() {
        for (text, offset) in [("tags[0]", 4), ("-name[x]", 5)] {
            let error = #expect(throws: QueryError.self) { try PredicateString.parseOrdering(text) }
            #expect(error?.offset == offset)
        }
        for text in ["", "-", "name[c", "[c]", "-[c]", "name DESC", "]", "a == 1"] {
            #expect(throws: QueryError.self) { try PredicateString.parseOrdering(text) }
        }
        #expect(throws: QueryError.self) { try PredicateString.parseResult("a == 1") }
        #expect(throws: QueryError.self) { try PredicateString.parseResult("") }
    }

    @Test("the nesting of a predicate is limited, and the length of a flat chain is not")
    func nesting() throws {
        let deep = PredicateString.maximumNesting + 1
        // None of the 30 pairs of parentheses has too many operators, but all of them together do.
        let nested = (0..<30).reduce("a") { text, _ in "(\(text) - b - c - d - e - f)" }
        let texts = [
            String(repeating: "(", count: 10_000) + "a == 1", String(repeating: "NOT ", count: deep) + "a == 1",
            "a == " + String(repeating: "-", count: 10_000) + "b", "a == " + String(repeating: "abs(", count: 10_000),
            "a == " + String(repeating: "{", count: 10_000), "a" + String(repeating: " ** a", count: 10_000) + " == 1",
            "a" + String(repeating: " - a + a", count: 51) + " == 1",
            "a" + String(repeating: " / a", count: 102) + " == 1",
            "a" + String(repeating: "[a", count: 10_000),
            "\(nested) == 1",
        ]
        for text in texts {
            #expect(error(text)?.message == "the predicate is nested too deeply", "\(text.prefix(30))")
        }
        let flat = [
            Array(repeating: "a == 1", count: 20_000).joined(separator: " AND "),
            Array(repeating: "a - b + c == 1", count: 500).joined(separator: " AND "),
            "a" + String(repeating: " + a", count: 20_000) + " == 1",
            "a" + String(repeating: " * a", count: 20_000) + " == 1",
            "a" + String(repeating: ".a", count: 20_000) + " == 1",
        ]
        for text in flat { try PredicateString.parse(text).checkDepth() }
    }

    @Test("the most deeply nested predicate is parsed on a 512 KiB stack")
    func smallStack() throws {
        let depth = PredicateString.maximumNesting - 2
        let texts = [
            String(repeating: "(", count: depth) + "a == 1" + String(repeating: ")", count: depth),
            "a == " + String(repeating: "abs(", count: depth / 2) + "a" + String(repeating: ")", count: depth / 2),
        ]
        for text in texts {
            let done = DispatchSemaphore(value: 0)
            // Unsafe: read after the semaphore was signalled.
            nonisolated(unsafe) var parsed: QueryExpression?
            let thread = Thread {
                parsed = try? PredicateString.parse(text)
                done.signal()
            }
            thread.stackSize = 512 << 10
            thread.start()
            done.wait()
            #expect(parsed != nil)
        }
    }
}
