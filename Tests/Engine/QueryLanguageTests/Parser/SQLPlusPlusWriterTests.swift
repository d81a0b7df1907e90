import ConformanceSupport
import Fleece
import QueryLanguage
import TestSupport
import Testing

@Suite("SQL++ text of expressions")
struct SQLPlusPlusWriterTests {
    @Test(
        "an expression is written in its usual SQL++ form",
        arguments: [
            "name", "address.city", "tags[0]", "tags[-1].x", "`we.ird`.`a``b`.`select`", "_1$", "*", "meta().id",
            "meta(`x y`).sequence", "lower(name)", "a + b * c", "(a + b) * c", "a - (b - c)", "a || b", "1", "-5",
            "2.5", "1e20",
            "'it''s'", "TRUE", "NULL", "MISSING", "[1, a]", "{'k': a}", "$p", "a = 1 AND (b = 2 OR c < 3)",
            "NOT (a = 1)", "NOT a IN (1)", "NOT a LIKE 'x'", "NOT a IS VALUED", "(NOT (a)) IN (1)", "NOT (NOT (a)) IN (1)",
            "(NOT a IN (1)) = b", "b AND NOT a LIKE 'x'",
            "(a IS NULL) = TRUE", "a IS NOT MISSING", "a IS VALUED", "a IN (1, 2)", "a NOT IN (1, 2)", "a IN b",
            "a BETWEEN 1 AND 2", "a LIKE 'x%'", "ANY v IN a SATISFIES v.x = 1 AND v IN b END",
            "ANY AND EVERY v IN a SATISFIES v = 1 END", "CASE a WHEN 1 THEN 2 ELSE 3 END", "CASE WHEN a THEN 2 END",
            "name COLLATE (UNICODE:sv NOCASE NODIAC)", "(a COLLATE (NOCASE)) = b", "-(a)",
            "name COLLATE (UNICODE:`zh-Hans`)", "name COLLATE (UNICODE:`is`)", "meta()[0]", "meta(x)[-1].y",
            "`some` AND EVERY v IN a SATISFIES v END", "$a$1",
            "(f.x)[0] = 1 OR a".replacing("(f.x)[0]", with: "f.x[0]"),
        ]
    )
    func spelling(text: String) throws {
        let expression = try SQLPlusPlus.parseExpression(text)
        #expect(SQLPlusPlus.text(of: expression) == text)
    }

    @Test("the SQL++ text of an expression is parsed to the same expression")
    func roundTrip() throws {
        var count = 0
        for test in ConformanceCase.toRun where test.row.root?["error"] == nil {
            let select = try? test.row.withRoot { row in
                row["language"]?.string == "json"
                    ? try QueryJSON.parse(try JSON.string(row["query"] ?? row))
                    : try SQLPlusPlus.parse(row["query"]?.string ?? "")
            }
            select?.forEachExpression { expression in
                // SQL++ has no name for the root locale, which is used if no locale is named.
                guard let text = SQLPlusPlus.text(of: expression), !expression.contains(where: \.namesRootLocale) else { return }
                count += 1
                #expect((try? SQLPlusPlus.parseExpression(text)) == expression, "\(test.name): \(text)")
            }
        }
        #expect(count > 500)
    }

    @Test("the SQL++ text of an expression without SQL++ syntax is nil")
    func unsayable() {
        #expect(SQLPlusPlus.text(of: .like(value: .null, pattern: .null, isCaseSensitive: false)) == nil)
        #expect(SQLPlusPlus.text(of: .property([.index(0)])) == nil)
        #expect(SQLPlusPlus.text(of: .parameter("7")) == nil)
        #expect(SQLPlusPlus.text(of: .nested(.meta(alias: nil), [])) == nil)
        let shadowed = QueryExpression.property([.key("v"), .key("x")])
        #expect(SQLPlusPlus.text(of: .quantified(.any, variable: "v", source: shadowed, predicate: shadowed)) == nil)
        #expect(SQLPlusPlus.text(of: .operation(.in, [.null, .operation(.or, [.null, .null])])) == nil)
        #expect(SQLPlusPlus.text(of: .collate(CollationOptions(isCaseSensitive: false, locale: "sv"), operand: .null)) == nil)
        #expect(SQLPlusPlus.text(of: .collate(CollationOptions(), operand: .null)) == nil)
        #expect(SQLPlusPlus.text(of: .function(name: "lower", arguments: [.exists(.null)])) == nil)
    }
}

extension QueryExpression {
    fileprivate var namesRootLocale: Bool {
        if case .collate(let options, _) = self { options.locale == "" } else { false }
    }
}
