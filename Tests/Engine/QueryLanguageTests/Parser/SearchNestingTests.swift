import QueryLanguage
import Testing

@Suite("Nesting of searches in FROM")
struct SearchNestingTests {
    private static let both = #""text": $w, "in": "texts", "vector": $v, "by": "v""#

    /// Returns a query with searches on so many levels, each in the condition of the one around it.
    private func query(levels: Int) -> String {
        let inner = levels > 1 ? #", "where": EXISTS (\#(query(levels: levels - 1)))"# : ""
        return "SELECT id FROM search({\(Self.both)\(inner)})"
    }

    /// Returns the same in JSON, with each search in an argument of the one around it.
    private func json(levels: Int, in argument: String) -> String {
        let path = #"[".v"]"#
        let inner = levels > 1 ? #"["EXISTS",["SELECT",\#(json(levels: levels - 1, in: argument))]]"# : path
        let others = argument == "by" ? "" : #","by":\#(path)"#
        let arguments = #""text":["$w"],"in":"texts","vector":["$v"],"\#(argument)":\#(inner)\#(others)"#
        return #"{"WHAT":[[".id"]],"FROM":[{"SEARCH":{\#(arguments)}}]}"#
    }

    /// Returns an expression with searches on so many levels, each in the text of `by` of the one around it.
    private func expression(levels: Int) -> String {
        guard levels > 0 else { return "v" }
        let quote = levels.isMultiple(of: 2) ? "'" : "\""
        func quoted(_ text: String) -> String { quote + text.replacing(quote, with: quote + quote) + quote }
        return "EXISTS (SELECT 1 FROM search({\(quoted("vector")): $v, \(quoted("by")): \(quoted(expression(levels: levels - 1)))}))"
    }

    /// Returns the number of queries in a query that are compiled, with itself.
    private func count(_ select: SelectStatement) -> Int {
        var count = 1
        func visit(_ part: QueryExpression) {
            if case .select(let nested) = part { count += self.count(nested) } else { part.forEachChild(visit) }
        }
        select.forEachExpression(visit)
        return count
    }

    @Test("both halves of a search contain the condition, so that the number of levels is limited")
    func conditions() throws {
        #expect(try count(SQLPlusPlus.parse(query(levels: 1))) == 3)
        #expect(try count(SQLPlusPlus.parse(query(levels: 3))) == 21)
        #expect(try count(QueryJSON.parse(json(levels: 3, in: "where"))) == 21)
        let deepest = (1...10).compactMap { try? SQLPlusPlus.parse(query(levels: $0)) }.map(count).max() ?? 0
        #expect(deepest < 100)
        let deepestJSON = (1...10).compactMap { try? QueryJSON.parse(json(levels: $0, in: "where")) }.map(count).max() ?? 0
        #expect(deepestJSON < 200)
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(query(levels: 7)) }
        #expect(error?.message == "the query is nested too deeply")
        let errorOfJSON = #expect(throws: QueryError.self) { try QueryJSON.parse(json(levels: 7, in: "where")) }
        #expect(errorOfJSON?.message == "the query is nested too deeply")
    }

    @Test("a query of the deepest level can be written as JSON and read again")
    func roundTrip() throws {
        let deepest = try #require((1...10).compactMap { try? SQLPlusPlus.parse(query(levels: $0)) }.last)
        let json = QueryJSON.text(of: deepest)
        #expect(try QueryJSON.text(of: QueryJSON.parse(json)) == json)
    }

    @Test("queries in the condition of a search count twice")
    func counting() throws {
        func query(searches: Int) -> String {
            let condition = Array(repeating: "EXISTS (SELECT id FROM search({\(Self.both)}))", count: searches).joined(separator: " AND ")
            return #"SELECT id FROM search({\#(Self.both), "where": \#(condition)})"#
        }
        // Two for the outer search, and four for each inner one.
        #expect(try count(SQLPlusPlus.parse(query(searches: 15))) == 1 + 2 * (1 + 15 * 3))
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(query(searches: 16)) }
        #expect(error?.hint.contains("more than 64 nested queries") ?? false, "\(error?.hint ?? "")")
    }

    @Test("the expression of a vector index counts to the nesting of the query around it, as a text and in JSON")
    func indexExpressions() throws {
        _ = try SQLPlusPlus.parseExpression(expression(levels: 3))
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(expression(levels: 8)) }
        #expect(
            error?.kind == .invalidQuery && error?.message.hasSuffix("the query is nested too deeply") ?? false,
            "\(error?.message ?? "")"
        )
        _ = try QueryJSON.parse(json(levels: 3, in: "by"))
        let errorOfJSON = #expect(throws: QueryError.self) { try QueryJSON.parse(json(levels: 8, in: "by")) }
        #expect(errorOfJSON?.message == "the query is nested too deeply")
    }

    @Test("many parentheses in the expression of a vector index, in a search that is inside of many parentheses, are an error")
    func parentheses() {
        func nested(_ text: String) -> String { String(repeating: "(", count: 45) + text + String(repeating: ")", count: 45) }
        func expression(_ by: String) -> String { nested("EXISTS (SELECT 1 FROM search({'vector': $v, 'by': '\(by)'}))") }
        #expect(throws: Never.self) { try SQLPlusPlus.parseExpression(expression("v")) }
        #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(expression(nested("v"))) }
    }
}
