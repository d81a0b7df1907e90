import Base
import QueryLanguage
import SQLiteEngine

/// A full-text table, as far as the expansion of patterns has to know it.
struct SearchIndex {
    let table: String
    let columns: [String]
    /// The statement that created the table.
    let statement: String
    let analyzer: FullTextAnalyzer

    /// Returns `nil` if there is no such table.
    init?(_ table: String, on connection: Connection) throws {
        guard let statement = try Self.statement(ofTable: table, on: connection) else { return nil }
        (self.table, self.statement) = (table, statement)
        columns = try Self.columns(ofTable: table, on: connection)
        analyzer = FullTextAnalyzer(statement: statement)
    }

    /// Returns which patterns of searches in a table have to be expanded.
    static func expansion(ofTable table: String, on connection: Connection) throws -> FullTextExpansion {
        if try SynonymList.exists(forTable: table, on: connection) { return .all }
        return try Self.statement(ofTable: table, on: connection)?.contains("\"stemmer=") ?? false ? .prefixes : .none
    }

    /// Returns the names of a table's columns, in order; none if there is no such table.
    static func columns(ofTable table: String, on connection: Connection) throws -> [String] {
        try connection.texts("SELECT name FROM pragma_table_info(?)", table)
    }

    private static func statement(ofTable table: String, on connection: Connection) throws -> String? {
        try connection.texts("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ? AND sql IS NOT NULL", table).first
    }
}
