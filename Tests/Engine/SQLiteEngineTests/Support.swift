import SQLiteEngine
import Testing

/// The error that `body` throws, which must be a `SQLiteError`.
func sqliteError(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws -> SQLiteError {
    try #require(throws: SQLiteError.self, sourceLocation: sourceLocation) { try body() }
}

extension Connection {
    static func inMemory() throws -> Connection {
        try Connection(path: ":memory:", mode: .create)
    }

    /// The first column of all rows, each as text (`"NULL"` for NULL).
    func column(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        var values: [String] = []
        while try statement.step() { values.append(statement.optionalText(at: 0) ?? "NULL") }
        return values
    }
}

/// A counter that C function pointers can access through user data.
final class Counter {
    var count = 0
}
