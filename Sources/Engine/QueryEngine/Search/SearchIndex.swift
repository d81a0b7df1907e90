import Base
import DocumentStore
import SQLiteEngine

/// A full-text table, as far as the expansion of patterns has to know it.
struct SearchIndex {
    let table: String
    let columns: [String]
    let analyzer: FullTextAnalyzer

    /// Returns `nil` if there is no such table.
    init?(_ table: String, on connection: Connection) throws {
        guard let statement = try RegistryTable.sql(ofTable: table, on: connection) else { return nil }
        self.table = table
        columns = try StoreResolver.columns(ofTable: table, on: connection)
        analyzer = FullTextAnalyzer(statement: statement)
    }

    /// Returns whether each pattern has to be examined, because the index has stems, or synonyms.
    static func expandsPatterns(_ table: String, on connection: Connection) throws -> Bool {
        guard let statement = try RegistryTable.sql(ofTable: table, on: connection) else { return false }
        return FullTextAnalyzer(statement: statement).hasStemmer
    }
}
