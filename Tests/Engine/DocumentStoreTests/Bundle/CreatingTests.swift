import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("New databases")
struct CreatingTests {
    @Test("a new database has the tables, indexes and settings of release 3.2.2")
    func schema() throws {
        let database = try TestDatabase()
        #expect(try database.scalar("PRAGMA user_version") == 503)
        #expect(try database.scalar("PRAGMA auto_vacuum") == 2)
        #expect(try database.scalar("PRAGMA page_size") == 4096)
        #expect(try database.text("PRAGMA journal_mode") == "wal")
        #expect(try database.text("PRAGMA encoding") == "UTF-8")
        #expect(
            try database.texts("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name") == [
                "kv_default", "kv_default_expiration", "kv_del_default", "kv_del_default_expiration", "kv_info",
                "kv_info_expiration", "kvmeta",
            ]
        )
        for table in ["kv_default", "kv_del_default", "kv_info"] {
            #expect(
                Set(try database.texts("SELECT name FROM pragma_table_info('\(table)')")) == [
                    "key", "sequence", "flags", "version", "body", "expiration", "extra",
                ]
            )
            #expect(
                try database.text("SELECT sql FROM sqlite_master WHERE name = '\(table)_expiration'")?
                    .hasSuffix("(expiration) WHERE expiration not null") == true
            )
        }
        #expect(try database.text("SELECT sql FROM sqlite_master WHERE name = 'kvmeta'")?.hasSuffix("WITHOUT ROWID") == true)
        #expect(try database.scalar("SELECT count(*) FROM kvmeta") == 0)
        try database.checkAndClose()
    }

    @Test("a new database rejects SQL that would tamper with the schema")
    func defensive() throws {
        let database = try TestDatabase()
        #expect(throws: SQLiteError.self) {
            try database.file.transaction { writer in
                try writer.connection.execute("PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql = sql")
            }
        }
        try database.checkAndClose()
    }

    @Test("a new database records its versioning, and has two random UUIDs")
    func info() throws {
        let (one, other) = (try TestDatabase(), try TestDatabase())
        #expect(try one.texts("SELECT key FROM kv_info ORDER BY key") == ["privateUUID", "publicUUID", "versioning"])
        #expect(try one.text("SELECT hex(body) FROM kv_info WHERE key = 'versioning'") == "0000000000000001")
        var seen: Set<String> = []
        for database in [one, other] {
            for uuid in try database.texts("SELECT hex(body) FROM kv_info WHERE key GLOB '*UUID'") {
                let bytes = hex(uuid)
                #expect(bytes.count == 16)
                #expect(bytes[6] >> 4 == 4)
                #expect(bytes[8] >> 6 == 0b10)
                seen.insert(uuid)
            }
        }
        #expect(seen.count == 4)
    }

    @Test("threads that open the same new database concurrently share one file")
    func together() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("shared.cblite2")
        let files = try await withThrowingTaskGroup(of: DatabaseFile.self) { group in
            for _ in 0..<8 { group.addTask { try DatabaseRegistry.open(path) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(files.allSatisfy { $0 === files[0] })
        for file in files { try DatabaseRegistry.close(file) }
        #expect(throws: StoreError.self) { try files[0].transaction { _ in } }
    }
}
