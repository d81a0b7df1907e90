package import Fleece
import SQLiteEngine

/// The rows a query gave, all in one piece of Fleece: an array of the columns of all rows, one row after the other.
///
/// It outlives what happens to the database, and two runs that gave the same rows have the same bytes.
package final class RecordedRows: Sendable {
    /// The titles of the columns, in order.
    package let columnTitles: [String]
    /// How many rows there are.
    package let count: Int
    /// The values; missing ones are `undefined`.
    package let data: FleeceData

    init(columnTitles: [String], count: Int, data: FleeceData) {
        self.columnTitles = columnTitles
        self.count = count
        self.data = data
    }

    /// The value in a column of a row; nil when it is missing. It is part of ``data``, which must be kept while it is used.
    package func value(row: Int, column: Int) -> Value? {
        guard let value = data.root?.array?[row * columnTitles.count + column], !value.isUndefined else { return nil }
        return value
    }
}

/// Records rows as they come.
struct RowRecorder: ~Copyable {
    private var encoder = Encoder(capacity: 4096)
    private let titles: [String]
    private let hiddenColumnCount: Int
    private var count = 0

    init(_ query: CompiledQuery) {
        titles = query.columnTitles
        hiddenColumnCount = query.hiddenColumnCount
        encoder.beginArray()
    }

    /// Records the row a statement stands at.
    mutating func record(_ statement: Statement) throws {
        for column in hiddenColumnCount..<(hiddenColumnCount + titles.count) {
            switch statement.columnType(column) {
            case .integer: encoder.write(statement.int64(at: column))
            case .real: encoder.write(statement.double(at: column))
            case .text: encoder.write(utf8: statement.textBytes(at: column))
            case .blob: recordBlob(statement.blob(at: column))
            case .null: encoder.writeUndefined()
            }
        }
        count += 1
    }

    /// Blobs are Fleece values with string keys; an empty one is null (Query 3.1).
    private mutating func recordBlob(_ bytes: UnsafeRawBufferPointer) {
        guard let value = Value(root: bytes) else { return encoder.writeNull() }
        encoder.write(value, keys: .other(.empty))
    }

    consuming func finish() throws -> RecordedRows {
        encoder.endArray()
        let data = try encoder.finishedData()
        return RecordedRows(columnTitles: titles, count: count, data: data)
    }
}
