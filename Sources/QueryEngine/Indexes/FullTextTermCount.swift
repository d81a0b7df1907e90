import DocumentStore
import SQLiteEngine

/// Counts the terms of a full-text table twice: as stored in its index, and by tokenizing its texts again (Storage format 5.11).
struct FullTextTermCount {
    private struct Term: Hashable {
        let column: Int64
        let bytes: [UInt8]
    }

    private struct Count: Equatable {
        var documents: Int64 = 0
        var occurrences: Int64 = 0
    }

    private let table: String
    private let connection: Connection
    private var counts: [Term: Count] = [:]

    /// Tokenizes all texts of the table, which takes about as long as indexing them.
    ///
    /// - Parameters:
    ///   - statement: The statement that created the table.
    ///   - columns: The names of its columns, in SQL.
    init(table: String, statement: String, columns: String, on connection: Connection) throws {
        self.table = table
        self.connection = connection
        let analyzer = FullTextAnalyzer(statement: statement)
        let rows = try connection.prepare("SELECT \(columns) FROM \(table.quotedIdentifier)")
        defer { rows.finalize() }
        while try rows.step() {
            for column in 0..<rows.columnCount where !rows.isNull(at: column) {
                var occurrences: [[UInt8]: Int64] = [:]
                analyzer.forEachTerm(of: rows.textBytes(at: column)) { occurrences[Array($0), default: 0] += 1 }
                for (bytes, count) in occurrences {
                    let term = Term(column: Int64(column), bytes: bytes)
                    counts[term, default: Count()].documents += 1
                    counts[term, default: Count()].occurrences += count
                }
            }
        }
    }

    /// Returns a term whose counts in the index and in the texts differ; `nil` if there is none.
    func difference() throws -> String? {
        try connection.execute("CREATE VIRTUAL TABLE temp.checked_terms USING fts4aux(main, \(table.quotedIdentifier))")
        defer { try? connection.execute("DROP TABLE temp.checked_terms") }
        let rows = try connection.prepare("SELECT col, term, documents, occurrences FROM temp.checked_terms WHERE col <> '*'")
        defer { rows.finalize() }
        var left = counts
        while try rows.step() {
            let bytes = Array(rows.textBytes(at: 1))
            let stored = Count(documents: rows.int64(at: 2), occurrences: rows.int64(at: 3))
            guard left.removeValue(forKey: Term(column: rows.int64(at: 0), bytes: bytes)) == stored else {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return left.keys.first.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
