package import Fleece

/// The rows a query gave, in memory of their own: later changes of the database do not touch them, and no lock is held.
///
/// All cells stand one after another in one buffer, each a small Fleece value or a Fleece document, and two runs that gave
/// the same rows have the same bytes.
package final class RecordedRows: Sendable {
    /// Where a cell begins, which is always an even offset, and in the lowest bit how it is to be read.
    struct Cell: Equatable, Sendable {
        private let bits: UInt32

        /// A value that begins at the offset.
        init(valueAt offset: Int) { bits = UInt32(truncatingIfNeeded: offset) }

        /// A Fleece document that begins at the offset and ends where the next cell begins.
        init(documentAt offset: Int) { bits = UInt32(truncatingIfNeeded: offset) | 1 }

        var offset: UInt32 { bits & ~1 }
        var isDocument: Bool { bits & 1 != 0 }
    }

    /// The titles of the columns, in order.
    package let columnTitles: [String]
    /// How many rows there are.
    package let count: Int
    /// The bytes of all values. They have no root of their own.
    package let data: FleeceData
    /// The cells of all rows, one row after the other, and the end of the last.
    private let cells: [Cell]

    /// What a full-text query tells of each row; nothing when it was not asked to.
    private let matches: [RowMatches]

    init(columnTitles: [String], count: Int, data: FleeceData, cells: [Cell], matches: [RowMatches] = []) {
        self.columnTitles = columnTitles
        self.count = count
        self.data = data
        self.cells = cells
        self.matches = matches
    }

    /// Where the terms of the pattern stand in the document of a row; nil unless the query was prepared to tell it.
    package func matches(row: Int) -> RowMatches? {
        matches.indices.contains(row) ? matches[row] : nil
    }

    /// No rows.
    package convenience init(columnTitles: [String]) {
        self.init(columnTitles: columnTitles, count: 0, data: FleeceData([]), cells: [Cell(valueAt: 0)])
    }

    /// The value in a column of a row; nil when it is missing. Its keys are strings. It is part of ``data``, which must be
    /// kept while it is used.
    package func value(row: Int, column: Int) -> Value? {
        guard row >= 0, row < count, column >= 0, column < columnTitles.count, let base = data.bytes.baseAddress else { return nil }
        let index = row * columnTitles.count + column
        let (cell, end) = (cells[index], cells[index + 1].offset)
        guard cell.offset < end else { return nil }
        guard cell.isDocument else { return Value(base: base, offset: cell.offset, end: end) }
        let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[Int(cell.offset)..<Int(end)])
        // Told by its place in the whole data, as every other value is.
        return Value(root: bytes).map { Value(base: base, offset: cell.offset + $0.offset, end: cell.offset + $0.end) }
    }

    /// The cells of a row, and what comes after them.
    func cells(ofRow row: Int) -> ArraySlice<Cell> {
        cells[row * columnTitles.count...(row + 1) * columnTitles.count]
    }

    /// Whether two results of one query are the same.
    package func hasSameRows(as other: RecordedRows) -> Bool {
        count == other.count && cells == other.cells && compareBytes(data.bytes, other.data.bytes) == 0
    }
}
