/// Vector searches in SQL: a search is a table-valued function with the columns `docid` and `distance`. In a simple query it yields the nearest
/// vectors and is read first; in a hybrid query it is asked for the distances of the documents that satisfy the conditions.
extension SelectCompiler {
    /// Compiles a call to the distance that its search has found.
    func vectorDistance(_ arguments: [QueryExpression]) throws -> String {
        guard !vectorSearches.isEmpty, !isOfIndex else {
            throw QueryError.invalidQuery("APPROX_VECTOR_DISTANCE can't be used here")
        }
        let search = try resolvedVectorSearch(arguments, findsNearest: vectorSearches[0].use.findsNearest)
        guard let found = vectorSearches.first(where: { $0.isSameSearch(as: search) }) else {
            throw QueryError.invalidQuery("APPROX_VECTOR_DISTANCE can't be used here")
        }
        return found.distance
    }

    /// Returns a search as a table in SQL.
    private mutating func vectorTable(_ search: ResolvedVectorSearch) throws -> String {
        let target = try with({ $0.clause = .limit }) { try $0.expression(search.target) }
        var (limit, offset) = ("NULL", "NULL")
        if search.use.findsNearest || search.use.returnsNearest {
            context.clause = .limit
            limit = try select.limit.map { try rowCount($0, "LIMIT") } ?? limit
            offset = try select.offset.map { try rowCount($0, "OFFSET") } ?? offset
        }
        let probes = search.use.findsNearest ? String(search.use.probes) : "NULL"
        let arguments = [SQLText.literal(search.use.index.table), target, probes, limit, offset]
        return "fl_vector_search(\(arguments.joined(separator: ", "))) AS \(SQLText.identifier(search.alias))"
    }

    /// Returns what FROM begins with: the searches that are read first. SQLite does not reorder the tables of a CROSS JOIN.
    mutating func leadingVectorSearches() throws -> String {
        var sql = ""
        for search in vectorSearches where search.use.findsNearest { sql += try vectorTable(search) + " CROSS JOIN " }
        return sql
    }

    /// Returns what FROM ends with: the searches that are asked for the distances of documents.
    mutating func trailingVectorSearches() throws -> String {
        var sql = ""
        for search in vectorSearches where !search.use.findsNearest {
            sql += try " CROSS JOIN \(vectorTable(search)) ON \(vectorJoin(search))"
        }
        return sql
    }

    /// The conditions that join the documents with the searches that are read first.
    var vectorConditions: [String] { vectorSearches.filter(\.use.findsNearest).map(vectorJoin) }

    private func vectorJoin(_ search: ResolvedVectorSearch) -> String {
        let source = scope.sources[search.source]
        let join = "\(SQLText.identifier(search.alias)).docid = \(source.qualifier)rowid"
        // A deleted document may have the row number of a live one, in another table.
        return source.visibility == .live ? join : "\(join) AND (\(source.qualifier)flags & 1 = 0)"
    }
}
