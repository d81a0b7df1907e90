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
        if function.readsTags, !isTagRead, !isLikeIndex, clause != .index {
            isLikeIndex = true
            let plain = try sql(of: function, arguments)
            isLikeIndex = false
            if try isIndexed(plain) { return plain }
            isTagRead = true
            defer { isTagRead = false }
            return try sql(of: function, arguments)
        }
        return try sql(of: function, arguments)
    }

    private mutating func sql(of function: QueryFunction, _ arguments: [QueryExpression]) throws -> String {
        var list = try arguments.map { try expression($0) }
        if function.comparesByCollation, arguments.contains(where: \.hasCollationInside) {
            list[0] = withoutCollation("(\(list[0]))")
        }
        if function.takesCollation, let name = collation.collationName { list.append(SQLText.literal(name)) }
        return "\(function.sqlName)(\(list.joined(separator: ", ")))"
    }

    /// Whether an index of a source has the value of a call, which was computed of the documents. Then the query has to say it in
    /// the words of the index, and not in those that keep arguments from being taken from other indexes.
    private func isIndexed(_ call: String) throws -> Bool {
        try scope.sources.contains { source in
            guard let table = source.table else { return false }
            let indexed = call.replacing("\(source.qualifier)body", with: "body")
            return try record.resolver.hasIndex(of: indexed, in: table)
        }
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
