import QueryEngine
import QueryLanguage
import TestSupport
import Testing

@Suite("Counts of changed documents")
struct UpdateCountTests {
    private func run(_ text: String) throws -> (changed: Int, skipped: Int, rows: [String], documents: [String]) {
        let database = try QueryDatabase()
        try database.save("array", #"{"a":[1,2],"s":"text","n":null}"#)
        try database.save("long", #"{"a":[0,1,2,3,4,5,6,7,8,9],"s":{"t":0}}"#)
        let before = try database.rows("SELECT meta().id, meta().sequence FROM _")
        let outcome = try #require(try SQLPlusPlus.parseDataStatement(text)).run(on: database.file, databaseName: "db")
        let after = try database.rows("SELECT meta().id, meta().sequence FROM _")
        let documents = after.filter { !before.contains($0) }.compactMap { $0.split(separator: " ").first.map(String.init) }
        return (outcome.count, outcome.skippedCount, try (0..<outcome.rows.count).map { try outcome.rows.json($0) }, documents.sorted())
    }

    @Test(
        "a document in which an UPDATE has no effect gets no revision and is counted as skipped",
        arguments: [
            ("SET a[9] = 5", [#""long""#]), ("SET s.t = 1", [#""long""#]), ("SET a[9] = 5, s.t = 1", [#""long""#]),
            ("SET a[9] = 5, b = 1", [#""array""#, #""long""#]), ("SET n.x = 1", [#""array""#, #""long""#]), ("UNSET nothing", []),
            ("UNSET n", [#""array""#]), ("SET nothing = MISSING", []), ("SET s = s", [#""array""#, #""long""#]),
            ("UNSET a[-3]", [#""long""#]),
            ("UNSET s.t.u", []),
        ]
    )
    func skipped(change: String, documents: [String]) throws {
        let outcome = try run("UPDATE _ \(change) RETURNING meta().id")
        #expect(outcome.documents == documents)
        #expect(outcome.changed == documents.count)
        #expect(outcome.skipped == 2 - documents.count)
        #expect(outcome.rows.sorted() == documents)
    }

    @Test("other statements skip no documents")
    func others() throws {
        #expect(try run("DELETE FROM _").skipped == 0)
        #expect(try run("INSERT INTO _ (KEY, VALUE) VALUES ('x', {})").skipped == 0)
    }
}
