import Base

/// Compiles one SELECT: the query itself, or one nested in it.
///
/// This file compiles the clauses (Query 5.5); the extensions compile the expressions in them.
struct SelectCompiler {
    /// How a statement differs from the plain form of its query.
    struct StatementForm {
        /// The number of hidden columns before the first result column.
        var hiddenColumnCount = 0
        /// Whether the statement reads only the rows of a range; see `SelectCompiler+RowRange.swift`.
        var isLimitedToRange = false
        /// The nested query that finds and sorts the matches first; see `SelectCompiler+RankOrder.swift`.
        var rankedSearch: String?
        /// The argument of a search that is the LIMIT of one of its halves.
        var limitArgument: SearchArgument?
    }

    /// The clause that contains an expression.
    enum Clause {
        case items
        case join
        case condition
        case grouping
        case groupCondition
        case ordering
        case limit
        case index

        var allowsAggregates: Bool { self == .items || self == .groupCondition || self == .ordering }

        /// Whether expressions are evaluated after the rows have been grouped.
        var followsGrouping: Bool { allowsAggregates }

        /// Whether names can refer to the titles of result columns.
        var seesResultTitles: Bool {
            switch self {
            case .condition, .grouping, .groupCondition, .ordering: true
            case .items, .join, .limit, .index: false
            }
        }
    }

    let record: CompilationRecord
    var select: SelectStatement
    /// The queries around this one, from the outermost on.
    let enclosing: [EnclosingQuery]
    /// Whether the result columns are named c1, c2, … for a query around this one. Titles may differ only in case, and occur twice.
    let namesColumns: Bool
    var scope = SourceScope()
    var matches: [FullTextMatch] = []
    /// The tables of predictive indexes that are joined with the sources.
    var storedPredictions: [StoredPrediction] = []
    var vectorSearches: [ResolvedVectorSearch] = []
    /// The queries in FROM, and those of searches there.
    var queriesInFrom: [SelectCompiler] = []

    var context = ExpressionContext()
    var form = StatementForm()
    /// In the form used in indexes: the collation to be written after the next first operand (Query 5.12). Not a part of the context, because
    /// the operand that takes it resets it for all expressions around.
    var pendingCollation: String?

    init(
        _ select: SelectStatement,
        record: CompilationRecord,
        enclosing: [EnclosingQuery] = [],
        variables: [BoundVariable] = [],
        namesColumns: Bool = false
    ) throws {
        try record.count(CompilationRecord.costOfQuery)
        let isSorted = !select.combinations.isEmpty && !select.ordering.isEmpty
        self.select = isSorted ? select.asNestedInOrdering : select
        self.record = record
        self.enclosing = enclosing
        self.namesColumns = namesColumns
        context.variables = variables
        try self.select.forEachExpression { try record.noteMisreadNumbers(in: $0) }
        if select.groupCondition != nil, select.grouping.isEmpty {
            throw QueryError.invalidQuery("HAVING requires GROUP_BY")
        }
        var titles: Set<ExactString> = []
        for case let title? in select.items.map(\.title) {
            guard titles.insert(ExactString(title)).inserted else {
                throw QueryError.invalidQuery("duplicate collection alias '\(title)'")
            }
        }
        try resolveSources()
        if isSorted { self.select.items = scope.columnsOfMain }
        try resolveVisibility()
        try resolveMatches()
        try resolveVectorSearches()
        restrictVisibility()
        try resolvePredictions()
    }

    /// Whether the current expression is compiled in the form used in indexes.
    var isOfIndex: Bool { context.clause == .index || context.isLikeIndex }

    /// Creates a compiler for the expressions of an index, whose columns have no prefix, or of a trigger.
    ///
    /// - Parameter row: The name of the row in a trigger, which is the prefix of the columns; `nil` for an index.
    init(indexOn kind: ResolvedSource.Kind, row: String?, record: CompilationRecord) {
        select = SelectStatement()
        self.record = record
        (enclosing, namesColumns) = ([], false)
        context.clause = .index
        scope.sources = [ResolvedSource(kind: kind, rowName: row, syntax: .collection(CollectionPath()))]
    }

    /// Creates a compiler for values that depend on no source.
    init(valuesOf record: CompilationRecord) {
        select = SelectStatement()
        self.record = record
        (enclosing, namesColumns) = ([], false)
    }

    /// Compiles the whole statement.
    mutating func statement(hiddenColumns: [String]) throws -> String {
        form.hiddenColumnCount = hiddenColumns.count
        var sql = try selection(hiddenColumns)
        for (position, combination) in select.combinations.enumerated() {
            sql += try " \(combination.kind.rawValue) " + combined(combination, number: position + 2)
        }
        if !select.ordering.isEmpty {
            context.clause = .ordering
            let terms = try select.ordering.enumerated().map { try record.counted(orderingTerm($1, number: $0 + 1)) }
            sql += " ORDER BY " + terms.joined(separator: ", ")
        }
        return sql + (try limitClause())
    }

    /// Compiles the clauses up to HAVING.
    mutating func selection(_ hiddenColumns: [String] = []) throws -> String {
        var sql = select.isDistinct ? "SELECT DISTINCT " : "SELECT "
        sql += (hiddenColumns + (try resultColumns())).joined(separator: ", ")
        sql += try rowClauses()
        if !select.grouping.isEmpty {
            context.clause = .grouping
            let terms = try select.grouping.enumerated().map { try record.counted(groupingTerm($1, number: $0 + 1)) }
            sql += " GROUP BY " + terms.joined(separator: ", ")
        }
        if let condition = select.groupCondition {
            context.clause = .groupCondition
            sql += " HAVING " + (try expression(condition))
        }
        return sql
    }

    // MARK: Clauses

    /// Compiles the clauses that determine the rows before they are grouped: FROM and WHERE.
    mutating func rowClauses() throws -> String {
        let sources = scope.sources.isEmpty ? "" : " FROM " + (try fromClause())
        return sources + (try whereClause().map { " WHERE " + $0 } ?? "")
    }

    private mutating func whereClause() throws -> String? {
        context.clause = .condition
        let condition = try select.condition.map { condition in
            context.isAtTopOfCondition = true
            return try expression(condition)
        }
        if form.isLimitedToRange { return rangeCondition(with: condition) }
        let filters = [scope.main?.liveFilter].compactMap(\.self) + vectorConditions
        guard !filters.isEmpty else { return condition }
        return (condition.map { ["(\($0))"] + filters } ?? filters).joined(separator: " AND ")
    }

    private mutating func orderingTerm(_ term: OrderingTerm, number: Int) throws -> String {
        let direction = term.isDescending ? " DESC" : ""
        var expression = term.expression
        var collate = ""
        if case .collate(let options, let operand) = expression {
            expression = operand
            collate = options.collationName.map { " COLLATE " + SQLText.identifier($0) } ?? ""
        }
        if let column = try columnNumber(expression, ofTerm: number, in: "ORDER BY") {
            return column + collate + direction
        }
        try countLookup()
        // In ORDER BY, SQLite itself resolves the title of a column, and does not compute the column again.
        if case .property(let path) = expression, let title = path.onlyKey, sortsByTitle(title),
            scope.explicitSource(of: path) == nil, let index = select.items.firstIndex(where: { title.isExactly($0.title) })
        {
            return (namesColumns ? "c\(index + 1)" : SQLText.identifier(title)) + collate + direction
        }
        return try self.term(term.expression) + direction
    }

    /// Compiles a term of GROUP BY. The title of a column denotes the value that the rows contain: 1 and true are two groups (Query 5.6).
    private mutating func groupingTerm(_ expression: QueryExpression, number: Int) throws -> String {
        if let column = try columnNumber(expression, ofTerm: number, in: "GROUP BY") { return column }
        guard case .property(let path) = expression, path.components.count == 1,
            scope.explicitSource(of: path) == nil, let item = resultItem(named: path)
        else { return try term(expression) }
        return try inResultTitle { compiler in
            compiler.context.isTagRead = true
            return try compiler.resultForm(of: item)
        }
    }

    /// Returns the column number, from 1, if the term is an integer literal, as in SQL; otherwise `nil`.
    private func columnNumber(_ term: QueryExpression, ofTerm position: Int, in clause: String) throws -> String? {
        let number: Int64
        switch term {
        case .integer(let value): number = value
        case .operation(.subtract, let operands):
            guard operands.count == 1, case .integer(let value) = operands[0] else { return nil }
            number = 0 - (value == .min ? .max : value)
        default: return nil
        }
        let count = select.columnCount
        guard number >= 1, number <= count else {
            let words = "\(Self.ordinal(position)) \(clause) term out of range"
            throw QueryError.invalidQuery("\(words) - should be between 1 and \(count)")
        }
        return String(Int(number) + form.hiddenColumnCount)
    }

    /// Returns a number as in SQLite's messages: 1st, 2nd, 3rd, 4th.
    private static func ordinal(_ number: Int) -> String {
        let suffix =
            switch (number % 10, number / 10 % 10) {
            case (_, 1): "th"
            case (1, _): "st"
            case (2, _): "nd"
            case (3, _): "rd"
            default: "th"
            }
        return "\(number)\(suffix)"
    }

    /// Compiles a term of GROUP BY or ORDER BY, which compares values.
    mutating func term(_ expression: QueryExpression) throws -> String {
        if case .property(let path) = expression, let (index, rest) = scope.explicitSource(of: path) {
            return try value(of: scope.sources[index], at: rest, isCompared: true)
        }
        let sql = try self.expression(expression)
        if expression.hasCollationInside { return withoutCollation("(\(sql))") }
        // SQLite would interpret an integer as the number of a column.
        let isInteger = sql.utf8.allSatisfy { (0x30...0x39).contains($0) || "-()".utf8.contains($0) }
        return isInteger ? "\(sql) + 0" : expression.mayBecomeInteger ? "(\(sql)) + 0" : sql
    }

    /// Returns whether sorting by the title of a column is better than sorting by its expression.
    ///
    /// It is not for a property or metadata field: SQLite can take the expression from an index, in order. It is impossible for titles that
    /// differ only in case, which SQLite does not distinguish.
    private func sortsByTitle(_ title: String) -> Bool {
        let sameTitles = select.items.filter { $0.title?.lowercased() == title.lowercased() }
        guard sameTitles.count == 1, title.isExactly(sameTitles[0].title) else { return false }
        // Groups are not in the order of an index, and may differ only in the values that the rows contain (Query 5.6).
        if !select.grouping.isEmpty { return true }
        return switch sameTitles[0].expression {
        case .property, .nested(.meta, _): false
        default: true
        }
    }

    mutating func limitClause() throws -> String {
        context.clause = .limit
        let offset = try select.offset.map { " OFFSET MAX(0, \(try rowCount($0, "OFFSET")))" } ?? ""
        if let limit = select.limit { return " LIMIT MAX(0, \(try rowCount(limit, "LIMIT")))" + offset }
        return offset.isEmpty ? "" : " LIMIT -1" + offset
    }

    /// Compiles the number of rows in LIMIT or OFFSET (Query 12.6). Values other than literals are checked at run time, so that the error names
    /// the clause.
    mutating func rowCount(_ expression: QueryExpression, _ clause: String) throws -> String {
        if expression.contains(where: \.readsDocument) {
            throw QueryError.invalidQuery("\(clause) cannot depend on documents: it is computed once for the whole query")
        }
        let sql = try self.expression(expression)
        if case .integer = expression { return sql }
        if let argument = form.limitArgument { return "fl_search_count(\(sql), \(SQLText.literal(argument.name)))" }
        return "fl_row_count(\(sql), \(SQLText.literal(clause)))"
    }
}

extension QueryExpression {
    var isCollation: Bool { if case .collate = self { true } else { false } }

    private var isConstant: Bool { !contains(where: \.readsDocument) }

    /// Whether SQLite may replace the expression by an integer before it looks for numbers of columns. It does so with conditions whose
    /// result is known: with `n AND 0`, and in newer releases with `1 IS MISSING`.
    fileprivate var mayBecomeInteger: Bool {
        switch self {
        case .operation(.and, let operands): operands.contains { $0.isConstant || $0.mayBecomeInteger }
        case .operation(.is, let operands), .operation(.isNot, let operands):
            operands.last == .missing && operands.contains { $0 != .missing && ($0.isConstant || $0.mayBecomeInteger) }
        case .operation(.subtract, let operands): operands.count == 1 && operands[0].mayBecomeInteger
        case .collate(_, let operand): operand.mayBecomeInteger
        default: false
        }
    }
}
