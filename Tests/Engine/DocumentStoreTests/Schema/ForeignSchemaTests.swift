import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Foreign objects in the schema")
struct ForeignSchemaTests {
    /// A closed database with two documents, in which `sql` was executed.
    private func database(with sql: String) throws -> TestDatabase {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.save("b", #"{"n":2}"#)
        try database.close()
        try database.sql(sql)
        return database
    }

    private func open(_ database: TestDatabase, isReadOnly: Bool) throws -> DatabaseFile {
        var options = DatabaseFile.Options()
        options.isReadOnly = isReadOnly
        return try DatabaseRegistry.open(database.bundle.path, options: options)
    }

    @Test(
        "a trigger that changes documents never runs, and is removed when the database is first opened for writing",
        arguments: [
            "AFTER INSERT ON kv_default BEGIN DELETE FROM kv_default; END",
            "AFTER UPDATE ON kvmeta BEGIN DELETE FROM kv_default; END",
            "AFTER INSERT ON KV_DEFAULT BEGIN DELETE FROM kv_default; END",
            "AFTER INSERT ON kv_info BEGIN DELETE FROM kv_default; END",
        ]
    )
    func trigger(_ text: String) throws {
        // A name like those of the format makes no difference.
        for name in ["mine", "kv_default::x::ins", "it is \"quoted\""] {
            let database = try database(with: "CREATE TRIGGER \(name.quotedIdentifier) \(text)")
            let reading = try open(database, isReadOnly: true)
            let findings = try BundleChecker(reading).findings()
            #expect(findings.map(\.subject) == [name])
            #expect(findings.first?.message.contains("trigger of another program") == true)
            try DatabaseRegistry.close(reading)
            try database.reopen()
            #expect(database.file.removedTriggers == [name])
            try database.save("c", #"{"n":3}"#)
            #expect(try database.collection().count() == 3)
            try database.checkAndClose()
        }
    }

    @Test("a foreign trigger does not run while an old file is upgraded")
    func upgrade() throws {
        let database = try database(
            with: """
                PRAGMA user_version=500; DELETE FROM kv_info WHERE key = 'publicUUID';
                CREATE TRIGGER mine AFTER INSERT ON kv_info BEGIN DELETE FROM kv_default; END
                """
        )
        try database.reopen()
        #expect(try database.collection().count() == 2)
        try database.checkAndClose()
    }

    // The second begins with a Kelvin sign.
    @Test("a trigger on a table of another program is kept", arguments: ["other", "\u{212A}v_default"])
    func otherTables(_ table: String) throws {
        let database = try database(
            with: "CREATE TABLE \(table) (x); CREATE TRIGGER mine AFTER INSERT ON \(table) BEGIN DELETE FROM \(table); END"
        )
        try database.reopen()
        #expect(try database.scalar("SELECT count(*) FROM sqlite_master WHERE name = 'mine'") == 1)
        #expect(try BundleChecker(database.file).findings() == [])
    }

    @Test("a view in the place of a table is rejected when the database is opened", arguments: [false, true])
    func viewForTable(_ isReadOnly: Bool) throws {
        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'x' AS key, i AS body FROM n"
        for name in ["kv_info", "KV_Info", "kv_del_default", "indexes", "kv_.people"] {
            let database = try database(with: "DROP TABLE IF EXISTS \"\(name)\"; CREATE VIEW \"\(name)\" AS \(endless)")
            let error = #expect(throws: StoreError.self) { try open(database, isReadOnly: isReadOnly) }
            #expect(error?.code == 21)
            #expect(error?.description.contains("\"\(name)\" in it is a view") == true)
        }
    }

    @Test("any other view is kept, and reported by a check, but reading it throws an error")
    func otherView() throws {
        let database = try database(
            with: "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        )
        try database.reopen()
        #expect(throws: SQLiteError.self) { try database.scalar("SELECT count(*) FROM v") }
        #expect(try BundleChecker(database.file).findings().map(\.subject) == ["v"])
        #expect(try database.scalar("SELECT count(*) FROM sqlite_master WHERE name = 'v'") == 1)
    }

    @Test("a virtual table in the place of a table of documents is rejected")
    func virtualTable() throws {
        let database = try database(with: #"CREATE VIRTUAL TABLE "kv_.people" USING fts4(key, body)"#)
        let error = #expect(throws: StoreError.self) { try database.reopen() }
        #expect(error?.description.contains("virtual table") == true)
    }

    @Test(
        "a table of the format with an expression or a constraint of another program is rejected, and the error names the table",
        arguments: [
            ("kv_default", "ALTER TABLE kv_default ADD COLUMN x AS (hex(body))"),
            ("kv_info", "ALTER TABLE kv_info ADD COLUMN x GENERATED ALWAYS AS (hex(body)) VIRTUAL"),
            ("kv_info", "ALTER TABLE kv_info ADD COLUMN x/* */AS--\n(1)"),
            ("kvmeta", "ALTER TABLE kvmeta ADD COLUMN x CHECK (x IS NULL)"),
            ("kv_del_default", "ALTER TABLE kv_del_default ADD COLUMN x REFERENCES kv_default (rowid) ON DELETE CASCADE"),
            ("kv_.people", #"CREATE TABLE "kv_.people" (key TEXT PRIMARY KEY, body BLOB DEFAULT (randomblob(9)))"#),
            ("kv_.people", "CREATE TABLE \"kv_.people\" (key TEXT PRIMARY KEY, body BLOB DEFAULT \u{0C}(randomblob(9)))"),
            ("kv_.people", "CREATE TABLE \"kv_.people\" (key TEXT PRIMARY KEY, body BLOB DEFAULT \u{FEFF}(randomblob(9)))"),
            ("kv_.people", "CREATE TABLE \"kv_.people\" (key TEXT PRIMARY KEY, body BLOB, x \u{FEFF}AS (hex(body)))"),
            ("KV_.People", #"CREATE TABLE "KV_.People" (key TEXT PRIMARY KEY COLLATE NOCASE)"#),
            ("indexes", "CREATE TABLE indexes (name TEXT PRIMARY KEY, keyStore TEXT, CONSTRAINT c CHECK (random() > 0))"),
            ("kv_default::x_content", #"CREATE TABLE "kv_default::x_content" (docid INTEGER PRIMARY KEY, c0 AS (1))"#),
        ] as [(String, String)]
    )
    func tableDefinition(_ table: String, _ sql: String) throws {
        let database = try database(with: sql)
        for isReadOnly in [true, false] {
            let error = #expect(throws: StoreError.self) { try open(database, isReadOnly: isReadOnly) }
            #expect(error?.code == 21)
            #expect(error?.description.contains("\"\(table)\" in it has a constraint") == true)
        }
    }

    @Test("a table that is changed by another program while the database is open is reported by a check")
    func changedTable() throws {
        let database = try database(with: "CREATE TABLE other (x CHECK (x > 0), y AS (x))")
        try database.reopen()
        #expect(try BundleChecker(database.file).findings() == [])
        try database.sql("ALTER TABLE kv_default ADD COLUMN x AS (1)")
        #expect(try BundleChecker(database.file).findings().map(\.subject).contains("kv_default"))
    }

    @Test(
        "the definitions of tables are recognised in all forms of earlier and later releases",
        arguments: [
            ("kvmeta", "CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0) WITHOUT ROWID"),
            (
                "kv_default",
                "CREATE TABLE kv_default (  key TEXT PRIMARY KEY,  sequence INTEGER,  flags INTEGER DEFAULT 0,  version BLOB,  body BLOB, extra BLOB)"
            ),
            (
                "kv_.people",
                #"CREATE TABLE "kv_.people" (key TEXT PRIMARY KEY, flags INTEGER DEFAULT 0, later INTEGER NOT NULL DEFAULT -1, "as" TEXT DEFAULT 'CHECK (')"#
            ),
            ("kv_fts_map", "CREATE TABLE kv_fts_map (alias TEXT PRIMARY KEY, expression TEXT) WITHOUT ROWID"),
            (
                "indexes",
                "CREATE TABLE indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT, indexTableName TEXT)"
            ),
            (
                array,
                #"CREATE TABLE "\#(array)" (docid INTEGER NOT NULL REFERENCES kv_default(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))"#
            ),
            (
                "kv_default:unnest:likes",
                #"CREATE TABLE "kv_default:unnest:likes" (docid INTEGER NOT NULL REFERENCES kv_default(rowid), i INTEGER NOT NULL, body BLOB NOT NULL, CONSTRAINT pk PRIMARY KEY (docid, i)) WITHOUT ROWID"#
            ),
            ("kv_default::x_content", "CREATE TABLE 'kv_default::x_content'(docid INTEGER PRIMARY KEY, 'c0check', 'c1as')"),
            (
                "kv_default::x_segdir",
                "CREATE TABLE 'kv_default::x_segdir'(level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,end_block INTEGER,root BLOB,PRIMARY KEY(level, idx))"
            ),
        ] as [(String, String)]
    )
    func recognisedTable(_ table: String, _ sql: String) {
        #expect(TableDefinition.isOne(sql, of: table))
    }

    @Test("an index entry that names a table of documents does not cause this table to be dropped")
    func registry() throws {
        let database = try database(
            with: """
                CREATE TABLE indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT,
                whereClause TEXT, indexTableName TEXT, lastSeq TEXT);
                INSERT INTO indexes (name, type, keyStore, expression, indexTableName) VALUES ('x', 1, 'default', '[]', 'kv_default'),
                ('y', 1, '.people', '[]', 'kv_default')
                """
        )
        try database.reopen()
        let findings = try BundleChecker(database.file).findings()
        #expect(findings.map(\.subject) == ["index x", "index y"])
        try database.file.transaction { writer in
            try writer.connection.execute("DELETE FROM indexes WHERE name = 'x'")
            try IndexTables.dropUnused("kv_default", on: writer.connection)
        }
        let people = try CollectionID(name: "people")
        _ = try database.file.createCollection(people)
        try database.file.deleteCollection(people)
        #expect(try database.collection().count() == 2)
    }

    // MARK: Recognising

    private static let fullText = "kv_default::\\Fts_en"
    private static let array = "6afb5d1c83901d88b1046b400b8a41b1b00b5d70"

    private func isOne(_ sql: String) -> Bool {
        let names = sql.split(separator: "\"")
        let table = sql.contains("ON \"84f7") ? "84f76e60fd3b2bb2261f3b56f3cafe71b92178cc" : "kv_default"
        return IndexTrigger.isOne(sql, name: String(names[1]), on: table)
    }

    @Test(
        "the triggers of indexes are recognised in several spellings",
        arguments: [
            #"CREATE TRIGGER "\#(fullText)::ins" AFTER INSERT ON "kv_default" WHEN (new.flags & 1 = 0)  BEGIN INSERT INTO "\#(fullText)" (docid, "text", "title") VALUES (new.rowid, fl_fts_value(new.body, 'text'), fl_fts_value(new.body, 'ti;tle')); END"#,
            #"CREATE TRIGGER "\#(fullText)::del" AFTER DELETE ON "kv_default" WHEN (fl_value(old.body, 'lang') = 'fr') AND (old.flags & 1 = 0)  BEGIN DELETE FROM "\#(fullText)" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "\#(fullText)::preupdate" BEFORE UPDATE OF body ON "kv_default" BEGIN DELETE FROM "\#(fullText)" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "\#(fullText)::upd" AFTER UPDATE ON kv_default BEGIN UPDATE "\#(fullText)" SET "text" = fl_value(new.body, 'text') WHERE docid = new.rowid; END"#,
            #"CREATE TRIGGER "\#(array)::ins" AFTER INSERT ON kv_default WHEN (new.flags & 1) = 0  BEGIN INSERT INTO "\#(array)" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM fl_each(new.body, 'tags') AS _each ; END"#,
            #"CREATE TRIGGER "\#(array)::postupdate" AFTER UPDATE OF body, flags ON kv_default WHEN (new.flags & 1 = 0) BEGIN INSERT INTO "\#(array)" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM fl_each(new.body, 'tags') AS _each; END"#,
            #"CREATE TRIGGER "\#(array)::del" BEFORE DELETE ON "84f76e60fd3b2bb2261f3b56f3cafe71b92178cc"   BEGIN DELETE FROM "\#(array)" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "kv_default:unnest:likes::ins" AFTER INSERT ON kv_default WHEN (new.flags & 1) = 0 BEGIN INSERT INTO "kv_default:unnest:likes" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM fl_each(new.body, 'likes') AS _each; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default WHEN EXISTS (SELECT 1 FROM fl_each(new.body, 'likes') AS _l WHERE _l.value = 'x') BEGIN INSERT INTO "kv_default::x" (docid, "t") VALUES (new.rowid, fl_fts_value(new.body, 't')); END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default WHEN EXISTS (SELECT 1 FROM fl_each(new.body, 'a' || (1 IN (1, 2)))) BEGIN INSERT INTO "kv_default::x" (docid, "t") VALUES (new.rowid, fl_fts_value(new.body, 't')); END"#,
            #"CREATE TRIGGER "kv_default:predict:abc::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default:predict:abc" (docid, body) SELECT new.rowid, prediction('m', dict_of('a', fl_value(new.body, 'a'))); END"#,
        ]
    )
    func recognised(_ sql: String) {
        #expect(isOne(sql))
    }

    @Test(
        "a trigger that is named like an index trigger but does anything else is not recognised",
        arguments: [
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN DELETE FROM kv_default; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN DELETE FROM "kv_default::x"; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN DELETE FROM "kv_default::x" WHERE docid = old.rowid OR 1; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN DELETE FROM "kv_default::x" WHERE docid = old.rowid; DELETE FROM kv_default; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid, "t") SELECT a.rowid, b.key FROM kv_default a, kv_default b; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT e.i FROM fl_each(new.body, 'x') AS e, kv_default; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT 1 FROM fl_each((SELECT 1 FROM kv_default), 'x') AS e; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT 1 FROM ﬂ_each('x') AS e; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT 1 FROM fl_each(RAISE(IGNORE), 'x') AS e; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT 1 FROM fl_each(new.body, 'x' IN kv_default) AS e; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT 1 FROM fl_each(new.body, 1 IN "kv_default") AS e; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT a.key FROM fl_each(new.body, 'x') e, kv_default a; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN INSERT INTO "kv_default::x" (docid) SELECT a.key FROM fl_each(new.body, 'x') 'e', kv_default a; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default WHEN (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n) BEGIN DELETE FROM "kv_default::x" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default WHEN 1 IN kv_default BEGIN DELETE FROM "kv_default::x" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN SELECT RAISE(IGNORE); END"#,
            #"CREATE TRIGGER "kv_default::x::ins" INSTEAD OF INSERT ON kv_default BEGIN DELETE FROM "kv_default::x" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN DELETE /* */ FROM "kv_default::x" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kvmeta BEGIN DELETE FROM "kv_default::x" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "kv_default::ins" AFTER INSERT ON kv_default BEGIN DELETE FROM "kv_default" WHERE docid = old.rowid; END"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN DELETE FROM "kv_default::x" WHERE docid = old.rowid; END; DROP TABLE kv_default"#,
            #"CREATE TRIGGER "kv_default::x::ins" AFTER INSERT ON kv_default BEGIN"#,
        ]
    )
    func notRecognised(_ sql: String) {
        #expect(!isOne(sql))
    }
}
