import Fleece
import QueryEngine
import Synchronization

/// The rows that a query gave, to be gone through once.
///
/// They were recorded when the query ran: later changes of the database do not show, and nothing is locked.
public final class ResultSet: Sequence, IteratorProtocol, Sendable {
    /// A row.
    public typealias Element = Result

    private let rows: RecordedRows
    private let columns: ResultColumns
    private let database: Database
    private let position = Mutex(0)

    init(_ rows: RecordedRows, database: Database) {
        self.rows = rows
        self.database = database
        columns = ResultColumns(rows.columnTitles)
    }

    /// The next row; nil after the last.
    public func next() -> Result? {
        let row = position.withLock { position -> Int? in
            guard position < rows.count else { return nil }
            defer { position += 1 }
            return position
        }
        return row.map(result)
    }

    /// The rows that have not been gone through.
    public func allResults() -> [Result] {
        let remaining = position.withLock { position in
            defer { position = rows.count }
            return position..<rows.count
        }
        return remaining.map(result)
    }

    private func result(_ row: Int) -> Result {
        Result(rows, row, columns: columns, database: database)
    }
}

/// The titles of the columns of results, which all rows share.
final class ResultColumns: Sendable {
    let titles: [String]
    private let indexes: [String: Int]

    init(_ titles: [String]) {
        self.titles = titles
        indexes = Dictionary(titles.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func index(of title: String) -> Int? { indexes[title] }
}
