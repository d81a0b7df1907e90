import Base

/// A call of `APPROX_VECTOR_DISTANCE` in a query, with the index that answers it.
struct ResolvedVectorSearch {
    /// The search as the query has it.
    var use: VectorSearchUse
    /// The position of the source that the index belongs to.
    let source: Int
    /// The vector that the stored ones are compared with.
    let target: QueryExpression
    /// The alias of the search in SQL. No source has such an alias, because `<` begins no name without quotation marks.
    let alias: String

    /// The column with the distance.
    var distance: String { "\(SQLText.identifier(alias)).distance" }

    func isSameSearch(as other: ResolvedVectorSearch) -> Bool {
        source == other.source && target == other.target && use.index == other.use.index && use.probes == other.use.probes
    }
}

/// Searches for the nearest vectors (Vector search 6).
extension SelectCompiler {
    /// Resolves the calls of the function in all clauses, and checks where they stand.
    mutating func resolveVectorSearches() throws {
        guard select.callsVectorDistance else { return }
        try checkVectorClauses()
        let findsNearest = isSimpleVectorQuery
        if findsNearest { try checkVectorLimit() }
        var calls: [[QueryExpression]] = []
        let expressions = select.items.map(\.expression) + [select.condition, select.groupCondition].compactMap(\.self)
        for expression in expressions + select.ordering.map(\.expression) { expression.collectVectorCalls(&calls) }
        for arguments in calls {
            var search = try resolvedVectorSearch(arguments, findsNearest: findsNearest)
            if vectorSearches.contains(where: { $0.isSameSearch(as: search) }) { continue }
            search.use.returnsNearest = ordersByDistance(of: search)
            vectorSearches.append(search)
            record.vectorSearches.append(search.use)
        }
    }

    // MARK: Rules

    /// Whether the query has no conditions, or only compares the distance with a limit (Vector search 6.3).
    private var isSimpleVectorQuery: Bool {
        guard let condition = select.condition else { return true }
        guard case .operation(let symbol, let operands) = condition, operands.count == 2 else { return false }
        switch symbol {
        case .less, .lessOrEqual: return isVectorCall(operands[0]) && !containsVectorCall(operands[1])
        case .greater, .greaterOrEqual: return isVectorCall(operands[1]) && !containsVectorCall(operands[0])
        default: return false
        }
    }

    /// Returns whether an expression of WHERE is the function itself, or the title of a column that is.
    private func isVectorCall(_ expression: QueryExpression) -> Bool {
        if expression.isVectorCall { return true }
        return vectorColumn(expression)?.isVectorCall ?? false
    }

    private func containsVectorCall(_ expression: QueryExpression) -> Bool {
        expression.contains { part in part.isVectorCall || (vectorColumn(part)?.contains(where: \.isVectorCall) ?? false) }
    }

    /// Returns the expression of the column whose title is the expression.
    private func vectorColumn(_ expression: QueryExpression) -> QueryExpression? {
        guard case .property(let path) = expression, let title = path.onlyKey, scope.explicitSource(of: path) == nil else { return nil }
        return select.items.first { title.isExactly($0.title) }?.expression
    }

    /// Returns whether the query orders its rows by the distances of a search and returns the first of them.
    private func ordersByDistance(of search: ResolvedVectorSearch) -> Bool {
        guard select.limit != nil, !select.isDistinct, !select.isGrouped, select.combinations.isEmpty,
            let term = select.ordering.first, !term.isDescending,
            case let expression = vectorColumn(term.expression) ?? term.expression, expression.isVectorCall,
            case .function(_, let arguments) = expression
        else { return false }
        return (try? resolvedVectorSearch(arguments, findsNearest: search.use.findsNearest))?.isSameSearch(as: search) ?? false
    }

    private func checkVectorClauses() throws(QueryError) {
        let name = QueryExpression.vectorDistance.uppercased()
        if let condition = select.condition, hasVectorCallInOr(condition) {
            throw QueryError.invalidQuery("\(name) can't be used within an OR in a WHERE clause")
        }
        if select.grouping.contains(where: { containsVectorCall($0) }) {
            throw QueryError.invalidQuery("\(name) can't be used in a GROUP BY clause")
        }
        if select.sources.compactMap(\.condition).contains(where: { $0.contains(where: \.isVectorCall) }) {
            throw QueryError.invalidQuery("\(name) can't be used in the ON clause of a join")
        }
        if [select.limit, select.offset].compactMap(\.self).contains(where: { $0.contains(where: \.isVectorCall) }) {
            throw QueryError.invalidQuery("\(name) can't be used in LIMIT and OFFSET")
        }
    }

    private func hasVectorCallInOr(_ expression: QueryExpression) -> Bool {
        expression.contains { part in
            if case .operation(.or, let operands) = part { operands.contains { containsVectorCall($0) } } else { false }
        }
    }

    /// Checks that a simple query has a LIMIT. Numbers that are not literals are checked when the query is run.
    private func checkVectorLimit() throws(QueryError) {
        guard let limit = select.limit, select.combinations.isEmpty else {
            throw QueryError.invalidQuery("a LIMIT must be given when using APPROX_VECTOR_DISTANCE()")
        }
        guard case .integer(let number) = limit else { return }
        var offset: Int64 = 0
        if case .integer(let written)? = select.offset { offset = max(0, written) }
        let (sum, isTooLarge) = max(0, number).addingReportingOverflow(offset)
        // Without rows there is nothing to skip.
        guard number <= 0 || !isTooLarge && sum <= Self.maximumVectorLimit else { throw Self.vectorLimitExceeded }
    }

    /// The largest number of vectors that a simple query finds (Vector search VQ-15).
    private static let maximumVectorLimit: Int64 = 10_000

    private static var vectorLimitExceeded: QueryError {
        .invalidQuery("LIMIT must not exceed 10000 when using APPROX_VECTOR_DISTANCE()")
    }

    // MARK: Arguments

    func resolvedVectorSearch(_ arguments: [QueryExpression], findsNearest: Bool) throws -> ResolvedVectorSearch {
        try checkVectorArity(arguments.count)
        let (source, expression) = try vectorExpression(arguments[0])
        guard !arguments[1].contains(where: \.isVariableInVectorTarget) else {
            throw QueryError.invalidQuery("2nd argument to APPROX_VECTOR_DISTANCE must not depend on a document")
        }
        let metric = try arguments.count > 2 ? Self.metric(arguments[2]) : nil
        let probes = try arguments.count > 3 ? Self.probes(arguments[3]) : 0
        if arguments.count > 4 { try Self.checkAccurate(arguments[4]) }
        let index = try vectorIndex(of: expression, in: source, metric: metric)
        let use = VectorSearchUse(index: index, findsNearest: findsNearest, probes: findsNearest ? probes : 0)
        let alias = "<vec\(record.vectorSearches.count + 1)>"
        return ResolvedVectorSearch(use: use, source: source, target: arguments[1], alias: alias)
    }

    private func checkVectorArity(_ count: Int) throws(QueryError) {
        guard count >= 2 else { throw QueryError.invalidQuery("Too few arguments for function '\(QueryExpression.vectorDistance)'") }
        guard count <= 5 else { throw QueryError.invalidQuery("Too many arguments for function '\(QueryExpression.vectorDistance)'") }
    }

    /// Returns the source of the first argument, and the argument relative to a document of it.
    private func vectorExpression(_ argument: QueryExpression) throws(QueryError) -> (source: Int, expression: QueryExpression) {
        var sources: Set<Int> = []
        let expression = try relative(argument, &sources)
        guard sources.count < 2 else {
            throw QueryError.invalidQuery("1st argument to APPROX_VECTOR_DISTANCE may only refer to a single collection")
        }
        guard let source = sources.first, scope.sources[source].table != nil else {
            throw QueryError.invalidQuery("unknown source collection for APPROX_VECTOR_DISTANCE()")
        }
        return (source, expression)
    }

    /// Returns an expression without the names of sources, and adds these sources.
    private func relative(_ expression: QueryExpression, _ sources: inout Set<Int>) throws(QueryError) -> QueryExpression {
        switch expression {
        case .property(let path):
            guard let (index, rest) = scope.source(of: path) else { throw QueryError.undeclaredAlias(path) }
            sources.insert(index)
            return .property(rest)
        case .blob(let path):
            guard let (index, rest) = scope.source(of: path) else { throw QueryError.undeclaredAlias(path) }
            sources.insert(index)
            return .blob(rest)
        case .meta(let alias):
            sources.insert(try scope.documentSource(forMetaOf: alias))
            return .meta(alias: nil)
        case .select, .match, .rank:
            throw QueryError.invalidQuery("1st argument to APPROX_VECTOR_DISTANCE must not contain a query")
        default:
            return try expression.mapChildren { part throws(QueryError) in try relative(part, &sources) }
        }
    }

    private static func metric(_ argument: QueryExpression) throws(QueryError) -> String? {
        switch argument {
        case .null: return nil
        case .string(let name) where !name.isEmpty:
            guard let metric = VectorMetricName.standard(of: name) else {
                throw QueryError.invalidQuery("invalid metric name '\(name)' for APPROX_VECTOR_DISTANCE")
            }
            return metric
        default: throw QueryError.invalidQuery("3rd argument (metric) to APPROX_VECTOR_DISTANCE must be a string")
        }
    }

    private static func probes(_ argument: QueryExpression) throws(QueryError) -> Int {
        guard let number = argument.integerLiteral else {
            throw QueryError.invalidQuery("4th argument (numProbes) to APPROX_VECTOR_DISTANCE must be an integer")
        }
        guard number > 0, number <= Int64(UInt32.max) else {
            throw QueryError.invalidQuery("4th argument (numProbes) to APPROX_VECTOR_DISTANCE out of range")
        }
        return Int(number)
    }

    private static func checkAccurate(_ argument: QueryExpression) throws(QueryError) {
        guard case .boolean(let isAccurate) = argument else {
            throw QueryError.invalidQuery("5th argument (accurate) to APPROX_VECTOR_DISTANCE must be boolean")
        }
        if isAccurate { throw QueryError.invalidQuery("APPROX_VECTOR_DISTANCE does not support 'accurate'=true") }
    }

    /// Returns the index that answers a call (Vector search VQ-2, VQ-3, VQ-8).
    private func vectorIndex(of expression: QueryExpression, in source: Int, metric: String?) throws -> VectorIndexReference {
        guard let table = scope.sources[source].table else {
            throw QueryError.invalidQuery("unknown source collection for APPROX_VECTOR_DISTANCE()")
        }
        let wanted = expression.comparableWithIndexes
        let fitting = try record.resolver.vectorIndexes(in: table).filter { $0.expression.comparableWithIndexes == wanted }
            .sorted { left, right in
                left.isTrained != right.isTrained ? left.isTrained : left.name.isOrderedBefore(right.name)
            }
        guard let first = fitting.first else {
            let text = QueryJSON.text(of: expression)
            throw QueryError(.missingIndex, "vector search with APPROX_VECTOR_DISTANCE requires a vector index on \(text)")
        }
        guard let metric else {
            return fitting.first { $0.metric.isExactly("euclidean2") } ?? fitting.min { $0.name.isOrderedBefore($1.name) } ?? first
        }
        if let found = fitting.first(where: { $0.metric.isExactly(metric) }) { return found }
        throw QueryError.invalidQuery(
            "in 3rd argument to APPROX_VECTOR_DISTANCE, \(metric) does not match the index's metric, \(first.metric)"
        )
    }
}

extension QueryExpression {
    /// The name of the function, in lower case.
    static let vectorDistance = "approx_vector_distance"

    /// Whether this is a call of `APPROX_VECTOR_DISTANCE`.
    var isVectorCall: Bool {
        if case .function(let name, _) = self { name.lowercased() == Self.vectorDistance } else { false }
    }

    fileprivate func collectVectorCalls(_ calls: inout [[QueryExpression]]) {
        if case .function(_, let arguments) = self, isVectorCall { calls.append(arguments) }
        forEachChild { $0.collectVectorCalls(&calls) }
    }

    /// Whether a target must not contain this, because a target is computed once.
    fileprivate var isVariableInVectorTarget: Bool {
        switch self {
        case .property, .blob, .meta, .variable, .select, .match, .rank: true
        case .function: isVectorCall || containsAggregate
        default: false
        }
    }

    /// The number of an integer literal.
    fileprivate var integerLiteral: Int64? {
        switch self {
        case .integer(let number): number
        case .operation(.subtract, let operands) where operands.count == 1: operands[0].integerLiteral.map { 0 - max($0, -.max) }
        default: nil
        }
    }

    /// The expression in a form that is equal for all spellings of it (Vector search VQ-2).
    var comparableWithIndexes: QueryExpression { withNestedChains.withLowercasedFunctions }

    private var withLowercasedFunctions: QueryExpression {
        let changed = mapChildren(\.withLowercasedFunctions)
        if case .function(let name, let arguments) = changed { return .function(name: name.lowercased(), arguments: arguments) }
        return changed
    }
}

extension SelectStatement {
    /// Whether the query itself, not one nested in it, calls `APPROX_VECTOR_DISTANCE`.
    var callsVectorDistance: Bool {
        var isFound = false
        forEachExpression { expression in
            if !isFound { isFound = expression.contains(where: \.isVectorCall) }
        }
        return isFound
    }
}
