import Base

/// The precedence of an expression in SQL (Query 5.4). An operand is put in parentheses unless its precedence is higher than that of its
/// operator.
enum Precedence: Int, Comparable {
    /// A list, a clause, or parentheses that are written anyway.
    case none
    case logic
    /// SQL's prefix NOT, which applies to everything up to the next AND.
    case negation
    case equality
    case relation
    case sum
    case product
    case sign
    case collate

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }
}

/// What the parts of a query around an expression determine for its compilation. ``SelectCompiler/with(_:_:)`` changes it for the
/// expressions inside a part, and then restores it.
struct ExpressionContext {
    var clause = SelectCompiler.Clause.items
    /// Whether the current expression is the whole WHERE condition or an operand of its top-level AND.
    var isAtTopOfCondition = false
    /// The options of the COLLATE that applies to the current expression.
    var collation = CollationOptions()

    /// The options that a COLLATE in the current expression inherits.
    var outerCollation = CollationOptions()
    /// The variables of the ANY and EVERY expressions that contain the current expression.
    var variables: [BoundVariable] = []
    /// Whether the current expression is an argument of an aggregate function.
    var isInsideAggregate = false
    /// Whether the current expression must distinguish booleans from numbers (``QueryFunction/readsTags``).
    var isTagRead = false
    /// Whether the values must not come from an index, because only there booleans have no tags, although SQLite's own functions read them.
    var isUnindexed = false
    /// Whether the current expression is compiled in the form used in indexes, to find out whether an index contains it.
    var isLikeIndex = false
    /// Whether the current expression is the pattern of a full-text search, or inside it.
    var isInPattern = false
    /// Whether the current expression is part of the input of a predictive model.
    var isModelInput = false
    /// Whether the current expression replaces the title of a result column; titles are not visible in it.
    var isInsideResultTitle = false
}

/// A variable of ANY or EVERY.
struct BoundVariable {
    var name: String
    /// The alias, in SQL, of the rows that are its values.
    var alias: String
}

extension SelectCompiler {
    /// Compiles an expression as an operand of an operator with the precedence `parent`.
    mutating func expression(_ expression: QueryExpression, in parent: Precedence = .none) throws -> String {
        try record.counted(uncounted(expression, in: parent))
    }

    private mutating func uncounted(_ expression: QueryExpression, in parent: Precedence) throws -> String {
        let isAtTop = context.isAtTopOfCondition
        context.isAtTopOfCondition = false
        // In front of a collation in an index, NOT has parentheses of its own, so it would negate only the operand.
        if let negated = expression.asNegatedTest, !isOfIndex || pendingCollation != nil || !expression.isInList {
            return try self.expression(.not(negated), in: parent)
        }
        if context.isTagRead, expression.readsNoTags {
            return try withoutTags {
                $0.context.isAtTopOfCondition = isAtTop
                return try $0.uncounted(expression, in: parent)
            }
        }
        switch expression {
        case .missing: return "NULL"
        case .null: return "fl_null()"
        case .boolean(let value): return value ? "fl_bool(1)" : "fl_bool(0)"
        case .integer(let number): return String(number)
        case .double(let number): return double(number)
        case .string(let text): return SQLText.literal(text)
        case .array(let elements): return try arrayLiteral(elements)
        case .dictionary(let entries): return try dictionaryLiteral(entries)
        case .parameter(let name): return try parameter(name)
        case .property(let path): return try property(path, in: parent)
        case .variable(let name, let path): return try variable(name, path)
        case .nested(.meta(let alias), let path): return try metaField(path, alias: alias)
        case .nested(let base, let path): return try nested(base, path, in: parent)
        case .blob(let path): return try blob(path)
        case .meta(let alias): return try metadata(alias: alias)
        case .operation(let symbol, let operands):
            return try operation(symbol, operands, in: parent, isAtTop: isAtTop)
        case .like(let value, let pattern, let isCaseSensitive):
            return try like(value, pattern, isCaseSensitive: isCaseSensitive, in: parent, isAtTop: isAtTop)
        case .exists(let operand): return try exists(operand)
        case .conditional(let subject, let branches, let otherwise):
            return parenthesized(try conditional(subject, branches, otherwise), .logic, in: parent)
        case .quantified(let quantifier, let variable, let source, let predicate):
            return try quantified(quantifier, variable, in: source, satisfying: predicate, in: parent)
        case .collate(let options, let operand): return try collated(options, operand, in: parent)
        case .function(let name, let arguments): return try call(name, arguments)
        case .distinct:
            throw QueryError.invalidQuery("DISTINCT is allowed only after SELECT and as the argument of an aggregate function")
        case .select: throw QueryError.invalidQuery("a nested SELECT is allowed only in EXISTS, after IN and in FROM")
        case .match(let index, let pattern):
            return parenthesized(try matchSQL(index: index, pattern: pattern, isAtTop: isAtTop), .equality, in: parent)
        case .rank(let index): return try rankSQL(index: index)
        case .search(let function, let index, let arguments): return try searchSQL(function, index: index, arguments)
        }
    }

    /// Runs `body` in a changed context, and then restores the context.
    mutating func with<Result>(
        _ change: (inout ExpressionContext) -> Void,
        _ body: (inout SelectCompiler) throws -> Result
    ) rethrows -> Result {
        let outer = context
        change(&context)
        defer { context = outer }
        return try body(&self)
    }

    /// Runs `body` with a compiler that distinguishes booleans from numbers.
    func readingTags<Result>(_ body: (inout SelectCompiler) throws -> Result) rethrows -> Result {
        var compiler = self
        (compiler.context.isTagRead, compiler.context.isUnindexed) = (true, false)
        return try body(&compiler)
    }

    /// Runs `body` for an expression that SQL itself computes with.
    private mutating func withoutTags(_ body: (inout SelectCompiler) throws -> String) rethrows -> String {
        try with({ ($0.isTagRead, $0.isUnindexed) = (false, false) }, body)
    }

    func parenthesized(_ sql: String, _ own: Precedence, in parent: Precedence) -> String {
        own <= parent ? "(\(sql))" : sql
    }

    mutating func list(_ expressions: [QueryExpression]) throws -> String {
        try expressions.map { try expression($0) }.joined(separator: ", ")
    }

    private func parameter(_ name: String) throws -> String {
        guard !name.isEmpty, SQLText.isPlainWord("_" + name) else {
            throw QueryError.invalidQuery("Invalid query parameter name '\(name)'")
        }
        guard context.clause != .index else { throw QueryError.invalidQuery("query parameters are not allowed in an index expression") }
        record.parameters.add(name)
        return "$_\(name)"
    }

    private mutating func conditional(
        _ subject: QueryExpression?,
        _ branches: [ConditionalBranch],
        _ otherwise: QueryExpression?
    ) throws -> String {
        guard !branches.isEmpty else { throw QueryError.invalidQuery("Wrong number of arguments to CASE") }
        var sql = "CASE"
        if let subject {
            let isAmbiguous = subject.hasCollationInside || branches.contains { $0.condition.hasCollationInside }
            let compared = try withoutTags { try $0.expression(subject, in: isAmbiguous ? .collate : .none) }
            sql += " " + (isAmbiguous ? withoutCollation(compared) : compared)
        }
        for branch in branches {
            sql += " WHEN \(try withoutTags { try $0.expression(branch.condition) }) THEN \(try expression(branch.result))"
        }
        return sql + " ELSE \(try otherwise.map { try expression($0) } ?? "fl_null()") END"
    }

    // MARK: EXISTS, ANY and EVERY

    private mutating func exists(_ operand: QueryExpression) throws -> String {
        switch operand {
        case .select(let nested): return try existence(ofRowsIn: nested)
        case .property(let path):
            if let body = try bodyArguments(path) { return "fl_exists(\(body))" }
        default:
            break
        }
        return "fl_bool(\(try expression(operand, in: .equality)) IS NOT NULL)"
    }

    private mutating func quantified(
        _ quantifier: Quantifier,
        _ variable: String,
        in source: QueryExpression,
        satisfying predicate: QueryExpression,
        in parent: Precedence
    ) throws -> String {
        guard SQLText.isPlainWord(variable) else {
            throw QueryError.invalidQuery("ANY/EVERY first parameter must be an identifier; '\(variable)' is not")
        }
        guard !context.variables.contains(where: { variable.isExactly($0.name) }) else {
            throw QueryError.invalidQuery("Variable '\(variable)' is already in use")
        }
        if quantifier == .any, let sql = try containment(of: variable, in: source, predicate) { return sql }
        let bound = BoundVariable(name: variable, alias: alias(ofVariable: variable, in: predicate))
        let rows = "SELECT 1 FROM fl_each(\(try eachArguments(source))) AS \(SQLText.identifier(bound.alias))"
        let count = quantifier == .anyAndEvery ? try elementCount(source) : ""
        let test = try with({ $0.variables.append(bound) }) { try $0.expression(predicate) }
        switch quantifier {
        case .any:
            return "EXISTS (\(rows) WHERE \(test))"
        case .every:
            return parenthesized("NOT EXISTS (\(rows) WHERE NOT (\(test)))", .negation, in: parent)
        case .anyAndEvery:
            return "(\(count) > 0 AND NOT EXISTS (\(rows) WHERE NOT (\(test))))"
        }
    }

    /// Returns an alias for the rows of a variable, which neither a source nor another variable has that is visible in the predicate, or in a
    /// query nested there. SQLite does not distinguish case in aliases.
    private func alias(ofVariable name: String, in predicate: QueryExpression) -> String {
        let sources = scope.sources + enclosing.flatMap(\.scope.sources)
        var taken = Set(exactly: sources.compactMap { $0.alias?.lowercased() })
        taken.formUnion(context.variables.map { ExactString($0.alias.lowercased()) })
        predicate.collectAliases(into: &taken)
        var alias = "_" + name
        var number = 2
        while taken.contains(ExactString(alias.lowercased())) {
            alias = "_\(name)_\(number)"
            number += 1
        }
        return alias
    }

    /// Compiles `ANY v IN source SATISFIES v = value` to a test without a nested query; `nil` if the predicate has another form.
    private mutating func containment(of variable: String, in source: QueryExpression, _ predicate: QueryExpression) throws -> String? {
        guard case .operation(.equal, let operands) = predicate, operands.count == 2,
            operands[0] == .variable(variable, []), context.collation.collationName == nil
        else { return nil }
        let value = operands[1]
        // A value that depends on the element, or contains a nested query, needs the general form.
        let needsElement = value.contains { part in
            switch part {
            case .variable(variable, _), .select: true
            default: false
            }
        }
        guard !needsElement else { return nil }
        let arguments: String
        if case .property(let path) = source, let body = try bodyArguments(path, isPathRequired: true) {
            arguments = "(\(body), \(try expression(value)))"
        } else {
            arguments = "(\(try expression(source)), null, \(try expression(value)))"
        }
        // Couchbase Lite compares numbers by their integral parts, and so do its indexes and the queries that they serve.
        if case .string = value { return "fl_contains" + arguments }
        let isIndexed = try isOfIndex || inIndexForm { _ in "fl_contains" + arguments } != nil
        return (isIndexed ? "fl_contains" : "fl_contains_exactly") + arguments
    }

    /// Compiles the number of elements in the source of ANY AND EVERY: NULL for what is neither an array nor a dictionary, whether it is a
    /// property or computed (Query 3.6).
    private mutating func elementCount(_ source: QueryExpression) throws -> String {
        if case .property(let path) = source, let body = try bodyArguments(path, isPathRequired: true) { return "fl_count(\(body))" }
        return "fl_value_count(\(try expression(source)))"
    }
}

extension QueryExpression {
    /// Whether SQL computes the value with operators, which know no tags.
    fileprivate var readsNoTags: Bool {
        switch self {
        case .operation(let symbol, _): symbol != .concatenate
        case .like, .quantified: true
        default: false
        }
    }

    /// Whether this is IN with a list. SQL negates it as a whole if NOT precedes its left operand without parentheses, as in indexes.
    fileprivate var isInList: Bool {
        if case .operation(.in, let operands) = self, case .array? = operands.last { true } else { false }
    }

    /// Collects the aliases of the sources of all queries nested in the expression, in lower case.
    fileprivate func collectAliases(into aliases: inout Set<ExactString>) {
        guard case .select(let select) = self else { return forEachChild { $0.collectAliases(into: &aliases) } }
        aliases.formUnion(select.sourcesOrDefault.compactMap { $0.defaultedAlias.map { ExactString($0.lowercased()) } })
        select.forEachExpression { $0.collectAliases(into: &aliases) }
    }

    /// The test that the expression negates as a whole, although NOT precedes its left operand: as in SQL, NOT has a lower precedence than
    /// the tests (Query 2.3, 5.12). `nil` for other expressions.
    package var asNegatedTest: QueryExpression? {
        switch self {
        case .like(.operation(.not, let operands), let pattern, let isCaseSensitive) where operands.count == 1:
            .like(value: operands[0], pattern: pattern, isCaseSensitive: isCaseSensitive)
        case .operation(let symbol, let operands):
            if symbol == .in || symbol == .isValued, case .operation(.not, let inner)? = operands.first,
                inner.count == 1
            {
                .operation(symbol, inner + operands.dropFirst())
            } else {
                nil
            }
        default: nil
        }
    }
}
