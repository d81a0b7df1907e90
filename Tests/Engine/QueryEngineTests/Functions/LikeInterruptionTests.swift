import DocumentStore
import QueryLanguage
import SQLiteEngine
import Testing

@testable import QueryEngine

@Suite("Interruption of text comparisons")
struct LikeInterruptionTests {
    /// A part of a pattern that is too long for SQLite's own LIKE.
    private static let part = String(repeating: "a", count: 40) + "b"

    private static let conditions = [
        "s LIKE '%\(part)%'", "s LIKE p", "s LIKE '%' || $tail", "s LIKE $pattern", "NOT (s LIKE '%\(part)c%')",
        "EVERY x IN [s] SATISFIES x LIKE p END", "(s LIKE $pattern) COLLATE (UNICODE NOCASE)", "contains(s, '\(part)')",
    ]

    /// Returns the number of rows of a query for a long text.
    ///
    /// - Parameter isInterrupted: Whether the functions see an interruption. SQLite forgets it when the statement starts, as if the
    ///   interruption came while the function of the last row is running.
    private func count(_ condition: String, isInterrupted: Bool) throws -> Int {
        let database = try QueryDatabase()
        let text = "x" + String(repeating: "a", count: 5000) + Self.part
        try database.save("doc", #"{"s":"\#(text)","p":"%\#(Self.part)%"}"#)
        let query = try database.prepare("SELECT meta().id FROM _ WHERE \(condition)")
        let values = ["tail": "\(Self.part)%", "pattern": "%\(Self.part)%", "short": "x%"]
        let members = query.compiled.parameterNames.map { #""\#($0)":"\#(values[$0] ?? "")""# }
        let parameters = try QueryParameters(json: "{\(members.joined(separator: ","))}")
        return try database.file.read { context in
            if isInterrupted {
                // Without a snapshot no statement is running, so SQLite itself does not interrupt the next one.
                context.connection.endSnapshot()
                context.connection.handle.interrupt()
            }
            defer { context.connection.handle.clearInterruption() }
            return try query.rows(on: database.file, context, parameters: parameters, cancellation: nil).count
        }
    }

    @Test("a comparison of a long text with a pattern that takes long fails when the query is interrupted", arguments: conditions)
    func interrupted(condition: String) throws {
        #expect(try count(condition, isInterrupted: false) == 1)
        let error = #expect(throws: SQLiteError.self) { try count(condition, isInterrupted: true) }
        #expect(error?.isInterrupted == true)
    }

    @Test("short patterns, which SQLite compares itself, are not interrupted inside of a row", arguments: ["s LIKE 'x%'", "s LIKE $short"])
    func short(condition: String) throws {
        #expect(try count(condition, isInterrupted: true) == 1)
    }
}
