extension SelectCompiler {
    /// Compiles a function call (Query 3.9–3.14, 5.2).
    mutating func call(_ name: String, _ arguments: [QueryExpression]) throws -> String {
        guard let function = QueryFunction.named(name) else { throw QueryError.unknownFunction(name) }
        try check(arguments.count, for: function, calledAs: name)
        guard function != .fuzzy || context.isInPattern else {
            throw QueryError.invalidQuery("fuzzy() can only be used in the pattern of match()")
        }
        if function.name == QueryExpression.vectorDistance { return try vectorDistance(arguments) }
        if function.isAggregate { return try aggregate(function, arguments, calledAs: name) }
        if ModelCall.isFunction(name) { return try prediction(try ModelCall(arguments: arguments)) }
        if function.name == "array_count", case .property(let path) = arguments[0] {
            if let body = try bodyArguments(path, isPathRequired: true) { return "fl_count(\(body))" }
            if titleMayBeProperty, resultItem(named: path) != nil { return "fl_value_count(\(try expression(arguments[0])))" }
        }
        guard !isOfIndex else { return try sql(of: function, arguments) }
        // An index stores true and false as 1 and 0, so it cannot serve an expression that distinguishes booleans from numbers.
        let seeksIndex =
            context.isUnindexed
            ? false : context.isTagRead ? function.sanitizedName != nil && !function.returnsBoolean : function.differsInIndexes
        if seeksIndex, let plain = try inIndexForm({ try $0.sql(of: function, arguments) }) { return plain }
        return try with({ context in
            if function.readsTags {
                (context.isTagRead, context.isUnindexed) = (true, false)
            } else if function.comparesByCollation {
                context.isUnindexed = context.isTagRead
            }
        }) { try $0.sql(of: function, arguments) }
    }

    private mutating func sql(of function: QueryFunction, _ arguments: [QueryExpression]) throws -> String {
        let pending = function.takesCollation ? resetPendingCollation() : nil
        var list: [String] = []
        for (index, argument) in arguments.enumerated() {
            // A function that takes no collation passes it on to its first argument.
            list.append(try index == 0 && !function.takesCollation ? firstOperand(argument) : expression(argument))
        }
        if function.comparesByCollation, !isOfIndex, arguments.contains(where: \.hasCollationInside) {
            list[0] = withoutCollation("(\(list[0]))")
        }
        if function.takesCollation, let name = pending ?? context.collation.collationName { list.append(SQLText.literal(name)) }
        let tagged = keepsTags ? function.taggedName : nil
        let name = isOfIndex ? function.sqlName : tagged ?? function.sanitizedName ?? function.sqlName
        return "\(name)(\(list.joined(separator: ", ")))"
    }

    /// Returns the SQL that `compile` generates in the form used in indexes, if an index of a source contains this expression; otherwise
    /// `nil`.
    ///
    /// SQLite uses that index only if the query has exactly the same text. The form normally used in queries differs, because it prevents
    /// SQLite from taking arguments from other indexes.
    func inIndexForm(_ compile: (inout SelectCompiler) throws -> String) throws -> String? {
        guard !isOfIndex else { return nil }
        var compiler = self
        compiler.context.isLikeIndex = true
        (compiler.context.isTagRead, compiler.context.isUnindexed) = (false, false)
        let sql = try compile(&compiler)
        let isIndexed = try scope.sources.contains { source in
            let table: String
            switch source.kind {
            case .documents(let documents): table = documents.liveTable
            case .arrayTable(let name): table = name
            case .elements, .rows: return false
            }
            return try record.resolver.hasIndex(of: sql.replacing("\(source.qualifier)body", with: "body"), onTable: table)
        }
        return isIndexed ? sql : nil
    }

    private func check(_ count: Int, for function: QueryFunction, calledAs name: String) throws {
        if count < function.minimumArguments {
            throw QueryError.invalidQuery("Too few arguments for function '\(name)'")
        }
        if let maximum = function.maximumArguments, count > maximum {
            throw QueryError.invalidQuery("Too many arguments for function '\(name)'")
        }
        guard count <= Self.maximumArguments else {
            throw QueryError.invalidQuery("function '\(name)' takes at most \(Self.maximumArguments) arguments")
        }
    }

    private mutating func aggregate(_ function: QueryFunction, _ arguments: [QueryExpression], calledAs name: String) throws -> String {
        guard context.clause.allowsAggregates, !context.isInsideAggregate else {
            throw QueryError.invalidQuery("Cannot use aggregate function \(name)() in this context")
        }
        var arguments = arguments
        if case .distinct(let operand)? = arguments.first {
            // Duplicates make no difference to the smallest and the largest value.
            guard function.comparesByCollation else { return try distinctAggregate(function, operand) }
            arguments[0] = operand
        }
        // Every row has a document of the main source, so counting documents is counting rows, which reads no document.
        if function.name == "count", arguments.isEmpty || arguments == [.property([])] { return "count(*)" }
        let list = try with({
            $0.isInsideAggregate = true
            // SQLite can find the minimum and the maximum in an index.
            ($0.isTagRead, $0.isUnindexed) = (function.name == "array_agg", false)
        }) { try $0.list(arguments) }
        let isAmbiguous = function.comparesByCollation && arguments.contains(where: \.hasCollationInside)
        return "\(function.sqlName)(\(isAmbiguous ? withoutCollation("(\(list))") : list))"
    }

    /// Compiles an aggregate of distinct values, which are those that SELECT DISTINCT distinguishes: 1 and true are two values.
    private mutating func distinctAggregate(_ function: QueryFunction, _ operand: QueryExpression) throws -> String {
        let column = try with({
            $0.isInsideAggregate = true
            ($0.isTagRead, $0.isUnindexed) = (true, false)
        }) { try $0.resultForm(of: SelectItem(operand)) }
        let value = operand.contains(where: \.isCollation) ? withoutCollation(column) : column
        return "\(function.sqlName)(DISTINCT \(value))"
    }
}
