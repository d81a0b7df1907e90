import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// How a query with GROUP BY is run without sorting its rows: another statement returns the grouped values and the arguments of the aggregate
/// functions for each row, and a ``GroupTable`` groups them.
///
/// SQLite's sorter stores the bodies of all documents, because it computes the arguments of aggregate functions after sorting.
struct GroupingPlan: Sendable, Hashable {
    /// What a column of the result is.
    enum Column: Sendable, Hashable {
        /// A value by which rows are grouped.
        case key(Int)
        /// The result of a function.
        case function(Int)
    }
    struct Aggregate: Sendable, Hashable {
        let function: GroupTable.Function
        /// The column of the statement that is its argument.
        let column: Int
    }

    /// The statement that returns the rows.
    let rows: CompiledQuery
    /// The number of its columns by which rows are grouped, which are the first ones.
    let keyCount: Int
    let functions: [Aggregate]
    let columns: [Column]

    private static let maximumColumnCount = 8

    /// Returns the plan; `nil` unless the query groups all documents that it finds in one collection by properties, returns only these
    /// properties, numbers of rows, sums and averages, and SQLite would sort the rows, in the order in which it reads them.
    ///
    /// - Parameter compiled: The query for SQLite.
    init?(_ select: SelectStatement, _ compiled: CompiledQuery, resolver: StoreResolver, _ context: ConnectionContext) throws {
        guard !select.grouping.isEmpty, select.sources.count <= 1, select.groupCondition == nil, select.combinations.isEmpty,
            select.ordering.isEmpty, select.limit == nil, select.offset == nil, !select.isDistinct, compiled.hiddenColumnCount == 0,
            compiled.fullTextTables.isEmpty, compiled.patternParameters.isEmpty, compiled.sources.count == 1, !select.items.isEmpty
        else { return nil }
        var properties: [QueryExpression] = []
        for term in select.grouping {
            // The title of a column would denote the value in the result.
            guard case .property(let path) = term, !properties.contains(term),
                !select.items.contains(where: { path.firstKey?.isExactly($0.title ?? "") ?? true })
            else { return nil }
            properties.append(term)
        }
        keyCount = properties.count
        var functions: [Aggregate] = []
        var columns: [Column] = []
        for item in select.items {
            if let key = properties[..<keyCount].firstIndex(of: item.expression) {
                columns.append(.key(key))
                continue
            }
            guard let (function, argument) = Self.aggregate(item.expression) else { return nil }
            var column = 0
            if let argument {
                column = properties.firstIndex(of: argument) ?? properties.count
                if column == properties.count { properties.append(argument) }
            }
            columns.append(.function(functions.count))
            functions.append(Aggregate(function: function, column: column))
        }
        guard properties.count <= Self.maximumColumnCount, functions.count <= Self.maximumColumnCount else { return nil }
        self.functions = functions
        self.columns = columns
        guard let rows = try QueryCompiler.compileGroupedRows(of: select, columns: properties, resolver: resolver) else { return nil }
        self.rows = rows
        // Rows of one group must be added in the same order, because sums of floating-point numbers depend on it.
        let ours = try PlanNode.plan(of: rows.sql, on: context.connection).map(\.detail)
        let theirs = try PlanNode.plan(of: compiled.sql, on: context.connection).map(\.detail)
        guard ours.count == 1, ours[0].hasPrefix("SCAN "), !ours[0].contains(" USING "),
            theirs == [ours[0], "USE TEMP B-TREE FOR GROUP BY"]
        else { return nil }
    }

    /// Returns the function and the property that is its argument; `nil` if the table does not compute this expression.
    private static func aggregate(_ expression: QueryExpression) -> (GroupTable.Function, QueryExpression?)? {
        guard case .function(let name, let arguments) = expression, arguments.count <= 1 else { return nil }
        guard let argument = arguments.first, argument != .property([]) else {
            return name.lowercased() == "count" ? (.rows, nil) : nil
        }
        guard case .property = argument else { return nil }
        switch name.lowercased() {
        case "count": return (.count, argument)
        case "sum": return (.sum, argument)
        case "avg": return (.average, argument)
        default: return nil
        }
    }
}

extension PreparedQuery {
    /// Runs a query with GROUP BY by its ``GroupingPlan``; returns `nil` if it has none, or if its rows have to be grouped by SQLite.
    func groupedRows(
        _ plan: GroupingPlan,
        of query: CompiledQuery,
        _ context: ConnectionContext,
        _ parameters: QueryParameters
    ) throws -> RecordedRows? {
        let statement = try context.connection.cachedStatement(plan.rows.sql)
        defer { statement.resetAndClear() }
        try parameters.bind(to: statement, of: query)
        var table = GroupTable(keyCount: plan.keyCount, functions: plan.functions.map { ($0.function, $0.column) })
        do {
            while try statement.step(ofQueryOn: context) { try table.add(statement) }
            var recorder = RowRecorder(query, searching: nil)
            for group in table.sortedGroups {
                for column in plan.columns {
                    switch column {
                    case .key(let index): try recorder.append(table.key(index, of: group), in: table)
                    case .function(let index): try recorder.append(table.total(index, of: group))
                    }
                }
                try recorder.endRow()
            }
            return recorder.finish()
        } catch is GroupTable.Refusal {
            return nil
        } catch let error as SQLiteError {
            throw QueryError(error) ?? error
        }
    }
}

extension RowRecorder {
    /// Records the value of a group in the next column.
    fileprivate mutating func append(_ key: GroupTable.Key, in table: GroupTable) throws {
        switch key {
        case .missing: appendMissing()
        case .integer(let number): try append(number)
        case .double(let number): try append(number)
        case .boolean(let flag): try append(flag)
        case .text(let range): try table.withText(range) { try append(text: $0) }
        }
    }

    fileprivate mutating func append(_ total: GroupTable.Total) throws {
        switch total {
        case .missing: appendMissing()
        case .integer(let number): try append(number)
        case .double(let number): try append(number)
        }
    }
}
