import SQLiteEngine

/// A line of EXPLAIN QUERY PLAN (https://sqlite.org/eqp.html).
struct PlanNode: Sendable, Hashable {
    let id: Int64
    let parent: Int64
    let unused: Int64
    /// What SQLite says.
    let detail: String

    /// The plan of a statement, every node after the one it stands in.
    static func plan(of sql: String, on connection: Connection) throws -> [PlanNode] {
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        defer { statement.finalize() }
        var nodes: [PlanNode] = []
        while try statement.step() {
            nodes.append(
                PlanNode(
                    id: statement.int64(at: 0),
                    parent: statement.int64(at: 1),
                    unused: statement.int64(at: 2),
                    detail: statement.text(at: 3)
                )
            )
        }
        return nodes
    }
}

/// How a node reads a table.
struct TableAccess: Hashable {
    enum Method: Hashable {
        /// The whole table, or the whole index in its order.
        case scan(index: String?, isCovering: Bool)
        /// What an index finds. `terms` is what is looked for, in SQLite's words.
        case search(index: String, terms: String)
        /// By row id.
        case rowID
        /// An index that is made for the one run.
        case automaticIndex(terms: String)
        /// A virtual table.
        case virtual
    }

    /// The alias of the table in the statement, or its name.
    let source: String
    let method: Method

    /// Nil when the node reads no table.
    init?(_ detail: String) {
        guard let match = detail.wholeMatch(of: /(SCAN|SEARCH) (.+?)(?: VIRTUAL TABLE.*| USING (.+?))?(?: LEFT-JOIN)?/),
            match.2 != "CONSTANT ROW"
        else { return nil }
        source = String(match.2)
        let isScan = match.1 == "SCAN"
        guard let using = match.3 else {
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
            // Of a table without row ids.
            method = .search(index: "", terms: String(terms ?? ""))
        } else {
            return nil
        }
    }
}
