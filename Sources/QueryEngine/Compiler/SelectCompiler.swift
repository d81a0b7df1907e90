import ExactStrings

/// Compiles one SELECT: the query itself, or one nested in it.
///
/// This file puts the clauses together (Query 5.5); what stands in them is in the extensions.
struct SelectCompiler {
    /// Where in the query an expression stands.
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

        /// Whether expressions are computed after the rows have been grouped.
        var followsGrouping: Bool { allowsAggregates }

        /// Whether names may be titles of result columns.
        var seesResultTitles: Bool {
            switch self {
            case .condition, .grouping, .groupCondition, .ordering: true
            case .items, .join, .limit, .index: false
            }
        }
    }

    let record: CompilationRecord
    let select: Select
    var scope = SourceScope()
    var matches: [FullTextMatch] = []

    var clause = Clause.items
    /// The options of the COLLATE that reaches the current expression.
    var collation = CollationOptions()

    /// The options that a COLLATE in the current expression inherits.
    var outerCollation = CollationOptions()
    /// The variables of the ANY and EVERY around the current expression.
    var variables: [String]
    /// Whether the current expression is the whole of WHERE, or an operand of an AND there.
    var isAtTopOfCondition = false
    /// Whether the current expression is inside the call of an aggregate function.
    var isInsideAggregate = false
    /// Whether it matters to the current expression whether a property is a boolean or a number (``QueryFunction/readsTags``).
    var isTagRead = false
    /// Whether the current expression is written as an index would have it, to see if there is one.
    var isLikeIndex = false
    /// In the words of an index: the collation that the first operand met is to carry (Query 5.12).
    var pendingCollation: String?
    /// Whether the current expression stands for the title of a result column, and sees no titles itself.
    var isInsideResultTitle = false
    /// The columns before the current one.
    var earlierItems: ArraySlice<SelectItem> = []
    /// How many columns stand before the first of the result.
    private var hiddenColumnCount = 0

    init(_ select: Select, record: CompilationRecord, variables: [String] = []) throws {
        self.select = select
        self.record = record
        self.variables = variables
        if select.groupCondition != nil, select.grouping.isEmpty {
            throw QueryError.invalidQuery("HAVING requires GROUP_BY")
        }
        var titles: Set<ExactString> = []
        for case let title? in select.items.map(\.title) where !titles.insert(ExactString(title)).inserted {
            throw QueryError.invalidQuery("duplicate collection alias '\(title)'")
        }
        try resolveSources()
        try resolveVisibility()
        try resolveMatches()
        restrictVisibility()
    }

    /// Whether the current expression is written as an index has it.
    var isOfIndex: Bool { clause == .index || isLikeIndex }

    /// A compiler for the expressions of an index, which have columns without a prefix.
    /// The expressions of a trigger are the same, with the name of the row for a prefix.
    init(indexOn kind: ResolvedSource.Kind, row: String?, record: CompilationRecord) {
        select = Select()
        self.record = record
        variables = []
        clause = .index
        scope.sources = [ResolvedSource(kind: kind, rowName: row, syntax: .collection(CollectionPath()))]
    }

    /// The whole statement.
    mutating func statement(hiddenColumns: [String]) throws -> String {
        hiddenColumnCount = hiddenColumns.count
        var sql = select.isDistinct ? "SELECT DISTINCT " : "SELECT "
        sql += (hiddenColumns + (try resultColumns())).joined(separator: ", ")
        sql += " FROM " + (try fromClause())
        if let condition = try whereClause() { sql += " WHERE " + condition }
        if !select.grouping.isEmpty {
            clause = .grouping
            let terms = try select.grouping.enumerated().map { try groupingTerm($1, number: $0 + 1) }
            sql += " GROUP BY " + terms.joined(separator: ", ")
        }
        if let condition = select.groupCondition {
            clause = .groupCondition
            sql += " HAVING " + (try expression(condition))
        }
        if !select.ordering.isEmpty {
            clause = .ordering
            let terms = try select.ordering.enumerated().map { try orderingTerm($1, number: $0 + 1) }
            sql += " ORDER BY " + terms.joined(separator: ", ")
        }
        return sql + (try limitClause())
    }

    // MARK: Clauses

    private mutating func resultColumns() throws -> [String] {
        clause = .items
        isTagRead = true
        defer { isTagRead = false }
        guard !select.items.isEmpty else {
            let qualifier = scope.main?.qualifier ?? ""
            return [MetaField.id.sql(qualifier), MetaField.sequence.sql(qualifier)]
        }
        defer { earlierItems = [] }
        return try select.items.enumerated().map { position, item in
            earlierItems = select.items[..<position]
            var column = try resultForm(of: item)
            // DISTINCT compares columns by the collation that anything in them carries.
            if select.isDistinct, item.expression.contains(where: \.isCollation) { column = withoutCollation(column) }
            return item.title.map { "\(column) AS \(SQLText.identifier($0))" } ?? column
        }
    }

    /// The value of a column as the rows have it (Query 3.3, 5.6).
    fileprivate mutating func resultForm(of item: SelectItem) throws -> String {
        if case .property(let path) = item.expression, let body = try bodyArguments(path, isPathRequired: true) {
            return "fl_result(\(body))"
        }
        let isBoolean = item.title == nil && item.expression.yieldsBooleanColumn
        let value = try expression(item.expression)
        return isPlainColumn(value) ? value : "\(isBoolean ? "fl_boolean_result" : "fl_result")(\(value))"
    }

    /// Whether an expression is the ID or sequence of a source: text and integers need no conversion, which the original
    /// asks for nevertheless. It would cost as much again as reading the column.
    private func isPlainColumn(_ sql: String) -> Bool {
        scope.sources.contains { source in
            sql == MetaField.id.sql(source.qualifier) || sql == MetaField.sequence.sql(source.qualifier)
        }
    }

    private mutating func whereClause() throws -> String? {
        clause = .condition
        let condition = try select.condition.map { condition in
            isAtTopOfCondition = true
            return try expression(condition)
        }
        guard let filter = scope.main?.liveFilter else { return condition }
        return condition.map { "(\($0)) AND \(filter)" } ?? filter
    }

    private mutating func orderingTerm(_ term: Ordering, number: Int) throws -> String {
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
        // SQLite itself looks for the title of a column there, and does not compute the column again.
        if case .property(let path) = expression, let title = path.onlyKey, isWorthSortingBy(title),
            scope.explicitSource(of: path) == nil
        {
            return SQLText.identifier(title) + collate + direction
        }
        return try self.term(term.expression) + direction
    }

    /// A term of GROUP BY. The title of a column stands for what the rows have there: 1 and true are two groups (Query 5.6).
    private mutating func groupingTerm(_ expression: QueryExpression, number: Int) throws -> String {
        if let column = try columnNumber(expression, ofTerm: number, in: "GROUP BY") { return column }
        guard case .property(let path) = expression, path.components.count == 1,
            scope.explicitSource(of: path) == nil, let item = resultItem(named: path)
        else { return try term(expression) }
        return try inResultTitle { compiler in
            compiler.isTagRead = true
            return try compiler.resultForm(of: item)
        }
    }

    /// The column that an integer literal in GROUP BY or ORDER BY is the number of, from 1, as in SQL; nil for anything else.
    private func columnNumber(_ term: QueryExpression, ofTerm position: Int, in clause: String) throws -> String? {
        let number: Int64
        switch term {
        case .integer(let value): number = value
        case .operation(.subtract, let operands):
            guard operands.count == 1, case .integer(let value) = operands[0] else { return nil }
            number = 0 - (value == .min ? .max : value)
        default: return nil
        }
        let count = select.items.isEmpty ? 2 : select.items.count
        guard number >= 1, number <= count else {
            let words = "\(Self.ordinal(position)) \(clause) term out of range"
            throw QueryError.invalidQuery("\(words) - should be between 1 and \(count)")
        }
        return String(Int(number) + hiddenColumnCount)
    }

    /// A number as SQLite writes it in its messages: 1st, 2nd, 3rd, 4th.
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

    /// A term of GROUP BY or ORDER BY, which compares values.
    private mutating func term(_ expression: QueryExpression) throws -> String {
        if case .property(let path) = expression, let (index, rest) = scope.explicitSource(of: path) {
            return value(of: scope.sources[index], at: rest, isCompared: true)
        }
        let sql = try self.expression(expression)
        if expression.hasCollationInside { return withoutCollation("(\(sql))") }
        // SQLite takes an integer there for the number of a column.
        let isInteger = sql.utf8.allSatisfy { (0x30...0x39).contains($0) || "-()".utf8.contains($0) }
        return isInteger ? "\(sql) + 0" : sql
    }

    /// Whether the column with that title is better sorted by under its title.
    ///
    /// A property or a field of the metadata is not: written out, it can be taken from an index, in order. And titles
    /// that differ in case only are one title to SQLite.
    private func isWorthSortingBy(_ title: String) -> Bool {
        let namesakes = select.items.filter { $0.title?.lowercased() == title.lowercased() }
        guard namesakes.count == 1, title.isExactly(namesakes[0].title) else { return false }
        // Groups come in no order of an index, and may differ in what the rows show only (Query 5.6).
        if !select.grouping.isEmpty { return true }
        return switch namesakes[0].expression {
        case .property, .nested(.meta, _): false
        default: true
        }
    }

    private mutating func limitClause() throws -> String {
        clause = .limit
        let offset = try select.offset.map { " OFFSET MAX(0, \(try rowCount($0, "OFFSET")))" } ?? ""
        if let limit = select.limit { return " LIMIT MAX(0, \(try rowCount(limit, "LIMIT")))" + offset }
        return offset.isEmpty ? "" : " LIMIT -1" + offset
    }

    /// The number of rows in LIMIT or OFFSET. What only the run can tell is checked there, so that the error names the clause.
    private mutating func rowCount(_ expression: QueryExpression, _ clause: String) throws -> String {
        let sql = try self.expression(expression)
        if case .integer = expression { return sql }
        return "fl_row_count(\(sql), \(SQLText.literal(clause)))"
    }
}

extension QueryExpression {
    fileprivate var isCollation: Bool { if case .collate = self { true } else { false } }

    /// Whether a result column without a title converts the value to true or false (Query 3.3).
    fileprivate var yieldsBooleanColumn: Bool {
        switch self {
        case .operation(let symbol, _): symbol.yieldsBoolean
        case .quantified(let quantifier, _, _, _): quantifier != .any
        default: false
        }
    }
}
