extension QueryTextParser {
    /// Parses `call` of the grammar, and `EXISTS (SELECT …)`, which looks like a call. The current token is the name, the next one the
    /// parenthesis.
    mutating func parseCall(_ name: String) throws(QueryError) -> QueryExpression {
        advance()
        switch name.lowercased() {
        case "exists":
            try expect(.leftParenthesis)
            let select = try parseSelect()
            try expect(.rightParenthesis)
            return .exists(.select(select))
        case "meta":
            try expect(.leftParenthesis)
            let alias = skipIdentifier()
            try expect(.rightParenthesis)
            return .meta(alias: alias)
        case "match":
            try expect(.leftParenthesis)
            let index = try parseIndexName()
            try expect(.comma)
            let pattern = try parseExpression()
            try expect(.rightParenthesis)
            return .match(index: index, pattern: pattern)
        case "rank":
            try expect(.leftParenthesis)
            let index = try parseIndexName()
            try expect(.rightParenthesis)
            return .rank(index: index)
        case let known where QueryFunction.named(known) != nil:
            try expect(.leftParenthesis)
            return .function(name: name, arguments: try parseExpressions(until: .rightParenthesis))
        case let known where QueryFunction.reservedNames.contains(known):
            throw QueryError.unknownFunction(name)
        default:
            // The error is at the parenthesis, because without it the name would be a property.
            throw syntaxError("unknown function \"\(name)\"\(QueryFunction.hint(for: name))", at: index - 1)
        }
    }

    /// Parses `[ ident "." ] ident`.
    private mutating func parseIndexName() throws(QueryError) -> String {
        let name = try expectIdentifier("the name of an index")
        return skip(.dot) ? "\(name).\(try expectIdentifier())" : name
    }
}
