import DocumentStore
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text index rebuilding")
struct IndexRebuildingTests {
    @Test("a rebuilt full-text index keeps its options and condition and has all its rows and triggers again")
    func fullText() throws {
        let database = try QueryDatabase()
        let collection = try database.collection("Shop.hotels")
        try database.save("a", #"{"s":"Running water","n":1}"#, in: "Shop.hotels")
        try database.save("b", #"{"s":"They run","n":2}"#, in: "Shop.hotels")
        try database.save("c", #"{"s":"a run","n":0}"#, in: "Shop.hotels")
        let options = FullTextIndexOptions(language: "en", ignoresAccents: true)
        try database.indexes.create(IndexDefinition(name: "Words", kind: .fullText(options), text: "s", condition: "n > 0"), on: collection)
        let query = "SELECT meta().id FROM Shop.hotels WHERE match(Words, 'runs') ORDER BY meta().id"
        let found = try database.rows(query)
        #expect(found == [#""a""#, #""b""#])
        func schema() throws -> [String] {
            try database.file.read { context in
                let statement = try context.connection.prepare("SELECT sql FROM sqlite_master ORDER BY name")
                defer { statement.finalize() }
                var found: [String] = []
                while try statement.step() { found.append(statement.text(at: 0)) }
                return found
            }
        }
        let before = try schema()
        let table = try #require(try database.indexes.indexes(of: collection).first?.table)
        try database.file.transaction { writer in
            try writer.connection.execute("DELETE FROM \"\(table)\"; DROP TRIGGER \"\(table)::ins\"")
        }
        #expect(try database.rows(query) == [])
        try database.indexes.rebuild()
        #expect(try database.rows(query) == found)
        #expect(try schema() == before)
        try database.save("d", #"{"s":"run away","n":5}"#, in: "Shop.hotels")
        #expect(try database.rows(query).count == 3)
    }
}
