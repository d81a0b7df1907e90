import QueryLanguage

/// The result of comparing one query.
enum Comparison {
    case same
    case unspecified
    case different(String)

    static func of(_ query: GeneratedQuery, _ written: Result<SelectStatement, QueryError>, _ database: TestedDatabase) -> Comparison {
        let naive = OracleQuery(query.select, database: database.model, parameters: query.parameters)
        let window = Result { try OracleWindow(of: query.select, query.parameters) }
        let classes = try? naive.runInClasses()
        let results: [(name: String, rows: [[OracleValue]])]
        do {
            results = try database.results(try written.get(), query.parameters)
        } catch {
            if case .failure(let refusal as Refusal) = window {
                return (error as? QueryError)?.message.contains(refusal.what) == true ? .same : .different("  failed: \(error)")
            }
            // All generated queries are valid.
            return .different("  failed: \(error)")
        }
        if case .failure(let refusal as Refusal) = window { return .different("  did not fail: \(refusal.what)") }
        guard let classes, let window = try? window.get() else {
            guard let difference = query.select.differenceOfRows(results.map(\.rows)) else { return .unspecified }
            return .different("  \(results.map { "\($0.name)\($0.rows)" }.joined(separator: "\n  "))\n  \(difference)")
        }
        for (name, found) in results {
            guard let difference = difference(found, classes, query.select, window) else { continue }
            let expected = classes.map { $0.map(\.columns) }
            return .different("  expected, equals of the order together: \(expected)\n  \(name)found: \(found)\n  \(difference)")
        }
        return .same
    }

    /// Returns a description of the first difference in the rows; `nil` if there is none.
    private static func difference(
        _ found: [[OracleValue]],
        _ classes: [[OracleQuery.Row]],
        _ select: SelectStatement,
        _ window: OracleWindow
    ) -> String? {
        let range = window.range(ofCount: classes.reduce(0) { $0 + $1.count })
        guard found.count == range.count else { return "\(found.count) rows in place of \(range.count)" }
        let isNested = !select.combinations.isEmpty || select.sources.contains { if case .query = $0.origin { true } else { false } }
        let isLoose = select.isDistinct || !select.grouping.isEmpty || select.hasAggregates || isNested
        let sortsArrays = select.items.contains { item in
            item.expression.contains { if case .function("array_agg", _) = $0 { true } else { false } }
        }
        var rows = found[...]
        var offset = range.lowerBound
        for equals in classes {
            let leftOut = min(offset, equals.count)
            offset -= leftOut
            var candidates = equals.map(\.columns)
            for row in rows.prefix(equals.count - leftOut) {
                let match = candidates.firstIndex { candidate in
                    candidate.count == row.count
                        && zip(row, candidate).allSatisfy { value, expected in
                            if sortsArrays, case .array = value {
                                value.withSortedItems.matches(expected.withSortedItems, isLoose: isLoose)
                            } else {
                                value.matches(expected, isLoose: isLoose)
                            }
                        }
                }
                guard let match else { return "no row expected here is \(row)" }
                candidates.remove(at: match)
            }
            rows = rows.dropFirst(equals.count - leftOut)
        }
        return nil
    }
}

extension SelectStatement {
    /// Returns a description of a difference between the rows without and with indexes, although it is not specified which rows a query returns;
    /// `nil` if there is none. In such queries, the rows of a window and the columns of groups may be any.
    fileprivate func differenceOfRows(_ results: [[[OracleValue]]]) -> String? {
        let text = QueryJSON.text(of: self)
        guard grouping.isEmpty, !hasAggregates, !text.contains("LIMIT"), !text.contains("OFFSET"), let first = results.first else {
            return nil
        }
        for rows in results.dropFirst() {
            guard rows.count == first.count else { return "\(rows.count) rows with indexes in place of \(first.count)" }
            var candidates = first
            for row in rows {
                let match = candidates.firstIndex { zip($0, row).allSatisfy { $1.matches($0, isLoose: true) || "\($0)" == "\($1)" } }
                guard let match else { return "only with indexes there is the row \(row)" }
                candidates.remove(at: match)
            }
        }
        return nil
    }
}

extension OracleValue {
    /// The array with its items in an order that depends only on the items.
    fileprivate var withSortedItems: OracleValue {
        guard case .array(let items) = self else { return self }
        return .array(items.sorted { $0.description < $1.description })
    }
}

/// Reduces a failing query as long as it fails.
enum Shrinking {
    static func smallest(_ query: GeneratedQuery, while fails: (GeneratedQuery) -> Bool) -> GeneratedQuery {
        var best = query
        var isSmaller = true
        var budget = 300
        while isSmaller, budget > 0 {
            isSmaller = false
            for select in candidates(best.select) {
                budget -= 1
                let candidate = GeneratedQuery(select: select, parameters: best.parameters)
                guard fails(candidate) else { continue }
                best = candidate
                isSmaller = true
                break
            }
        }
        return best
    }

    private static func candidates(_ select: SelectStatement) -> [SelectStatement] {
        var result: [SelectStatement] = []
        func changed(_ change: (inout SelectStatement) -> Void) {
            var copy = select
            change(&copy)
            // A bare string as a column would be a property (Query 1.2).
            let hasString = copy.items.contains { if case .string = $0.expression { true } else { false } }
            if copy != select, !hasString { result.append(copy) }
        }
        changed { $0.condition = nil }
        changed { $0.ordering = [] }
        changed { $0.limit = nil }
        changed { $0.offset = nil }
        changed { $0.isDistinct = false }
        changed { $0.groupCondition = nil }
        for index in select.combinations.indices { changed { $0.combinations.remove(at: index) } }
        for index in select.items.indices where select.items.count > 1 && select.combinations.isEmpty {
            changed { $0.items.remove(at: index) }
        }
        for index in select.ordering.indices { changed { $0.ordering.remove(at: index) } }
        if let condition = select.condition {
            for part in smaller(condition) { changed { $0.condition = part } }
        }
        if select.grouping.isEmpty {
            for (index, item) in select.items.enumerated() {
                for part in smaller(item.expression) { changed { $0.items[index].expression = part } }
            }
            for (index, term) in select.ordering.enumerated() {
                for part in smaller(term.expression) { changed { $0.ordering[index].expression = part } }
            }
        }
        return result
    }

    /// Returns the parts of an expression, which may replace it, and the expression with reduced parts.
    private static func smaller(_ expression: QueryExpression) -> [QueryExpression] {
        var parts: [QueryExpression] = []
        expression.forEachChild { parts.append($0) }
        switch expression {
        case .quantified(let quantifier, let variable, let source, let predicate):
            parts = smaller(predicate).map {
                .quantified(quantifier, variable: variable, source: source, predicate: $0)
            }
        case .operation(let symbol, let operands):
            for (index, operand) in operands.enumerated() {
                for part in smaller(operand) {
                    var copy = operands
                    copy[index] = part
                    parts.append(.operation(symbol, copy))
                }
            }
        case .function(let name, let arguments):
            for (index, argument) in arguments.enumerated() {
                for part in smaller(argument) {
                    var copy = arguments
                    copy[index] = part
                    parts.append(.function(name: name, arguments: copy))
                }
            }
        default: break
        }
        return parts
    }
}
