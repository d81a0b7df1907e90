import QueryLanguage

/// Runs a query naively: all combinations of rows, one clause after the other.
struct OracleQuery {
    let select: SelectStatement
    let database: OracleDatabase
    let parameters: [String: OracleValue]
    let enclosing: [OracleEvaluator]

    init(_ select: SelectStatement, database: OracleDatabase, parameters: [String: OracleValue], enclosing: [OracleEvaluator] = []) {
        self.enclosing = enclosing
        self.select = select
        self.database = database
        self.parameters = parameters
    }

    /// The sources; the default collection with its implicit alias if the query has none.
    private var sources: [Source] {
        select.sources.isEmpty ? [.collection(CollectionPath(), alias: "_doc")] : select.sources
    }

    private func alias(_ source: Source) -> String {
        if let alias = source.alias { return alias }
        switch source.origin {
        case .collection(let path): return path.description
        case .unnest(.property(let path)): return path.lastKey ?? ""
        case .unnest, .query, .search: return ""
        }
    }

    /// One row: its columns and sort keys.
    struct Row {
        var columns: [OracleValue]
        var keys: [OracleValue]
    }

    /// Returns all rows in order, grouped into classes of rows with equal sort keys. LIMIT and OFFSET are not applied.
    func runInClasses() throws -> [[Row]] {
        var rows = try run()
        guard !select.ordering.isEmpty else { return rows.isEmpty ? [] : [rows] }
        let collations = select.ordering.map { $0.expression.outerCollation }
        func order(_ left: Row, _ right: Row) throws -> Int {
            for (index, term) in select.ordering.enumerated() {
                let order = try OracleValue.compare(left.keys[index], right.keys[index], collations[index])
                if order != 0 { return term.isDescending ? -order : order }
            }
            return 0
        }
        var failure: (any Error)?
        rows.sort { left, right in
            do {
                return try order(left, right) < 0
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        var classes: [[Row]] = []
        for row in rows {
            if let last = classes.last?.last, try order(last, row) == 0 {
                classes[classes.count - 1].append(row)
            } else {
                classes.append([row])
            }
        }
        return classes
    }

    /// Returns the rows of a nested query, after ORDER BY, LIMIT and OFFSET.
    ///
    /// - Parameter areCounted: Whether only their number matters, so that the order may be unspecified.
    func rows(areCounted: Bool = false) throws -> [Row] {
        guard select.limit != nil || select.offset != nil else { return try run() }
        let window = try OracleWindow(of: select, parameters)
        let classes = areCounted ? [try run()] : try runInClasses()
        let range = window.range(ofCount: classes.reduce(0) { $0 + $1.count })
        var start = 0
        for equals in classes {
            let inside = start + 1..<max(start + 1, start + equals.count)
            if !areCounted, inside.contains(range.lowerBound) || inside.contains(range.upperBound) {
                throw Unspecified("which of several equal rows a nested query returns")
            }
            start += equals.count
        }
        return Array(classes.joined().dropFirst(range.lowerBound).prefix(range.count))
    }

    /// Returns the rows before ORDER BY, LIMIT and OFFSET.
    func run() throws -> [Row] {
        if !select.combinations.isEmpty { return try runCombined() }
        var evaluator = OracleEvaluator(aliases: sources.map(alias), items: select.items, parameters: parameters, database: database)
        evaluator.enclosing = enclosing
        var rows = try join(evaluator)
        evaluator.seesTitles = true
        if let condition = select.condition {
            evaluator.isInCondition = true
            rows = try rows.filter { row in
                evaluator.row = row
                return try evaluator.isTrue(condition)
            }
            evaluator.isInCondition = false
        }
        var result: [Row] = []
        for group in try groups(rows, evaluator) {
            evaluator.row = group.representative
            evaluator.group = group.rows
            if let condition = select.groupCondition, try !evaluator.isTrue(condition) { continue }
            result.append(try self.row(evaluator))
        }
        return select.isDistinct ? try distinct(result) : result
    }

    private func with(_ select: SelectStatement) -> OracleQuery {
        OracleQuery(select, database: database, parameters: parameters, enclosing: enclosing)
    }

    /// Combines the rows of several queries (Query 12.4). The terms of ORDER BY must be titles.
    private func runCombined() throws -> [Row] {
        var first = select
        first.combinations = []
        first.ordering = []
        var rows = try with(first).run()
        for combination in select.combinations {
            let other = try with(combination.select).run()
            switch combination.kind {
            case .unionAll: rows += other
            case .union: rows = try distinct(rows + other)
            case .intersect: rows = try distinct(rows.filter { try $0.isIn(other) })
            case .except: rows = try distinct(rows.filter { try !$0.isIn(other) })
            }
        }
        return try rows.map { row -> Row in
            let keys = try select.ordering.map { term -> OracleValue in
                guard case .property(let path) = term.expression, let column = select.items.firstIndex(where: { $0.title == path.onlyKey })
                else { throw Unspecified("the order of combined rows by anything but titles") }
                return row.columns[column]
            }
            return Row(columns: row.columns, keys: keys)
        }
    }

    // MARK: Sources

    private func join(_ evaluator: OracleEvaluator) throws -> [OracleRow] {
        let visibility = DeletedMention(select, aliases: evaluator.aliases)
        var evaluator = evaluator
        var rows: [OracleRow] = [[]]
        for (index, source) in sources.enumerated() {
            var joined: [OracleRow] = []
            for row in rows {
                let elements = try self.elements(of: source, at: index, visibility, row, evaluator)
                var isFound = false
                for element in elements {
                    evaluator.row = row + [element]
                    // Conditions refer only to this and earlier sources; later ones have no element yet.
                    if let condition = source.condition, try !evaluator.isTrue(condition) { continue }
                    joined.append(row + [element])
                    isFound = true
                }
                if !isFound, source.isLeftJoin { joined.append(row + [source.elementOfNoMatch]) }
            }
            rows = joined
        }
        return rows
    }

    private func elements(
        of source: Source,
        at index: Int,
        _ visibility: DeletedMention,
        _ row: OracleRow,
        _ evaluator: OracleEvaluator
    ) throws -> [OracleElement] {
        switch source.origin {
        case .collection(let path):
            let name = path.isDefaultCollection ? "_default" : path.description
            return (database.collections[name] ?? []).filter { visibility.shows($0, index) }.map { .document($0) }
        case .query(let nested):
            return try with(nested).rows().map { row -> OracleElement in
                var entries: [String: OracleValue] = [:]
                for (item, value) in zip(nested.items, row.columns) where !value.isMissing { entries[item.title ?? ""] = value }
                // Such a row is the same as none (Query 12.2).
                return entries.isEmpty && source.isLeftJoin ? source.elementOfNoMatch : .value(.dictionary(entries))
            }
        case .search: throw Unspecified("searches")
        case .unnest(let array):
            var evaluator = evaluator
            evaluator.row = row
            switch try evaluator.value(array) {
            case .missing: return []
            case .array(let items): return items.map { .value($0) }
            case .dictionary(let entries): return entries.values.map { .value($0) }
            case let single: return [.value(single)]
            }
        }
    }

    // MARK: Groups

    private struct Group {
        var representative: OracleRow
        var rows: [OracleRow]?
        var keys: [OracleValue]
    }

    private func groups(_ rows: [OracleRow], _ evaluator: OracleEvaluator) throws -> [Group] {
        var evaluator = evaluator
        if select.grouping.isEmpty {
            guard select.hasAggregates else { return rows.map { Group(representative: $0, keys: []) } }
            let nothing = OracleRow(repeating: .nothing, count: sources.count)
            return [Group(representative: rows.first ?? nothing, rows: rows, keys: [])]
        }
        let collations = select.grouping.map(\.outerCollation)
        var groups: [Group] = []
        for row in rows {
            evaluator.row = row
            let keys = try select.grouping.map { try evaluator.value($0) }
            let index = try groups.firstIndex { group in
                try keys.indices.allSatisfy { try group.keys[$0].isSameKey(keys[$0], collations[$0]) }
            }
            if let index {
                groups[index].rows?.append(row)
            } else {
                groups.append(Group(representative: row, rows: [row], keys: keys))
            }
        }
        return groups
    }

    // MARK: Columns

    private func row(_ evaluator: OracleEvaluator) throws -> Row {
        var evaluator = evaluator
        let keys = try select.ordering.map { try evaluator.value($0.expression) }
        evaluator.seesTitles = false
        guard !select.items.isEmpty else {
            return Row(columns: [try evaluator.value(.meta("id")), try evaluator.value(.meta("sequence"))], keys: keys)
        }
        let columns = try select.items.map { item in
            let value = try evaluator.value(item.expression)
            return item.title == nil ? item.expression.inRows(value) : value
        }
        return Row(columns: columns, keys: keys)
    }

    private func distinct(_ rows: [Row]) throws -> [Row] {
        var result: [Row] = []
        for row in rows {
            if try !row.isIn(result) { result.append(row) }
        }
        return result
    }
}

extension Source {
    fileprivate var isLeftJoin: Bool { join == .left || join == .leftOuter }

    /// The element on the right side of a left join without a match.
    fileprivate var elementOfNoMatch: OracleElement {
        if case .query = origin { .value(.missing) } else { .nothing }
    }
}

extension OracleQuery.Row {
    fileprivate func isIn(_ rows: [OracleQuery.Row]) throws -> Bool {
        try rows.contains { other in try zip(columns, other.columns).allSatisfy { try $0.isSameInRows($1) } }
    }
}

extension OracleValue {
    var isUnsigned: Bool {
        if case .unsigned = self { true } else { false }
    }

    /// Returns whether two values are the same in DISTINCT.
    func isSameInRows(_ other: OracleValue) throws -> Bool {
        // In the form of result rows, a boolean is not a number (Query 5.6).
        if case .boolean(let a) = self { return if case .boolean(let b) = other { a == b } else { false } }
        if case .boolean = other { return false }
        // A number above the range of Int64 keeps all its digits, and is not equal to a floating-point number either.
        if isUnsigned != other.isUnsigned { return false }
        if case .unsigned(let a) = self, case .unsigned(let b) = other { return a == b }
        return try isSameKey(other, .binary)
    }

    /// Returns whether two values are the same in GROUP BY.
    fileprivate func isSameKey(_ other: OracleValue, _ collation: OracleCollation) throws -> Bool {
        if rank != other.rank { return false }
        return isMissing ? true : try Self.areEqual(self, other, collation)
    }
}

extension SelectStatement {
    var hasAggregates: Bool {
        (items.map(\.expression) + ordering.map(\.expression)).contains { expression in
            expression.contains {
                if case .function(let name, _) = $0 {
                    OracleFunctions.aggregates.contains(name.lowercased())
                } else {
                    false
                }
            }
        }
    }
}

extension QueryExpression {
    /// The collation of this term in ORDER BY or GROUP BY.
    fileprivate var outerCollation: OracleCollation {
        if case .collate(let options, _) = self { OracleCollation.binary.with(options) } else { .binary }
    }

    /// Returns the value of this expression in a column without a title.
    func inRows(_ value: OracleValue) -> OracleValue {
        guard yieldsBooleanInRows, !value.isMissing, !value.isNull else { return value }
        return .boolean(value.truth == true)
    }

    /// Whether a column with this expression contains a boolean (Query 3.3).
    private var yieldsBooleanInRows: Bool {
        switch self {
        case .operation(let symbol, _):
            ["=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT", "NOT", "BETWEEN", "AND", "OR", "NOT IN"]
                .contains(symbol.rawValue)
        case .quantified(let quantifier, _, _, _): quantifier != .any
        default: false
        }
    }
}

/// Determines which sources include deleted documents: those whose deleted flag the query mentions (Query 5.1).
struct DeletedMention {
    private var mentioned: Set<Int> = []
    private var demanded: Set<Int> = []

    init(_ select: SelectStatement, aliases: [String]) {
        func flag(_ expression: QueryExpression) -> Int? {
            switch expression {
            case .nested(.meta(let alias), let path) where path.onlyKey == "deleted":
                return alias.flatMap { aliases.firstIndex(of: $0) } ?? 0
            case .property(let path):
                if path.onlyKey == "_deleted" { return 0 }
                guard let first = path.firstKey, path.dropFirst().onlyKey == "_deleted" else { return nil }
                return aliases.firstIndex(of: first)
            default: return nil
            }
        }
        var found: Set<Int> = []
        select.forEachExpression { expression in
            _ = expression.contains { part in
                if let index = flag(part) { found.insert(index) }
                return false
            }
        }
        mentioned = found
        var conditions = select.condition.map { [$0] } ?? []
        while let condition = conditions.popLast() {
            switch condition {
            case .operation(.and, let operands): conditions += operands
            case .operation(.equal, let operands) where operands[1] == .boolean(true):
                if let index = flag(operands[0]) { demanded.insert(index) }
            default: if let index = flag(condition) { demanded.insert(index) }
            }
        }
    }

    func shows(_ document: OracleDocument, _ index: Int) -> Bool {
        if demanded.contains(index) { return document.isDeleted }
        return mentioned.contains(index) || !document.isDeleted
    }
}
