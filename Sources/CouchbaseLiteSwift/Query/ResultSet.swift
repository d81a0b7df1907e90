import ExactStrings
import Fleece
import QueryEngine
import Synchronization

/// The rows that a query gave, to be gone through once.
///
/// They were recorded when the query ran: later changes of the database do not show, and nothing is locked.
public final class ResultSet: Sequence, IteratorProtocol, Sendable {
    /// A row.
    public typealias Element = Result

    let table: ResultTable
    private let position = Mutex(0)

    convenience init(_ rows: RecordedRows, database: Database) {
        self.init(ResultTable(rows, database: database))
    }

    init(_ table: ResultTable) {
        self.table = table
    }

    /// The next row; nil after the last.
    public func next() -> Result? {
        let row = position.withLock { position -> Int? in
            guard position < table.rows.count else { return nil }
            defer { position += 1 }
            return position
        }
        return row.map { Result($0, of: table) }
    }

    /// The rows that have not been gone through.
    public func allResults() -> [Result] {
        let remaining = position.withLock { position in
            defer { position = table.rows.count }
            return position..<table.rows.count
        }
        return remaining.map { Result($0, of: table) }
    }
}

/// What all rows of a result share: each row then refers to one object only.
final class ResultTable: Sendable {
    let rows: RecordedRows
    /// Where the values are, and the database that has their blobs.
    let source: FleeceSource
    private let indexes: [ExactString: Int]

    init(_ rows: RecordedRows, database: Database) {
        self.rows = rows
        source = FleeceSource(data: rows.data, sharedKeys: .empty, database: database)
        indexes = Dictionary(rows.columnTitles.enumerated().map { (ExactString($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    var titles: [String] { rows.columnTitles }

    func index(of title: String) -> Int? { indexes[ExactString(title)] }
}
