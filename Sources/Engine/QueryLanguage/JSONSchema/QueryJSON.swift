/// The front end for queries in the JSON schema (Query 1), and its inverse.
package enum QueryJSON {
    /// The maximum nesting depth of arrays and objects.
    package static let maximumNesting = 128

    /// Parses a query: an object with the operands of SELECT, `["SELECT", {…}]`, or an expression for WHERE.
    package static func parse(_ text: String) throws(QueryError) -> SelectStatement {
        let root = try JSONNode(parsing: text)
        var reader = JSONTreeReader()
        if case .object(let operands) = root { return try reader.select(operands) }
        guard case .array = root else { throw QueryError.invalidQuery("a JSON query must be an object or an array") }
        let expression = try reader.expression(root)
        if case .select(let select) = expression { return select }
        return SelectStatement(condition: expression)
    }

    /// Parses one expression, such as the WHERE condition of a partial index.
    package static func parseExpression(_ text: String) throws(QueryError) -> QueryExpression {
        var reader = JSONTreeReader()
        return try reader.expression(try JSONNode(parsing: text))
    }

    /// Parses the definition of an index: an array of expressions, or an object with the keys WHAT and WHERE (Query 7.1).
    package static func parseIndex(_ text: String) throws(QueryError) -> (expressions: [QueryExpression], condition: QueryExpression?) {
        let root = try JSONNode(parsing: text)
        var reader = JSONTreeReader()
        if case .object(let operands) = root {
            let select = try reader.select(operands)
            return (select.items.map(\.expression), select.condition)
        }
        return (try reader.listItems(root, of: "an index"), nil)
    }
}
