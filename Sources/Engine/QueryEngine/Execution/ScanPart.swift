import DocumentStore
import Fleece
import QueryLanguage
import SQLiteEngine

/// The recorded rows of one range of a table, and the values by which they are sorted.
struct ScanPart: Sendable {
    let rows: RecordedRows
    /// The values of the terms of ORDER BY, row by row; empty if the rows are in the order of the table.
    let keys: [SortKey]

    /// Runs a statement for a range and records its rows.
    ///
    /// - Parameter window: The rows that the query returns, if it sorts them.
    init(_ statement: Statement, of query: CompiledQuery, _ window: SortedWindow?, on context: ConnectionContext) throws {
        let keyCount = window?.isDescending.count ?? 0
        var recorder = RowRecorder(query, searching: nil, hiddenColumnCount: keyCount)
        var keys: [SortKey] = []
        while try statement.step(ofQueryOn: context) {
            for column in 0..<keyCount { keys.append(SortKey(statement, column)) }
            try recorder.record(statement)
        }
        rows = recorder.finish()
        self.keys = keys
    }

    /// Returns the rows of a query, from the parts in the order of their ranges.
    ///
    /// - Throws: ``QueryError`` if the result would become larger than 2 GiB.
    static func joined(_ parts: [ScanPart], _ window: SortedWindow?) throws(QueryError) -> RecordedRows {
        guard let window else { return try RecordedRows(joining: parts.map(\.rows)) }
        var places = parts.indices.flatMap { part in (0..<parts[part].rows.count).map { (part: part, row: $0) } }
        places.sort { left, right in
            for (term, isDescending) in window.isDescending.enumerated() {
                let count = window.isDescending.count
                let (a, b) = (parts[left.part].keys[left.row * count + term], parts[right.part].keys[right.row * count + term])
                if a != b { return a.isBefore(b) != isDescending }
            }
            // SQLite leaves equal rows in the order in which it has read them.
            return (left.part, left.row) < (right.part, right.row)
        }
        return RecordedRows(copying: Array(places.dropFirst(window.offset).prefix(window.limit)), of: parts.map(\.rows))
    }
}

/// A value by which SQLite sorts rows, without a collation (https://sqlite.org/datatype3.html#sort_order).
enum SortKey: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    init(_ statement: Statement, _ column: Int) {
        switch statement.columnType(column) {
        case .null: self = .null
        case .integer: self = .integer(statement.int64(at: column))
        case .real: self = .real(statement.double(at: column))
        case .text: self = .text(Array(statement.textBytes(at: column)))
        case .blob: self = .blob(Array(statement.blob(at: column)))
        }
    }

    /// Whether SQLite sorts this value before the other one.
    func isBefore(_ other: SortKey) -> Bool { comparison(to: other) < 0 }

    static func != (left: SortKey, right: SortKey) -> Bool { left.comparison(to: right) != 0 }

    /// Returns a negative number if this value is sorted before the other one, a positive one if it is sorted after it, and 0 if they are
    /// equal.
    private func comparison(to other: SortKey) -> Int {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : a == b ? 0 : 1
        case (.real(let a), .real(let b)): a < b ? -1 : a == b ? 0 : 1
        case (.integer(let a), .real(let b)): Self.comparison(a, b)
        case (.real(let a), .integer(let b)): -Self.comparison(b, a)
        case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)):
            a.withUnsafeBytes { a in b.withUnsafeBytes { b in compareBytes(a, b) } }
        default: rank - other.rank
        }
    }

    /// Compares an integer with a floating-point number exactly. SQLite has no NaN.
    private static func comparison(_ integer: Int64, _ real: Double) -> Int {
        if real < -0x1p63 { return 1 }
        if real >= 0x1p63 { return -1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = real - real.rounded(.towardZero)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
