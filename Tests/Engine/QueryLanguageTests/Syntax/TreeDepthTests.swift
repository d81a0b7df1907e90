import Testing

@testable import QueryLanguage

@Suite("Tree depth")
struct TreeDepthTests {
    private func nested(_ depth: Int) -> QueryExpression {
        (1..<depth).reduce(QueryExpression.null) { tree, _ in .not(tree) }
    }

    @Test("an expression at the depth limit is accepted, and a deeper one throws an error")
    func limit() throws {
        try nested(QueryExpression.maximumDepth).checkDepth()
        #expect(throws: QueryError.invalidQuery("the query is nested too deeply")) {
            try nested(QueryExpression.maximumDepth + 1).checkDepth()
        }
    }

    @Test("a nested query counts towards the depth of an expression")
    func nestedQuery() throws {
        let select = SelectStatement(condition: nested(QueryExpression.maximumDepth - 1))
        #expect(throws: QueryError.self) { try QueryExpression.exists(.select(select)).checkDepth() }
        #expect(throws: QueryError.self) { try SelectStatement(limit: nested(400)).checkDepth() }
    }

    @Test("a search finds an expression at every position of a tree")
    func search() {
        let needle = QueryExpression.parameter("needle")
        let trees: [QueryExpression] = [
            .array([.null, needle]), .dictionary([DictionaryEntry(key: "k", value: needle)]), .nested(needle, []),
            .operation(.add, [.null, needle]), .like(value: .null, pattern: needle, isCaseSensitive: true),
            .exists(needle), .collate(CollationOptions(), operand: needle), .match(index: "i", pattern: needle),
            .function(name: "abs", arguments: [needle]),
            .conditional(subject: needle, branches: [], otherwise: nil),
            .conditional(subject: nil, branches: [ConditionalBranch(when: needle, then: .null)], otherwise: nil),
            .conditional(subject: nil, branches: [ConditionalBranch(when: .null, then: needle)], otherwise: nil),
            .conditional(subject: nil, branches: [], otherwise: needle),
            .quantified(.any, variable: "v", source: needle, predicate: .null),
            .quantified(.any, variable: "v", source: .null, predicate: needle),
        ]
        for tree in trees { #expect(tree.contains { $0 == needle }, "\(tree)") }
        #expect(!QueryExpression.array([.null]).contains { $0 == needle })
    }
}
