import Floor

/// Where the floor runs: one SQLite file that stays, with the rows of our database and the same documents as JSON text, and one
/// that is made anew.
final class FloorStage {
    let stage: Stage
    /// The file that stays: the table of records and the table of JSON text.
    let file: String
    /// The file a workload makes for itself.
    let freshFile: String
    private let documentsFile: String
    private var loadedRows: OpaquePointer?

    init(_ stage: Stage) {
        self.stage = stage
        file = "\(stage.directory)/floor.sqlite3"
        freshFile = "\(stage.directory)/floor-fresh.sqlite3"
        documentsFile = stage.documentsFile
    }

    var documents: Int { stage.documents }

    deinit {
        if let loadedRows { floor_rows_free(loadedRows) }
    }

    /// The rows of our own database, read on first use.
    var rows: OpaquePointer {
        get throws {
            if loadedRows == nil { loadedRows = floor_rows_load(documentsFile) }
            guard let loadedRows, Int(floor_rows_count(loadedRows)) == documents else {
                throw WorkloadError.wrongResult("the floor does not have the rows of \(documents) documents")
            }
            return loadedRows
        }
    }

    /// Makes the file that stays.
    func prepare() throws {
        _ = floor_insert_batch(file, try rows)
        floor_json_fill(file, try rows)
    }

    /// Times a query on the JSON text, which must give so many rows.
    func query(_ sql: String, rows expected: Int) throws -> Double {
        var rows: Int32 = 0
        let seconds = floor_json_query(file, sql, &rows)
        try expect(Int(rows), toBe: expected, "rows of the floor")
        return seconds
    }

    /// Does the work while the JSON text has an index over `expression`.
    func withIndex<T>(_ name: String, on expression: String, _ work: () throws -> T) rethrows -> T {
        _ = floor_json_create_index(file, name, expression)
        defer { floor_json_drop_index(file, name) }
        return try work()
    }
}
