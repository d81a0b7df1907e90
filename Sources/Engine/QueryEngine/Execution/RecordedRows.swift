package import Base
package import Fleece
import QueryLanguage
import Synchronization

/// The rows of a query result, copied into memory: later changes of the database do not affect them, and they hold no lock.
///
/// One buffer contains all cells in order, each as a small Fleece value or as a Fleece document. Equal rows have equal bytes.
package final class RecordedRows: Sendable {
    /// The offset of a cell, which is always even; the lowest bit indicates the encoding of the cell.
    struct Cell: Equatable, Sendable {
        private let bits: UInt32

        /// Creates a cell with a single value at the offset.
        init(valueAt offset: Int) { bits = UInt32(truncatingIfNeeded: offset) }

        /// Creates a cell with a Fleece document, which begins at the offset and ends where the next cell begins.
        init(documentAt offset: Int) { bits = UInt32(truncatingIfNeeded: offset) | 1 }

        private init(bits: UInt32) { self.bits = bits }

        /// Returns the cell at another even distance from the beginning, which is below 2^31.
        func moved(by byteCount: Int) -> Cell { Cell(bits: bits &+ UInt32(truncatingIfNeeded: byteCount)) }

        var offset: UInt32 { bits & ~1 }
        var isDocument: Bool { bits & 1 != 0 }
    }

    /// The titles of the columns, in order.
    package let columnTitles: [String]
    /// See ``CompiledQuery/documentColumns``.
    package let documentColumns: [Int]
    /// The number of rows.
    package let count: Int
    /// The bytes of all cells. The buffer as a whole has no Fleece root.
    package let data: FleeceData
    /// The cells of all rows, row by row, followed by a cell at the end of the data.
    private let cells: [Cell]

    /// The matches of each row of a full-text query; empty unless the query was prepared to report them.
    private let matches: [RowMatches]
    /// The indexes of the columns by their titles; `nil` before they are first needed.
    private let cachedIndexes = Mutex<[ExactString: Int]?>(nil)

    init(
        columnTitles: [String],
        documentColumns: [Int] = [],
        count: Int,
        data: FleeceData,
        cells: [Cell],
        matches: [RowMatches] = []
    ) {
        self.columnTitles = columnTitles
        self.documentColumns = documentColumns
        self.count = count
        self.data = data
        self.cells = cells
        self.matches = matches
    }

    /// Joins parts of a result, which have the same columns and no matches.
    ///
    /// - Throws: ``QueryError`` if the result would become larger than 2 GiB.
    init(joining parts: [RecordedRows]) throws(QueryError) {
        let byteCount = parts.reduce(0) { $0 + $1.data.bytes.count }
        let cellCount = parts.reduce(0) { $0 + $1.cells.count }
        guard byteCount + cellCount * MemoryLayout<Cell>.stride <= Limits.maximumSize else { throw QueryError.resultTooLarge }
        columnTitles = parts.first?.columnTitles ?? []
        documentColumns = parts.first?.documentColumns ?? []
        count = parts.reduce(0) { $0 + $1.count }
        matches = []
        var cells: [Cell] = []
        cells.reserveCapacity(cellCount)
        var start = 0
        for part in parts {
            // The last cell of a part is the beginning of the next part.
            cells.append(contentsOf: part.cells.dropLast().lazy.map { $0.moved(by: start) })
            start += part.data.bytes.count
        }
        cells.append(Cell(valueAt: start))
        self.cells = cells
        data = FleeceData(joining: parts.map(\.data))
    }

    /// Copies rows of several results of the same query, which have no matches, in the given order.
    init(copying rows: [(part: Int, row: Int)], of parts: [RecordedRows]) {
        columnTitles = parts.first?.columnTitles ?? []
        documentColumns = parts.first?.documentColumns ?? []
        count = rows.count
        matches = []
        var cells: [Cell] = []
        var bytes: [UInt8] = []
        for (part, row) in rows {
            let copied = parts[part].cells(ofRow: row)
            guard let first = copied.first?.offset, let end = copied.last?.offset else { continue }
            // The cells of a row lie one after the other.
            cells.append(contentsOf: copied.dropLast().lazy.map { $0.moved(by: bytes.count - Int(first)) })
            bytes.append(contentsOf: parts[part].data.bytes[Int(first)..<Int(end)])
        }
        cells.append(Cell(valueAt: bytes.count))
        self.cells = cells
        data = FleeceData(bytes)
    }

    /// The indexes of the columns by their titles.
    package var columnIndexes: [ExactString: Int] {
        cachedIndexes.withLock { cached in
            if let cached { return cached }
            let made = Dictionary(columnTitles.enumerated().map { (ExactString($1), $0) }, uniquingKeysWith: { first, _ in first })
            cached = made
            return made
        }
    }

    /// Returns the index of the first column with a title; `nil` if there is none.
    package func columnIndex(of title: String) -> Int? {
        // Comparing a few titles is faster than computing a hash, and most results have a few columns and rows.
        columnTitles.count <= 8 ? columnTitles.firstIndex { title.isExactly($0) } : columnIndexes[ExactString(title)]
    }

    /// Returns the positions of the pattern's terms in the document of a row; `nil` unless the query was prepared to report them.
    package func matches(row: Int) -> RowMatches? {
        matches.indices.contains(row) ? matches[row] : nil
    }

    /// Creates a result without rows.
    package convenience init(columnTitles: [String]) {
        self.init(columnTitles: columnTitles, count: 0, data: FleeceData([]), cells: [Cell(valueAt: 0)])
    }

    /// Returns the value in a column of a row; `nil` if it is missing or an index is out of range. Its dictionary keys are strings. The
    /// value refers to ``data``, which must be retained while the value is used.
    package func value(row: Int, column: Int) -> Value? {
        guard row >= 0, row < count, column >= 0, column < columnTitles.count, let base = data.bytes.baseAddress else { return nil }
        let index = row * columnTitles.count + column
        let (cell, end) = (cells[index], cells[index + 1].offset)
        guard cell.offset < end else { return nil }
        guard cell.isDocument else { return Value(base: base, offset: cell.offset, end: end) }
        let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[Int(cell.offset)..<Int(end)])
        // Offsets are relative to the whole buffer, as for all other values.
        return Value(root: bytes).map { Value(base: base, offset: cell.offset + $0.offset, end: cell.offset + $0.end) }
    }

    /// Returns the values of a row as a JSON array, for the log. Missing values are null.
    package func json(row: Int) -> String {
        let values = columnTitles.indices.map { column in
            value(row: row, column: column).flatMap { try? JSON.string($0, sharedKeys: .empty) } ?? "null"
        }
        return "[\(values.joined(separator: ","))]"
    }

    /// Returns the cells of a row, followed by the next cell.
    func cells(ofRow row: Int) -> ArraySlice<Cell> {
        cells[row * columnTitles.count...(row + 1) * columnTitles.count]
    }

    /// Returns whether another result of the same query has the same rows.
    package func hasSameRows(as other: RecordedRows) -> Bool {
        count == other.count && cells == other.cells && compareBytes(data.bytes, other.data.bytes) == 0
    }
}
