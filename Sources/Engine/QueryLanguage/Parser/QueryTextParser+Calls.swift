extension QueryTextParser {
    /// Parses `call` of the grammar, and `EXISTS (SELECT …)`, which looks like a call. The current token is the name, the next one the
    /// parenthesis.
    mutating func parseCall(_ name: String) throws(QueryError) -> QueryExpression {
        advance()
        if let function = SearchFunction.named(name) { return try parseSearchCall(function) }
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
        case ModelCall.functionName:
            return .function(name: name, arguments: try parsePredictionArguments())
        case let known where QueryFunction.named(known) != nil:
            try expect(.leftParenthesis)
            if isAt(.distinct) { return .function(name: name, arguments: [try parseDistinctArgument(of: name)]) }
            return .function(name: name, arguments: try parseExpressions(until: .rightParenthesis))
        default:
            // The error is at the parenthesis, because without it the name would be a property.
            throw syntaxError("unknown function \"\(name)\"\(QueryFunction.hint(for: name))", at: index - 1)
        }
    }

    /// Parses the index and the arguments of a function of a search.
    private mutating func parseSearchCall(_ function: SearchFunction) throws(QueryError) -> QueryExpression {
        try expect(.leftParenthesis)
        let index = try parseIndexName()
        guard skip(.comma) else {
            try expect(.rightParenthesis)
            return .search(function, index: index, arguments: [])
        }
        return .search(function, index: index, arguments: try parseExpressions(until: .rightParenthesis))
    }

    /// Parses the argument `DISTINCT expr` of an aggregate function, and the closing parenthesis.
    private mutating func parseDistinctArgument(of name: String) throws(QueryError) -> QueryExpression {
        guard QueryFunction.named(name)?.isAggregate == true else {
            throw syntaxError("DISTINCT is allowed only in aggregate functions, and \(name) is not one", at: index)
        }
        advance()
        let operand = try parseExpression()
        try expect(.rightParenthesis)
        return .distinct(operand)
    }

    /// Parses the arguments of PREDICTION: the name of a model, its input, and perhaps a path in its output (Vector search 8.2). Their number is
    /// checked when the query is compiled.
    private mutating func parsePredictionArguments() throws(QueryError) -> [QueryExpression] {
        try expect(.leftParenthesis)
        if skip(.rightParenthesis) { return [] }
        var arguments: [QueryExpression] = [.string(try expectIdentifier("the name of a model"))]
        while skip(.comma) {
            let argument = try parseExpression()
            // A path is written as a string, or like a property (PR-10).
            guard arguments.count == 2, case .property(let path) = argument else {
                arguments.append(argument)
                continue
            }
            arguments.append(.string("." + path.encoded))
        }
        try expect(.rightParenthesis)
        return arguments
    }

    /// Parses `[ ident "." ] ident`.
    private mutating func parseIndexName() throws(QueryError) -> String {
        let name = try expectIdentifier("the name of an index")
        return skip(.dot) ? "\(name).\(try expectIdentifier())" : name
    }
}
