import DocumentStore
import SQLiteEngine

/// The rows of a table or a view of an SQLite file, read one after the other.
///
/// A view is a query that the file brings along. It can only read, but in a manipulated file it may never end: so the time until each row, the
/// number of rows and the size of their values are limited.
final class SQLiteRows {
    /// What reading a view may take.
    struct Limits {
        /// The time until the next row.
        var time = Duration.seconds(60)
        var rows = 10_000_000
        /// The size of a value, in bytes.
        var valueSize = 16 << 20
    }

    let entry: SQLiteTables.Entry
    let columns: [String]
    /// The column that is the primary key; `nil` if there is none, or it has several columns.
    let keyColumn: Int?
    let statement: Statement
    /// The number of rows that were read.
    private(set) var count = 0
    private let connection: Connection
    private let limits: Limits

    /// - Throws: ``Failure`` if a view cannot be read; `SQLiteError` if the file is not a database.
    convenience init(_ path: String, _ entry: SQLiteTables.Entry, limits: Limits = Limits()) throws {
        try self.init(Connection(path: path, mode: .readOnly), entry, limits: limits)
    }

    init(_ connection: Connection, _ entry: SQLiteTables.Entry, limits: Limits = Limits()) throws {
        (columns, keyColumn, statement) = try Self.prepare(connection, entry, limits)
        (self.connection, self.entry, self.limits) = (connection, entry, limits)
    }

    private static func prepare(
        _ connection: Connection,
        _ entry: SQLiteTables.Entry,
        _ limits: Limits
    ) throws -> (columns: [String], keyColumn: Int?, statement: Statement) {
        do throws(SQLiteError) {
            if entry.isView { try connection.allowViews(valueSize: limits.valueSize) }
            let columns = try connection.texts("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", entry.name)
            let keys = try connection.texts("SELECT cid FROM pragma_table_xinfo(?) WHERE hidden <> 1 AND pk > 0", entry.name)
            let places = try connection.texts("SELECT cid FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", entry.name)
            // A view of which SQLite does not know the columns says what is wrong when it is prepared.
            let list = columns.isEmpty ? "*" : columns.map { $0.quotedIdentifier }.joined(separator: ", ")
            let statement = try connection.prepare("SELECT \(list) FROM \(entry.name.quotedIdentifier)")
            return (columns, keys.count == 1 ? places.firstIndex(of: keys[0]) : nil, statement)
        } catch {
            guard entry.isView, !error.isNotADatabase else { throw error }
            throw Failure(
                .badData,
                "the view \"\(entry.name)\" cannot be read: \(error.message)",
                hint: "Import the file without its views with --no-views, or single tables with --table NAME."
            )
        }
    }

    deinit {
        statement.finalize()
        connection.closeLoggingErrors()
    }

    /// Moves to the next row. Returns `false` if there is none.
    ///
    /// - Throws: ``Stopped`` if a view exceeds a limit; `SQLiteError`.
    func next() throws -> Bool {
        guard entry.isView else { return try statement.step() }
        let (start, time) = (ContinuousClock.now, limits.time)
        let hasRow = try connection.reportingSteps { _ in
            guard ContinuousClock.now - start <= time else {
                throw Stopped("the view takes longer than \(time.components.seconds) seconds for a row")
            }
        } _: {
            try statement.step()
        }
        guard hasRow else { return false }
        count += 1
        guard count <= limits.rows else { throw Stopped("the view has more than \(limits.rows.grouped) rows") }
        return true
    }

    /// The reason why a view was not read to its end.
    struct Stopped: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }
}
