import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The statement of a full-text search that sorts the matches by rank before it looks up their documents; see `SelectCompiler+RankOrder.swift`.
///
/// SQL does not define the order of its rows, so it is used only if SQLite's plan leaves no other one.
enum RankedSearch {
    /// Returns the statement; `nil` if the query has none, or if SQLite would run it in another way.
    static func statement(
        of select: SelectStatement,
        _ compiled: CompiledQuery,
        _ resolver: StoreResolver,
        _ context: ConnectionContext,
        hasSlowPatterns: Bool
    ) throws -> String? {
        guard compiled.sortsMatchesByRank, let index = compiled.fullTextTables.first else { return nil }
        let sql = try QueryCompiler.compileRanked(
            select,
            resolver: resolver,
            hasSlowPatterns: hasSlowPatterns,
            indexExcludesDeleted: excludesDeleted(index, on: context.connection)
        )
        return try keepsOrder(sql, on: context.connection) ? sql : nil
    }

    /// Returns whether an index contains no deleted documents. Those that releases before 2.5 have created may contain some.
    static func excludesDeleted(_ index: String, on connection: Connection) throws -> Bool {
        let triggers = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ? AND instr(sql, '(new.flags & 1 = 0)') > 0"
        return try !connection.texts(triggers, index + "::ins").isEmpty
    }

    /// Returns whether SQLite sorts the rows of the nested query once, and looks up the document of each of these rows in turn.
    static func keepsOrder(_ sql: String, on connection: Connection) throws -> Bool {
        let steps = try PlanNode.plan(of: sql, on: connection).map(\.detail)
        guard steps.count == 5, steps[0].hasPrefix("CO-ROUTINE ") || steps[0].hasPrefix("MATERIALIZE "),
            TableAccess(steps[1])?.method == .virtual, steps[2] == "USE TEMP B-TREE FOR ORDER BY",
            TableAccess(steps[3])?.method == .scan(index: nil, isCovering: false)
        else { return false }
        return TableAccess(steps[4])?.method == .rowID
    }
}
