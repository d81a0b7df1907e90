import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Testing

/// Indexes with tables that are missing, or that are none of this library: their triggers would refuse every change of a document.
@Suite("Broken indexes")
struct BrokenIndexTests {
    enum Kind: String, CaseIterable {
        case fullText, predictive, array
        /// An index with two tables, of which the one that is filled from the documents, or the other one is replaced.
        case outerArray, innerArray
    }

    enum Damage: String, CaseIterable {
        case isMissing, hasUnknownModule, cannotBeRead, hasOtherColumns
    }

    private let model = TestModel.statistics()
    private let database: QueryDatabase

    init() throws {
        database = try QueryDatabase()
        for n in 0..<4 { try save("d\(n)", n) }
    }

    private func save(_ id: String, _ n: Int) throws {
        try database.save(id, #"{"numbers":[\#(n),1],"text":"word \#(n)","lists":[{"items":[\#(n)]}]}"#)
    }

    private func create(_ kind: Kind) throws {
        switch kind {
        case .fullText: try database.createFullTextIndex("text", named: "broken")
        case .predictive: try database.createPredictiveIndex("broken", model, "sum")
        case .array: try createArrayIndex("numbers")
        case .outerArray, .innerArray: try createArrayIndex("lists[].items")
        }
    }

    private func createArrayIndex(_ path: String) throws {
        try database.indexes.create(IndexDefinition(name: "broken", kind: .array(path: path), text: ""), on: database.collection())
    }

    /// The names of the index tables with triggers on the documents, or on another index table.
    private func tables() throws -> [String] {
        let triggers = try database.file.read {
            try $0.connection.texts(
                "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%::ins' ORDER BY tbl_name = 'kv_default'"
            )
        }
        return triggers.map { String($0.dropLast("::ins".count)) }
    }

    /// Puts another table in the place of a table.
    private func replace(_ table: String, _ damage: Damage) throws {
        try database.file.transaction { try $0.connection.execute("DROP TABLE \"\(table)\"") }
        let words = try VectorDatabase(database)
        switch damage {
        case .isMissing: try words.execute("CREATE TABLE other (x)")
        case .hasOtherColumns: try words.execute("CREATE TABLE \"\(table)\" (other)")
        case .hasUnknownModule: try addTable(table, "other(x)", words)
        case .cannotBeRead: try addTable(table, "fts4(x, tokenize=unknown)", words)
        }
    }

    private func addTable(_ name: String, _ module: String, _ words: VectorDatabase) throws {
        try OriginalVectorFile(words: words).addTable(name, creation: "CREATE VIRTUAL TABLE \"\(name)\" USING \(module)")
    }

    private func problems() throws -> [String] {
        let collection = try database.collection()
        return try database.file.read { context in try database.file.options.indexes?.check(collection, context).map(\.description) ?? [] }
    }

    @Test(
        "an index whose table is missing or strange refuses no change, is reported, and can be created again",
        arguments: Kind.allCases,
        Damage.allCases
    )
    func changes(_ kind: Kind, _ damage: Damage) throws {
        try create(kind)
        // The last one is filled from the documents.
        let tables = try self.tables()
        try replace(try #require(kind == .innerArray ? tables.first : tables.last), damage)
        #expect(try problems().contains { $0.contains("broken") })
        try save("new", 7)
        try save("d0", 8)
        try database.delete("d1")
        try database.purge("d2")
        #expect(try database.rows("SELECT meta().id FROM _ ORDER BY meta().id") == [#""d0""#, #""d3""#, #""new""#])
        #expect(try problems().contains { $0.contains("broken") })
        // The outer table of the inner one is in order.
        #expect(try self.tables().count == (kind == .innerArray ? 1 : 0))
        try database.indexes.delete("broken", on: database.collection())
        #expect(try problems() == [])
        // A table that SQLite cannot read cannot be dropped.
        if damage == .cannotBeRead { return }
        try create(kind)
        #expect(try problems() == [])
        try save("newer", 9)
        #expect(try problems() == [])
        if kind == .fullText { #expect(try database.ids(matching: "word", index: "broken") == ["d0", "d3", "new", "newer"]) }
    }

    @Test("an index whose table is in order is kept beside one whose table is not")
    func others() throws {
        try create(.fullText)
        try database.createFullTextIndex("text", named: "sound")
        try replace("kv_default::broken", .isMissing)
        try save("new", 7)
        #expect(try tables() == ["kv_default::sound"])
        #expect(try database.ids(matching: "word", index: "sound").count == 5)
    }

    @Test("an index that has triggers on tombstones alone refuses no change if its table is missing")
    func onTombstones() throws {
        try VectorDatabase(database).execute(
            """
            CREATE TRIGGER "kv_default::broken::ins" AFTER INSERT ON kv_del_default BEGIN
            INSERT INTO "kv_default::broken" VALUES (new.key); END
            """
        )
        try save("new", 7)
        try database.delete("d1")
        #expect(try tables() == [])
    }

    @Test("a change that a function of an index refuses removes no index")
    func refusedByModel() throws {
        let unregistered = TestModel.statistics()
        try database.createPredictiveIndex("broken", unregistered, "sum")
        unregistered.unregister()
        try VectorDatabase(database).execute("CREATE TABLE other (x)")
        #expect(throws: (any Error).self) { try save("new", 7) }
        #expect(try tables().count == 1)
    }
}
