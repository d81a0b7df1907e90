import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

extension PreparedQuery {
    /// Returns whether SQLite uses one of these indexes for a query. Then it is compiled without the indexes of the tables that have such an index
    /// (Storage format 5.12).
    static func uses(_ indexes: OutdatedIndexes, _ query: CompiledQuery, _ context: ConnectionContext) throws -> Bool {
        if indexes.isEmpty { return false }
        let tables = query.fullTextTables + query.predictionTables.map(\.table)
        if tables.contains(where: { indexes.fullTextTables.contains($0) }) { return true }
        return try PlanNode.plan(of: query.sql, on: context.connection).contains { node in
            switch TableAccess(node.detail)?.method {
            case .scan(let index?, _)?, .search(let index, _)?: indexes.names.contains(index)
            default: false
            }
        }
    }
}
