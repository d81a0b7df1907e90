import QueryLanguage
import Testing

@Suite("Expressions that are built step by step")
struct QueryExpressionBuildingTests {
    @Test("conditions that are joined one after the other become one flat node")
    func chain() {
        let joined = QueryExpression.chain(.and, .chain(.and, .integer(1), .integer(2)), .integer(3))
        #expect(joined == .operation(.and, [.integer(1), .integer(2), .integer(3)]))
        #expect(QueryExpression.chain(.or, joined, .integer(4)) == .operation(.or, [joined, .integer(4)]))
    }

    @Test("the alias of a data source precedes the path of a property")
    func alias() throws {
        let property = try QueryExpression.property(encodedPath: "a.b[0]")
        #expect(property.qualified(by: "x") == .property([.key("x"), .key("a"), .key("b"), .index(0)]))
        #expect(QueryExpression.property([]).qualified(by: "x") == .property([.key("x")]))
        #expect(property.qualified(by: nil) == property)
    }

    @Test("a path that begins with an index is not a variable, and a variable with a path is not the element of a quantifier")
    func variables() throws {
        let variable = try QueryExpression.variable(encodedPath: "tag.color")
        #expect(variable == .variable("tag", [.key("color")]))
        #expect(throws: QueryError.self) { try QueryExpression.variable(encodedPath: "[0]") }
        #expect(throws: QueryError.self) {
            try QueryExpression.quantified(.any, element: variable, source: .array([]), predicate: .boolean(true))
        }
    }

    @Test("only a property can be searched without the name of an index")
    func match() throws {
        #expect(try QueryExpression.match(.property([.key("a")]), pattern: "x") == .match(index: "a", pattern: .string("x")))
        #expect(throws: QueryError.self) { try QueryExpression.match(.integer(1), pattern: "x") }
        #expect(throws: QueryError.self) { try QueryExpression.match(.property([]), pattern: "x") }
    }
}
