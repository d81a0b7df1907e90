import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Files of earlier releases")
struct UpgradeTests {
    static let versions = [201, 301, 302, 400, 500, 501, 502, 503, 504, 599]

    private func open(_ version: Int, extraSQL: String = "", readOnly: Bool = false) throws -> TestDatabase {
        var options = DatabaseFile.Options()
        options.isReadOnly = readOnly
        return try TestDatabase(options: options) { try OldFile.make(version, at: $0, extraSQL: extraSQL) }
    }

    @Test("files of earlier releases can be opened read-only without being changed", arguments: versions)
    func readOnly(_ version: Int) throws {
        let database = try open(version, readOnly: true)
        #expect(database.file.version.number == version)
        #expect(try database.json("old") == "{}")
        #expect(try database.collection().count() == 1)
        #expect(try database.collection().deletedCount() == 0)
        #expect(try database.collection().lastSequence() == 1)
        #expect(try database.collection().nextExpiration() == nil)
        #expect(try database.collection().history(of: "old")?.count == 1)
        #expect(try database.scalar("PRAGMA user_version") == Int64(version))
    }

    @Test("files of earlier releases are upgraded when opened for writing, and accept all kinds of changes", arguments: versions)
    func writable(_ version: Int) throws {
        let database = try open(version)
        #expect(database.file.versionFound.number == version)
        #expect(database.file.version.number == max(version, 503))
        for table in ["kv_default", "kv_del_default", "kv_info"] {
            let columns = Set(try database.texts("SELECT name FROM pragma_table_info('\(table)')"))
            #expect(columns.isSuperset(of: ["key", "sequence", "flags", "version", "body", "extra"]))
            if table != "kv_info" { #expect(columns.contains("expiration")) }
        }
        #expect(try database.save("old", #"{"n":1}"#).revision?.generation == 2)
        #expect(try database.scalar("SELECT extra IS NOT NULL FROM kv_default WHERE key = 'old'") == 1)
        try database.save("new", #"{"n":2}"#)
        try database.delete("old")
        #expect(try database.scalar("SELECT count(*) FROM kv_del_default WHERE key = 'old'") == 1)
        try database.save("old", #"{"n":3}"#)
        #expect(try database.json("old") == #"{"n":3}"#)
        let id = try CollectionID(name: "Hotels", scope: "Travel")
        _ = try database.file.createCollection(id)
        try database.save("h", #"{"n":4}"#, in: id)
        try database.purge("new")
        #expect(try database.scalar("SELECT lastSeq FROM kvmeta WHERE name = 'default'") == 5)
        try database.checkAndClose()
    }

    @Test("an upgrade that was interrupted after any step is continued", arguments: [302, 400, 501, 502])
    func interrupted(_ reached: Int) throws {
        let indexes = """
            CREATE TABLE indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT,
                indexTableName TEXT);
            """
        let database = try TestDatabase { bundle in
            try OldFile.make(301, at: bundle, extraSQL: indexes)
            let steps: [(Int, String)] = [
                (302, "ALTER TABLE kvmeta ADD COLUMN purgeCnt INTEGER DEFAULT 0"),
                (400, "ALTER TABLE kv_default ADD COLUMN extra BLOB; ALTER TABLE kv_info ADD COLUMN extra BLOB"),
                (501, "ALTER TABLE indexes ADD COLUMN lastSeq TEXT"),
                (502, "ALTER TABLE kv_default ADD COLUMN expiration INTEGER; ALTER TABLE kv_info ADD COLUMN expiration INTEGER"),
            ]
            for (version, sql) in steps where version <= reached {
                try TestDatabase.sql("BEGIN; \(sql); PRAGMA user_version=\(version); COMMIT", on: bundle)
            }
        }
        #expect(database.file.versionFound.number == reached)
        #expect(try database.scalar("PRAGMA user_version") == 503)
        let columns = try database.texts("SELECT name FROM pragma_table_info('indexes')")
        #expect(columns.contains("lastSeq"))
        #expect(columns.contains("whereClause"))
        try database.save("old", #"{"n":1}"#)
        try database.checkAndClose()
    }

    @Test("opening a 5xx file adds missing tables, columns, settings and UUIDs")
    func completed() throws {
        let columns =
            "key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB, extra BLOB"
        let database = try open(
            500,
            extraSQL: """
                DROP TABLE kv_del_default;
                CREATE TABLE "kv_.people" (\(columns), expiration INTEGER);
                CREATE TABLE "kv_del_.people" (\(columns));
                CREATE TABLE "kv_.Old" (\(columns));
                UPDATE kv_info SET body = x'0000000000000000' WHERE key = 'versioning';
                DELETE FROM kv_info WHERE key = 'publicUUID';
                UPDATE kv_info SET body = x'00' WHERE key = 'privateUUID';
                """
        )
        let people = try CollectionID(name: "people")
        // A table whose capital letters are not marked is not the table of the collection.
        #expect(try database.file.collectionIDs() == [.default, people])
        for table in ["kv_del_default", "kv_del_.people"] {
            let names = try database.texts("SELECT name FROM pragma_table_info('\(table)')")
            #expect(names.contains("expiration"), "\(table)")
            #expect(try database.scalar("SELECT 1 FROM sqlite_master WHERE name = '\(table)_expiration'") == 1)
        }
        #expect(try database.text("SELECT hex(body) FROM kv_info WHERE key = 'versioning'") == "0000000000000001")
        #expect(try database.scalar("SELECT count(*) FROM kv_info WHERE key GLOB '*UUID' AND length(body) = 16") == 2)
        try database.save("p", #"{"a":1}"#, in: people)
        try database.delete("p", in: people)
        // The table is not changed, but the checker correctly reports it.
        try database.sql(#"DROP TABLE "kv_.Old""#)
        try database.checkAndClose()
    }

    @Test("an upgrade keeps unknown tables, rows and settings")
    func unknown() throws {
        let database = try open(
            302,
            extraSQL: """
                CREATE TABLE kv_mine (key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER, version BLOB, body BLOB);
                INSERT INTO kv_mine VALUES ('k', NULL, 0, NULL, x'0102');
                CREATE TABLE other (x); INSERT INTO other VALUES (42);
                INSERT INTO kv_info (key, body) VALUES ('future', x'CAFE');
                """
        )
        try database.save("old", #"{"n":1}"#)
        try database.file.compact()
        try database.reopen()
        #expect(try database.scalar("SELECT x FROM other") == 42)
        #expect(try database.text("SELECT hex(body) FROM kv_mine WHERE key = 'k'") == "0102")
        #expect(try database.text("SELECT hex(body) FROM kv_info WHERE key = 'future'") == "CAFE")
        try database.checkAndClose()
    }

    @Test("a file with an index table of an unknown SQLite module can be read and written")
    func unknownModules() throws {
        let database = try open(
            302,
            extraSQL: """
                PRAGMA writable_schema=ON;
                INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'kv_default::fts',
                    'kv_default::fts', 0, 'CREATE VIRTUAL TABLE "kv_default::fts" USING unheardof (x)');
                PRAGMA writable_schema=OFF;
                """
        )
        #expect(try database.json("old") == "{}")
        try database.save("old", #"{"n":1}"#)
        try database.file.optimize(completely: true)
        #expect(try database.json("old") == #"{"n":1}"#)
    }

    @Test("a file with other page sizes and no write-ahead log keeps its settings and can be written")
    func settings() throws {
        let database = try TestDatabase { bundle in
            try OldFile.make(503, at: bundle)
            try TestDatabase.sql("PRAGMA journal_mode=DELETE; PRAGMA page_size=1024; PRAGMA auto_vacuum=0; VACUUM", on: bundle)
        }
        try database.save("old", #"{"n":1}"#)
        try database.reopen()
        #expect(try database.scalar("PRAGMA page_size") == 1024)
        #expect(try database.text("PRAGMA journal_mode") == "delete")
        #expect(try database.scalar("PRAGMA auto_vacuum") == 0)
        #expect(try database.json("old") == #"{"n":1}"#)
        try database.file.compact()
        try database.reopen()
        #expect(try database.scalar("PRAGMA auto_vacuum") == 2)
        try database.checkAndClose()
    }
}
