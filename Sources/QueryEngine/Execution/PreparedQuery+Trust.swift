import DocumentStore
import ExactStrings
import SQLiteEngine

extension PreparedQuery {
    /// Returns the resolver with which a query is compiled for the connection's snapshot. If the query would use an index that is not
    /// current there (Storage format 5.12), it is compiled without the indexes of the tables that have such an index.
    static func resolver(
        of select: Select,
        on file: DatabaseFile,
        _ context: ConnectionContext,
        _ databaseName: String,
        untrusted: UntrustedIndexes
    ) throws -> StoreResolver {
        var resolver = StoreResolver(file: file, databaseName: databaseName)
        guard !untrusted.isEmpty else { return resolver }
        let compiled = try QueryCompiler.compile(select, resolver: resolver)
        if try uses(untrusted, compiled, context) { resolver.untrusted = untrusted }
        return resolver
    }

    /// Returns whether SQLite uses one of these indexes for a query.
    private static func uses(_ indexes: UntrustedIndexes, _ query: CompiledQuery, _ context: ConnectionContext) throws -> Bool {
        if query.fullTextTables.contains(where: { indexes.fullTextTables.contains($0) }) { return true }
        let plan: [PlanNode]
        do throws(SQLiteError) {
            plan = try PlanNode.plan(of: query.sql, on: context.connection)
        } catch {
            throw QueryError(error) ?? error
        }
        return plan.contains { node in
            switch TableAccess(node.detail)?.method {
            case .scan(let index?, _)?, .search(let index, _)?: indexes.names.contains(index)
            default: false
            }
        }
    }
}
