import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// An index in a file without a table `indexes`, as created by releases 2.0 and 2.1. Its definition is derived from the SQL (Storage format
/// 5.1).
struct UnregisteredIndex {
    let name: String
    let kind: IndexInfo.Kind
    /// The name of the store that is indexed.
    let store: String
    /// The name of the index's own table; `nil` for a value index.
    let table: String?
    /// The indexed properties as JSON, as far as they can be derived from the SQL.
    let expressions: String

    static func all(on connection: Connection) throws -> [UnregisteredIndex] {
        let statement = try connection.prepare(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE type = 'index' AND tbl_name GLOB 'kv_*' AND sql IS NOT NULL
            OR type = 'table' AND name GLOB 'kv_*::*' AND sql LIKE 'CREATE VIRTUAL TABLE%'
            """
        )
        defer { statement.finalize() }
        var found: [UnregisteredIndex] = []
        while try statement.step() {
            let (name, table, sql) = (statement.text(at: 1), statement.text(at: 2), statement.text(at: 3))
            if statement.text(at: 0) == "index" {
                guard let store = StoreName.store(ofTable: table), !isInternal(name, onTable: table) else { continue }
                let expressions = json(ofPaths: valuePaths(in: sql))
                found.append(UnregisteredIndex(name: name, kind: .value, store: store, table: nil, expressions: expressions))
            } else if let mark = name.firstRange(of: "::"),
                let store = StoreName.store(ofTable: String(name[..<mark.lowerBound]))
            {
                let (plainName, expressions) = (String(name[mark.upperBound...]), json(ofPaths: columns(in: sql)))
                found.append(UnregisteredIndex(name: plainName, kind: .fullText, store: store, table: name, expressions: expressions))
            }
        }
        return found
    }

    /// Returns whether the store created the SQL index for its own use (Storage format 2.4).
    private static func isInternal(_ name: String, onTable table: String) -> Bool {
        // The backslashes of mangled names are ignored: a table may have been renamed since its index was created.
        let (name, table) = (name.replacing("\\", with: ""), table.replacing("\\", with: ""))
        return ["_seqs", "_conflicts", "_blobs", "_expiration"].contains { name.isExactly(table + $0) }
    }

    /// Returns the paths in `fl_value(body, 'path')`.
    private static func valuePaths(in sql: String) -> [String] {
        sql.matches(of: /fl_value\(body, *'((?:[^']|'')*)'\)/).map { String($0.1).replacing("''", with: "'") }
    }

    /// Returns the quoted columns of a full-text table, which precede its options.
    private static func columns(in sql: String) -> [String] {
        guard let start = sql.firstRange(of: "(")?.upperBound else { return [] }
        let end = sql.firstRange(of: "tokenize=")?.lowerBound ?? sql.endIndex
        guard start <= end else { return [] }
        return sql[start..<end].matches(of: /"((?:[^"]|"")*)"/).map { String($0.1).replacing("\"\"", with: "\"") }
    }

    private static func json(ofPaths paths: [String]) -> String {
        let items = paths.compactMap { path in
            (try? QueryExpression.property(encodedPath: path)).map { QueryJSON.text(of: $0) }
        }
        return "[\(items.joined(separator: ","))]"
    }
}
