import DocumentStore
import Foundation
import QueryEngine
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@Suite("Indexes in files of other releases")
struct IndexInteroperationTests {
    @Test("indexes of a file without a registry are listed and later registered")
    func unregistered() throws {
        let database = try QueryDatabase()
        let collection = try database.collection()
        try database.file.transaction { writer in
            try writer.connection.execute(
                """
                CREATE INDEX "byN" ON "kv_default" (fl_value(body, 'n'), fl_value(body, 'it''s'));
                CREATE INDEX "kv_default_blobs" ON "kv_default" (flags) WHERE (flags & 4) != 0
                """
            )
        }
        func listed() throws -> [String] {
            try database.indexes.indexes(of: collection).map { "\($0.name) \($0.expressions) \($0.isSQL)" }
        }
        let old = #"byN [[".n"],[".it's"]] false"#
        #expect(try listed() == [old])
        try database.indexes.create(IndexDefinition(name: "new", text: "s"), on: collection)
        #expect(try listed() == [old, "new s true"])
        // The statement of 2.x has other quotation marks, so the index is replaced once.
        try database.indexes.create(IndexDefinition(name: "byN", text: "n, `it's`"), on: collection)
        #expect(try listed() == ["byN n, `it's` true", "new s true"])
        try database.indexes.delete("byN", on: collection)
        #expect(try listed() == ["new s true"])
    }

    @Test("an index of a file without a registry is listed even if its name looks like that of an internal index")
    func misleadingName() throws {
        let database = try QueryDatabase()
        try database.file.transaction { writer in
            for (name, column) in [("kv_my_blobs", "fl_value(body, 'n')"), ("kv_default_blobs", "flags")] {
                try writer.connection.execute("CREATE INDEX \(name) ON kv_default (\(column))")
            }
        }
        #expect(try database.indexes.indexes(of: database.collection()).map(\.name) == ["kv_my_blobs"])
    }

    @Test(
        "indexes can be created, used and deleted in files of every release",
        arguments: ["travel-sample", "v2.7", "v2.8", "v3.0-names-deleted", "wal"]
    )
    func interoperation(name: String) throws {
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(RealDatabase.url(name))
        let before = try DatabaseChecker.check(copy).problems
        func open(_ work: (QueryDatabase) throws -> Void) throws {
            let database = try QueryDatabase(path: copy.path, directory: directory)
            try work(database)
        }
        try open { database in
            let collection = try database.collection()
            try database.indexes.create(IndexDefinition(name: "byName", text: "name, lower(type)"), on: collection)
            try database.indexes.create(
                IndexDefinition(name: "Some", text: "name", condition: "type LIKE 'air%' AND name IS NOT MISSING"),
                on: collection
            )
            try database.indexes.create(
                IndexDefinition(name: "flights", kind: .array(path: "schedule"), text: "day, flight"),
                on: collection
            )
            try database.save("written", #"{"name":"New","schedule":[{"day":9,"flight":"X1"}]}"#)
            #expect(
                try database.rows("SELECT d.name FROM _ AS d UNNEST d.schedule AS s WHERE s.day = 9 AND s.flight = 'X1'")
                    == [#""New""#]
            )
            #expect(try database.rows("SELECT name FROM _ WHERE name = 'New'") == [#""New""#])
        }
        #expect(try DatabaseChecker.check(copy).problems == before)
        try open { database in
            let collection = try database.collection()
            #expect(try database.indexes.indexes(of: collection).map(\.name) == ["Some", "byName", "flights"])
            try database.delete("written")
            for index in try database.indexes.indexes(of: collection) {
                try database.indexes.delete(index.name, on: collection)
            }
            #expect(try database.file.read { try $0.connection.scalar("SELECT count(*) FROM indexes") } == 0)
        }
        #expect(try DatabaseChecker.check(copy).problems == before)
    }
}
