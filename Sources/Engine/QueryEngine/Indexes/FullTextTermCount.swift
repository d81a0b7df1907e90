import DocumentStore
import SQLiteEngine

/// Counts the terms of a full-text table twice: as stored in its index, and by tokenizing its texts again (Storage format 5.11).
///
/// The memory it takes does not depend on the number of terms: the counts are added up in a fixed number of sums, each count multiplied by
/// a random number that belongs to its term, so that a sum is almost certainly not 0 if the counts of one of its terms differ.
struct FullTextTermCount {
    private struct Term: Hashable {
        let column: Int64
        let bytes: [UInt8]

        /// Differs from process to process, so that no file can be made for which wrong counts cancel each other out.
        var factor: Int64 { Int64(hashValue) | 1 }

        /// The position of the sum that the term belongs to.
        var position: Int { Int(UInt64(bitPattern: factor) >> 48) }
    }

    /// Counts in the texts minus counts in the index, which may wrap around.
    private struct Count: Equatable {
        var documents: Int64 = 0
        var occurrences: Int64 = 0

        mutating func add(_ other: Count, times factor: Int64 = 1) {
            documents &+= other.documents &* factor
            occurrences &+= other.occurrences &* factor
        }
    }

    /// As many as there are values of ``Term/position``; they take 1 MiB.
    private static let sumCount = 1 << 16

    private let table: String
    private let columns: String
    private let analyzer: FullTextAnalyzer
    private let connection: Connection

    /// - Parameters:
    ///   - statement: The statement that created the table.
    ///   - columns: The names of its columns, in SQL.
    init(table: String, statement: String, columns: String, on connection: Connection) {
        self.table = table
        self.columns = columns
        self.connection = connection
        analyzer = FullTextAnalyzer(statement: statement)
    }

    /// Returns a term whose counts in the index and in the texts differ; `nil` if there is none. Tokenizes all texts of the table, which
    /// takes about as long as indexing them; twice if there is a difference.
    func difference() throws -> String? {
        try connection.execute("CREATE VIRTUAL TABLE temp.checked_terms USING fts4aux(main, \(table.quotedIdentifier))")
        defer { try? connection.execute("DROP TABLE temp.checked_terms") }
        var sums = [Count](repeating: Count(), count: Self.sumCount)
        try forEachCount { term, count in sums[term.position].add(count, times: term.factor) }
        guard let position = sums.firstIndex(where: { $0 != Count() }) else { return nil }
        var counts: [Term: Count] = [:]
        try forEachCount { term, count in
            if term.position == position { counts[term, default: Count()].add(count) }
        }
        return counts.first { $0.value != Count() }.map { String(decoding: $0.key.bytes, as: UTF8.self) }
    }

    /// Calls `body` with the counts of each term in each text, and with the negative counts of each term in the index.
    private func forEachCount(_ body: (Term, Count) -> Void) throws {
        let rows = try connection.prepare("SELECT \(columns) FROM \(table.quotedIdentifier)")
        defer { rows.finalize() }
        while try rows.step() {
            for column in 0..<rows.columnCount where !rows.isNull(at: column) {
                var occurrences: [[UInt8]: Int64] = [:]
                analyzer.forEachTerm(of: rows.textBytes(at: column)) { occurrences[Array($0), default: 0] += 1 }
                for (bytes, number) in occurrences {
                    body(Term(column: Int64(column), bytes: bytes), Count(documents: 1, occurrences: number))
                }
            }
        }
        let stored = try connection.prepare("SELECT col, term, documents, occurrences FROM temp.checked_terms WHERE col <> '*'")
        defer { stored.finalize() }
        while try stored.step() {
            let term = Term(column: stored.int64(at: 0), bytes: Array(stored.textBytes(at: 1)))
            body(term, Count(documents: 0 &- stored.int64(at: 2), occurrences: 0 &- stored.int64(at: 3)))
        }
    }
}
