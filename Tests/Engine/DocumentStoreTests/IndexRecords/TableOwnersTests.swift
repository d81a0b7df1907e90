import SQLiteEngine
import Testing

@testable import DocumentStore

@Suite("Owners of index tables")
struct TableOwnersTests {
    @Test("a table of array elements belongs to the collection at the end of its triggers, and a circle of triggers to none")
    func owners() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        defer { try? connection.close() }
        let triggers = [("level1", #"kv_.shop.\Items"#), ("level2", "level1"), ("x", "y"), ("y", "x")]
        for name in [#"kv_.shop.\Items"#, "level1", "level2", "x", "y", "alone"] {
            try connection.execute("CREATE TABLE \(name.quotedIdentifier) (body)")
        }
        for (table, parent) in triggers {
            let name = "\(table)::ins".quotedIdentifier
            try connection.execute("CREATE TRIGGER \(name) AFTER INSERT ON \(parent.quotedIdentifier) BEGIN SELECT 1; END")
        }
        let owners = try TableOwners(on: connection)
        for table in [#"kv_.shop.\Items"#, "level1", "level2"] { #expect(owners.store(of: table) == ".shop.Items") }
        for table in ["x", "y", "alone", "missing"] { #expect(owners.store(of: table) == nil) }
    }
}
