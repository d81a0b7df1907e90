/// A row of EXPLAIN QUERY PLAN (https://sqlite.org/eqp.html), without its third column, which has another meaning in each release.
package struct PlanNode: Sendable, Hashable {
    /// The number of the node, which is unique in the plan.
    package let id: Int64
    /// The number of the node that contains this one; 0 if none does.
    package let parent: Int64
    /// SQLite's description of the node.
    package let detail: String

    /// Returns the plan of a statement; every node comes after its parent.
    package static func plan(of sql: String, on connection: Connection) throws(SQLiteError) -> [PlanNode] {
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        defer { statement.finalize() }
        var nodes: [PlanNode] = []
        while try statement.step() {
            nodes.append(
                PlanNode(
                    id: statement.int64(at: 0),
                    parent: statement.int64(at: 1),
                    detail: statement.text(at: 3)
                )
            )
        }
        return nodes
    }
}

/// The way in which a node reads a table.
package struct TableAccess: Hashable {
    /// How the rows of a table are found.
    package enum Method: Hashable {
        /// Reads the whole table, or a whole index in its order.
        case scan(index: String?, isCovering: Bool)
        /// Reads the rows that an index finds. `terms` are the search terms as SQLite describes them.
        case search(index: String, terms: String)
        /// Reads a row by its row ID.
        case rowID
        /// Searches an index that SQLite creates for this run only.
        case automaticIndex(terms: String)
        /// Reads a virtual table.
        case virtual
    }

    /// The alias of the table in the statement, or its name.
    package let source: String
    /// How the rows of the table are found.
    package let method: Method
    /// Whether the table is that of a subquery of EXISTS, which SQLite since 3.51 joins with the tables of the query.
    package let isExists: Bool

    /// Parses the description of a node; `nil` if the node reads no table.
    package init?(_ detail: String) {
        guard let match = detail.wholeMatch(of: /(SCAN|SEARCH) (.+?)( EXISTS)?(?: VIRTUAL TABLE.*| USING (.+?))?(?: LEFT-JOIN)?/),
            match.2 != "CONSTANT ROW"
        else { return nil }
        source = String(match.2)
        isExists = match.3 != nil
        let isScan = match.1 == "SCAN"
        guard let using = match.4 else {
            method = detail.contains(" VIRTUAL TABLE") ? .virtual : .scan(index: nil, isCovering: false)
            return
        }
        let terms = using.firstMatch(of: /\((.*)\)$/)?.1
        if using.hasPrefix("INTEGER PRIMARY KEY") || using.hasPrefix("ROWID SEARCH") {
            method = .rowID
        } else if using.hasPrefix("AUTOMATIC ") {
            method = .automaticIndex(terms: String(terms ?? ""))
        } else if let index = using.wholeMatch(of: /(COVERING )?INDEX (.+?)(?: \((?:.*)\))?/) {
            let name = String(index.2)
            method =
                isScan
                ? .scan(index: name, isCovering: index.1 != nil) : .search(index: name, terms: String(terms ?? ""))
        } else if using.hasPrefix("PRIMARY KEY") {
            // The table has no row IDs.
            method = .search(index: "", terms: String(terms ?? ""))
        } else {
            return nil
        }
    }
}
