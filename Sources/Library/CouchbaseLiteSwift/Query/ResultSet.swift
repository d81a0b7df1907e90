import Fleece
package import QueryEngine
import Synchronization

/// The rows of a query result, which can be iterated once.
///
/// All rows were recorded when the query ran, and are held in memory: later changes of the database do not affect them, and the result
/// holds no lock or transaction. Thread-safe: if several threads iterate, each row is returned to one of them.
public final class ResultSet: Sequence, IteratorProtocol, Sendable {
    /// A row of the result.
    public typealias Element = Result

    let table: ResultTable
    /// All rows, including those already returned.
    package var rows: RecordedRows { table.rows }
    private let position = Mutex(0)

    convenience init(_ rows: RecordedRows, database: Database) { self.init(ResultTable(rows, database: database)) }

    init(_ table: ResultTable) { self.table = table }

    /// Returns the next row; `nil` after the last one.
    public func next() -> Result? {
        let row = position.withLock { position -> Int? in
            guard position < table.rows.count else { return nil }
            defer { position += 1 }
            return position
        }
        return row.map { Result($0, of: table) }
    }

    /// Returns the rows that have not been returned yet. Afterwards ``next()`` returns `nil`.
    ///
    /// - Complexity: O(*n*) in the number of rows. The values are not copied.
    public func allResults() -> [Result] {
        let remaining = position.withLock { position in
            defer { position = table.rows.count }
            return position..<table.rows.count
        }
        return remaining.map { Result($0, of: table) }
    }
}

/// The data shared by all rows of a result, so that a row refers to one object only.
final class ResultTable: Sendable {
    let rows: RecordedRows
    /// The bytes of the values, and the database that has their blobs.
    let source: FleeceSource

    init(_ rows: RecordedRows, database: Database) {
        self.rows = rows
        source = FleeceSource(data: rows.data, sharedKeys: .empty, database: database)
    }

    var titles: [String] { rows.columnTitles }
}
