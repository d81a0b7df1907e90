extension SelectCompiler {
    /// A call by name (Query 3.9–3.14, 5.2).
    mutating func call(_ name: String, _ arguments: [QueryExpression]) throws -> String {
        guard let function = QueryFunction.named(name) else {
            throw QueryError.invalidQuery("Unknown function '\(name)'")
        }
        try check(arguments.count, for: function, calledAs: name)
        if function.isAggregate { return try aggregate(function, arguments, calledAs: name) }
        if function.name == "array_count", case .property(let path) = arguments[0],
            let body = try bodyArguments(path, isPathRequired: true)
        {
            return "fl_count(\(body))"
        }
        let outer = isTagRead
        isTagRead = outer || function.readsTags
        defer { isTagRead = outer }
        var list = try arguments.map { try expression($0) }
        if function.comparesByCollation, arguments.contains(where: \.hasCollationInside) {
            list[0] = withoutCollation("(\(list[0]))")
        }
        if function.takesCollation, let name = collation.collationName { list.append(SQLText.literal(name)) }
        return "\(function.sqlName)(\(list.joined(separator: ", ")))"
    }

    private func check(_ count: Int, for function: QueryFunction, calledAs name: String) throws {
        if count < function.minimumArguments {
            throw QueryError.invalidQuery("Too few arguments for function '\(name)'")
        }
        if let maximum = function.maximumArguments, count > maximum {
            throw QueryError.invalidQuery("Too many arguments for function '\(name)'")
        }
    }

    private mutating func aggregate(
        _ function: QueryFunction,
        _ arguments: [QueryExpression],
        calledAs name: String
    ) throws -> String {
        guard clause.allowsAggregates, !isInsideAggregate else {
            throw QueryError.invalidQuery("Cannot use aggregate function \(name)() in this context")
        }
        // Every row has a document of the main source, so counting those is counting rows, without reading one.
        if function.name == "count", arguments.isEmpty || arguments == [.property([])] { return "count(*)" }
        isInsideAggregate = true
        let outer = isTagRead
        // So that SQLite finds the smallest and the largest in an index.
        isTagRead = false
        defer {
            isInsideAggregate = false
            isTagRead = outer
        }
        let list = try list(arguments)
        let isAmbiguous = function.comparesByCollation && arguments.contains(where: \.hasCollationInside)
        return "\(function.sqlName)(\(isAmbiguous ? withoutCollation("(\(list))") : list))"
    }
}
