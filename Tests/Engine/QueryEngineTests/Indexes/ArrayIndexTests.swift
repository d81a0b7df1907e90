import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Array indexes")
struct ArrayIndexTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.save(
            "p1",
            """
            {"name":"Lue","likes":["soccer","cat",true,1,0,false,null,18446744073709551615,1.0,{"k":true}],
             "contacts":[{"city":"SP","phones":["1","2"]},{"city":"SC","phones":[true,{"n":3}]},"none"]}
            """
        )
        try database.save("p2", #"{"name":"Bob","likes":"tea","contacts":{"home":{"city":"SP","phones":["9"]}}}"#)
        try database.save("p3", #"{"name":"Eve","likesMany":["x"],"a.b":[{"c[]":["y"]}]}"#)
        return database
    }

    private func create(
        _ name: String,
        _ path: String,
        _ expressions: String = "",
        in collection: String = "_default._default",
        of database: QueryDatabase
    ) throws {
        try database.indexes.create(
            IndexDefinition(name: name, kind: .array(path: path), text: expressions),
            on: try database.collection(collection)
        )
    }

    private func plan(_ text: String, _ database: QueryDatabase) throws -> String {
        try database.prepare(text).explain(on: database.file).components(separatedBy: "\n\n")[1]
    }

    private func schema(_ database: QueryDatabase) throws -> [String: String] {
        try database.file.read { context in
            let statement = try context.connection.prepare(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND (type = 'trigger' OR name NOT GLOB 'kv*')"
            )
            defer { statement.finalize() }
            var found: [String: String] = [:]
            while try statement.step() { found[statement.text(at: 0)] = statement.text(at: 1) }
            return found
        }
    }

    @Test("an array index has a table of elements and triggers that maintain it")
    func layout() throws {
        let database = try database()
        try create("likes", "likesMany", of: database)
        // SHA-1 of kv_default:unnest:likes\Many
        let table = IndexTables.hashedName("kv_default:unnest:likes\\Many")
        let found = try schema(database)
        #expect(
            found[table]
                == "CREATE TABLE \"\(table)\" (docid INTEGER NOT NULL REFERENCES kv_default(rowid),  "
                + "i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))"
        )
        let name = SQLText.identifier(table)
        #expect(found["likes"] == "CREATE INDEX likes ON \(name) (fl_unnested_value(body))")
        let insert =
            "BEGIN INSERT INTO \"\(table)\" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value "
            + "FROM fl_each(new.body, 'likesMany') AS _each; END"
        let delete = "BEGIN DELETE FROM \"\(table)\" WHERE docid = old.rowid; END"
        #expect(
            found["\(table)::ins"]
                == "CREATE TRIGGER \"\(table)::ins\" AFTER INSERT ON \"kv_default\" WHEN (new.flags & 1) = 0 \(insert)"
        )
        #expect(
            found["\(table)::del"]
                == "CREATE TRIGGER \"\(table)::del\" BEFORE DELETE ON \"kv_default\" WHEN (old.flags & 1) = 0 \(delete)"
        )
        #expect(
            found["\(table)::preupdate"] == "CREATE TRIGGER \"\(table)::preupdate\" BEFORE UPDATE OF body, flags "
                + "ON \"kv_default\" WHEN (old.flags & 1) = 0 \(delete)"
        )
        #expect(
            found["\(table)::postupdate"] == "CREATE TRIGGER \"\(table)::postupdate\" AFTER UPDATE OF body, flags "
                + "ON \"kv_default\" WHEN (new.flags & 1 = 0) \(insert)"
        )
        let info = try #require(try database.indexes.indexes(of: database.collection()).first)
        #expect(info.kind == .array && info.expressions.isEmpty && info.isSQL)
        #expect(info.table == "kv_default:unnest:likes\\Many")
    }

    @Test("array indexes of one path share their tables, which are dropped with the last index")
    func sharing() throws {
        let database = try database()
        let collection = try database.collection()
        let before = try schema(database).count
        try create("cities", "contacts", "city", of: database)
        try create("numbers", "contacts[].phones", of: database)
        try create("again", "contacts[].phones", "n", of: database)
        let outer = IndexTables.hashedName("kv_default:unnest:contacts")
        let inner = IndexTables.hashedName("kv_default:unnest:contacts[].phones")
        // The registry; the outer table with its index and four triggers; the inner with two and two.
        #expect(try schema(database).count == before + 1 + 6 + 5)
        #expect(try schema(database)["\(inner)::ins"]?.contains("ON \"\(outer)\" BEGIN") == true)
        try database.indexes.delete("again", on: collection)
        try database.indexes.delete("cities", on: collection)
        #expect(try schema(database)[outer] != nil && schema(database)[inner] != nil)
        try database.indexes.delete("numbers", on: collection)
        #expect(try schema(database).count == before + 1)
        try database.save("p1", #"{"contacts":[{"phones":[1]}]}"#)
    }

    @Test("UNNEST uses array indexes at every level and returns the same rows", arguments: [false, true])
    func use(hasOtherKeys: Bool) throws {
        let database = try database()
        // In an array index, null and a number above the range of Int64 have keys of other values (Storage format 5.8).
        if !hasOtherKeys {
            try database.save(
                "p1",
                """
                {"name":"Lue","likes":["soccer","cat",true,1,0,false,-1,1.0,{"k":true}],
                 "contacts":[{"city":"SP","phones":["1","2"]},{"city":"SC","phones":[true,{"n":3}]},"none"]}
                """
            )
        }
        let queries = [
            "SELECT p.name, l FROM _ AS p UNNEST p.likes AS l",
            "SELECT p.name, l FROM _ AS p UNNEST p.likes AS l WHERE l = 'tea'",
            "SELECT p.name, l, [l], isboolean(l), {'l': l} FROM _ AS p UNNEST p.likes AS l WHERE l = 1",
            "SELECT p.name FROM _ AS p UNNEST p.likes AS l WHERE isboolean(l) ORDER BY l",
            "SELECT DISTINCT l FROM _ AS p UNNEST p.likes AS l",
            "SELECT count(*) FROM _ AS p UNNEST p.likes AS l GROUP BY l ORDER BY l",
            "SELECT l.k FROM _ AS p UNNEST p.likes AS l WHERE l.k = TRUE",
            "SELECT l AS v FROM _ AS p UNNEST p.likes AS l WHERE v = 'cat'",
            "SELECT p.name, c.city FROM _ AS p UNNEST p.contacts AS c WHERE c.city = 'SP' ORDER BY p.name",
            "SELECT p.name, ph FROM _ AS p UNNEST p.contacts AS c UNNEST c.phones AS ph",
            "SELECT p.name, ph FROM _ AS p UNNEST p.contacts AS c UNNEST c.phones AS ph WHERE ph = '9'",
            "SELECT p.name, ph FROM _ AS p UNNEST p.contacts AS c UNNEST c.phones AS ph WHERE ph = TRUE AND c.city = 'SC'",
            "SELECT p.name, ph.n FROM _ AS p UNNEST p.contacts AS c UNNEST c.phones AS ph WHERE ph.n > 1",
        ]
        let without = try queries.map { try database.rows($0).sorted() }
        try create("likes", "likes", of: database)
        try create("cities", "contacts", "city", of: database)
        try create("phones", "contacts[].phones", of: database)
        for (query, expected) in zip(queries, without) {
            #expect(try hasOtherKeys || !plan(query, database).contains("fl_each"), "\(query)")
            #expect(try database.rows(query).sorted() == expected, "\(query)")
        }
        #expect(try plan(queries[1], database).contains("SEARCH l USING INDEX likes (<expr>=?)"))
        #expect(try hasOtherKeys || plan(queries[7], database).contains("SEARCH l USING INDEX likes (<expr>=?)"))
        #expect(try plan(queries[8], database).contains("SEARCH c USING INDEX cities (<expr>=?)"))
        #expect(try plan(queries[10], database).contains("SEARCH ph USING INDEX phones (<expr>=?)"))
        // ANY does not use the index.
        #expect(try !plan("SELECT name FROM _ WHERE ANY l IN likes SATISFIES l = 'tea' END", database).contains("INDEX"))
    }

    @Test("queries return the same rows with and without array indexes after random changes")
    func differential() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let indexed = try QueryDatabase()
        let plain = try QueryDatabase()
        for name in ["_default._default", "shop.People"] {
            try create("tags", "tags", in: name, of: indexed)
            try create("kinds", "items", "kind, n", in: name, of: indexed)
            try create("parts", "items[].parts", in: name, of: indexed)
            try create("deep", "items[].parts[].x", "y", in: name, of: indexed)
            _ = try plain.collection(name)
        }
        func scalar() -> String {
            ["1", "0", "true", "false", "\"a\"", "\"b\"", "1.0", "-1", "2.5", "[]", "{\"x\":[{\"y\":1}]}"]
                .randomElement(using: &generator) ?? "1"
        }
        func array(_ element: () -> String) -> String {
            let count = Int.random(in: 0...3, using: &generator)
            if Int.random(in: 0..<8, using: &generator) == 0 { return element() }
            return "[\((0..<count).map { _ in element() }.joined(separator: ","))]"
        }
        let queries = [
            "SELECT meta(d).id, t FROM # AS d UNNEST d.tags AS t",
            "SELECT meta(d).id, t FROM # AS d UNNEST d.tags AS t WHERE t = 1",
            "SELECT meta(d).id FROM # AS d UNNEST d.tags AS t WHERE t > 'a' OR t IS NULL",
            "SELECT i.kind, i FROM # AS d UNNEST d.items AS i WHERE i.kind = 'a' AND i.n >= 0",
            "SELECT p FROM # AS d UNNEST d.items AS i UNNEST i.parts AS p WHERE p IN ('a', TRUE, 2.5)",
            "SELECT x.y, meta(d).id FROM # AS d UNNEST d.items AS i UNNEST i.parts AS p UNNEST p.x AS x WHERE x.y = 1",
            "SELECT count(*) FROM # AS d UNNEST d.items AS i GROUP BY i.kind",
        ]
        for round in 0..<120 {
            let id = "d\(Int.random(in: 0..<12, using: &generator))"
            let collection = Bool.random(using: &generator) ? "_default._default" : "shop.People"
            if Int.random(in: 0..<5, using: &generator) == 0 {
                for database in [indexed, plain] { try database.remove(id, in: collection) }
            } else {
                let body = """
                    {"tags":\(array(scalar)),"items":\(array {
                        "{\"kind\":\(scalar()),\"n\":\(scalar()),\"parts\":\(array(scalar))}"
                    })}
                    """
                for database in [indexed, plain] { try database.save(id, body, in: collection) }
            }
            guard round % 10 == 9 else { continue }
            for query in queries {
                for name in ["_", "shop.People"] {
                    let text = query.replacing("#", with: name)
                    #expect(try indexed.rows(text).sorted() == plain.rows(text).sorted(), "seed \(seed), \(text)")
                }
            }
        }
        #expect(try indexed.file.read { try $0.connection.scalarText("PRAGMA integrity_check") } == "ok")
    }

    @Test("the same definition changes nothing, and a different definition replaces the index")
    func creationAgain() throws {
        let database = try database()
        let collection = try database.collection()
        try create("i", "likes", of: database)
        let first = try schema(database)
        try create("i", " likes".trimmingCharacters(in: .whitespaces), of: database)
        #expect(try schema(database) == first)
        try create("i", "contacts", "city", of: database)
        #expect(try schema(database)[IndexTables.hashedName("kv_default:unnest:likes")] == nil)
        #expect(try database.indexes.indexes(of: collection).map(\.table) == ["kv_default:unnest:contacts"])
        try database.indexes.create(IndexDefinition(name: "i", text: "name"), on: collection)
        #expect(try schema(database).keys.allSatisfy { !$0.hasSuffix("::ins") })
        #expect(try database.indexes.indexes(of: collection).map(\.kind) == [.value])
    }

    @Test("a failed creation keeps the existing index, even in a transaction that continues")
    func failure() throws {
        let database = try database()
        let collection = try database.collection()
        try create("i", "likes", of: database)
        try database.file.transaction { _ in
            #expect(throws: QueryError.self) { try create("i", "contacts", "meta().id", of: database) }
            try database.save("p4", #"{"likes":["late"]}"#)
        }
        #expect(try database.indexes.indexes(of: collection).map(\.table) == ["kv_default:unnest:likes"])
        #expect(try database.rows("SELECT p.likes FROM _ AS p UNNEST p.likes AS l WHERE l = 'late'") == [#"["late"]"#])
    }

    @Test(
        "an invalid array path throws an error",
        arguments: ["", "[]", "a[]", "[].b", "a[]b", "a[].", "a[][].b", "a..b", "a[x].b", "a\\"]
    )
    func badPaths(path: String) throws {
        let database = try QueryDatabase()
        let error = #expect(throws: QueryError.self) { try create("i", path, of: database) }
        #expect(error?.kind == .invalidQuery)
    }

    @Test("an array path with more levels than values can nest is refused")
    func tooManyLevels() {
        let text = Array(repeating: "a", count: Limits.maximumDepth + 1).joined(separator: "[].")
        #expect(throws: QueryError.invalidQuery("invalid array path '\(text)': it has more than \(Limits.maximumDepth) levels")) {
            try ArrayIndexPath(text)
        }
    }

    @Test("array paths with dots and brackets in keys are indexed")
    func oddKeys() throws {
        let database = try database()
        try create("odd", #"a\.b[].c\[]"#, of: database)
        let query = "SELECT v FROM _ AS d UNNEST d.`a.b` AS b UNNEST b.`c[]` AS v WHERE v = 'y'"
        #expect(try plan(query, database).contains("INDEX odd"))
        #expect(try database.rows(query) == [#""y""#])
        try database.indexes.rebuild()
        #expect(try database.rows(query) == [#""y""#])
    }

    @Test("array index tables of releases before 3.2.1 are used, maintained, replaced and dropped")
    func olderTables() throws {
        let database = try database()
        let collection = try database.collection()
        try addOlderIndex(to: database)
        let query = "SELECT p.name FROM _ AS p UNNEST p.likes AS l WHERE l = 'tea'"
        #expect(try plan(query, database).contains(/USING (COVERING )?INDEX old/))
        try database.save("p4", #"{"name":"Kim","likes":["tea"]}"#)
        #expect(try database.rows(query).sorted() == [#""Bob""#, #""Kim""#])
        // A new index of the path also upgrades the older one.
        try create("new", "likes", "k", of: database)
        let tables = try schema(database)
        #expect(tables["kv_default:unnest:likes"] == nil && tables["old"]?.contains(":unnest:") == false)
        #expect(try plan(query, database).contains(/USING (COVERING )?INDEX old/))
        #expect(try database.rows(query).sorted() == [#""Bob""#, #""Kim""#])
        for name in ["old", "new"] { try database.indexes.delete(name, on: collection) }
        #expect(try schema(database).keys.allSatisfy { !$0.contains("::") })
    }

    private func addOlderIndex(to database: QueryDatabase) throws {
        try database.file.transaction { writer in
            try writer.connection.execute(
                """
                CREATE TABLE IF NOT EXISTS indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, \
                expression TEXT, whereClause TEXT, indexTableName TEXT, lastSeq TEXT);
                CREATE TABLE "kv_default:unnest:likes" (docid INTEGER NOT NULL REFERENCES kv_default(rowid), i INTEGER NOT NULL, \
                body BLOB NOT NULL, CONSTRAINT pk PRIMARY KEY (docid, i)) WITHOUT ROWID;
                INSERT INTO "kv_default:unnest:likes" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value \
                FROM kv_default AS new, fl_each(new.body, 'likes') AS _each;
                CREATE TRIGGER "kv_default:unnest:likes::ins" AFTER INSERT ON kv_default WHEN (new.flags & 1) = 0 BEGIN \
                INSERT INTO "kv_default:unnest:likes" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value \
                FROM fl_each(new.body, 'likes') AS _each; END;
                CREATE INDEX old ON "kv_default:unnest:likes" (fl_unnested_value(body));
                INSERT INTO indexes VALUES ('old', 2, 'default', '[]', NULL, 'kv_default:unnest:likes', NULL);
                """
            )
        }
    }

    @Test("damaged array indexes are rebuilt from the documents")
    func rebuilding() throws {
        let database = try database()
        try create("likes", "likes", of: database)
        try create("phones", "contacts[].phones", of: database)
        try database.indexes.create(IndexDefinition(name: "byName", text: "name"), on: try database.collection())
        let query = "SELECT p.name FROM _ AS p UNNEST p.contacts AS c UNNEST c.phones AS ph WHERE ph = '9'"
        let before = try schema(database)
        let outer = IndexTables.hashedName("kv_default:unnest:contacts")
        try database.file.transaction { writer in
            try writer.connection.execute("DELETE FROM \"\(outer)\"; DROP TRIGGER \"\(outer)::ins\"; DROP INDEX byName")
        }
        #expect(try database.rows(query) == [])
        try database.indexes.rebuild()
        #expect(try database.rows(query) == [#""Bob""#])
        #expect(try schema(database) == before)
    }

    @Test("array indexes are deleted with their collection")
    func collectionDeleted() throws {
        let database = try database()
        let before = try schema(database).count
        try database.save("h", #"{"tags":["a"]}"#, in: "Shop.hotels")
        try create("tags", "tags", in: "Shop.hotels", of: database)
        try create("inner", "tags[].x", in: "Shop.hotels", of: database)
        try database.file.deleteCollection(CollectionID(name: "hotels", scope: "Shop"))
        #expect(try schema(database).count == before + 1)
    }
}

extension QueryDatabase {
    /// Deletes a document if it exists.
    fileprivate func remove(_ id: String, in name: String) throws {
        let collection = try collection(name)
        try file.transaction { writer in
            guard let document = try collection.document(id), !document.isDeleted else { return }
            _ = try collection.delete(id, base: .latest, in: writer)
        }
    }
}
