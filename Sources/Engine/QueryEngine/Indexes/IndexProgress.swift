import DocumentStore
import SQLiteEngine

/// Reports how far the creation of an index has got, as a number of documents.
///
/// SQLite tells only how many steps it has taken. The number of documents is the same share of all as these steps are of the estimated ones.
struct IndexProgress {
    /// Called on the thread that creates the index, with the number of documents and that of all; it may throw to stop.
    typealias Report = (Int, _ total: Int) throws -> Void

    /// Nobody wants to know.
    static var none: IndexProgress { IndexProgress(rows: 0, report: nil) }

    private let rows: Int
    private let report: Report?
    /// The part of the work that the next statement does: from 0 to 1 for all of it.
    private var part = 0.0...1.0

    private init(rows: Int, report: Report?) {
        (self.rows, self.report) = (rows, report)
    }

    init(of tables: CollectionTables, on connection: Connection, _ report: @escaping Report) throws {
        let highest = try connection.scalar("SELECT max(rowid) FROM \(tables.liveName.quotedIdentifier)") ?? 0
        self.init(rows: Int(clamping: min(max(highest, 0), Int64(Int32.max))), report: report)
    }

    var isWanted: Bool { report != nil && rows > 0 }

    /// Returns the progress of one of several statements that take about the same time.
    func statement(_ number: Int, of count: Int) -> IndexProgress {
        var progress = self
        progress.part = Double(number) / Double(max(count, 1))...Double(number + 1) / Double(max(count, 1))
        return progress
    }

    /// Reports a share of the statement.
    func reached(_ share: Double) throws {
        let all = part.lowerBound + (part.upperBound - part.lowerBound) * min(max(share, 0), 1)
        try report?(Int(all * Double(rows)), rows)
    }

    /// Executes a statement that reads all documents.
    func execute(_ sql: String, on connection: Connection) throws {
        guard isWanted, let total = try? Double(StepEstimate.steps(of: sql, on: connection)) else { return try connection.execute(sql) }
        try connection.reportingSteps {
            try reached(Double($0) / total)
        } _: {
            try connection.execute(sql)
        }
    }
}
