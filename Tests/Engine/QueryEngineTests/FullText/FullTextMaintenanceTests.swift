import DocumentStore
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text index maintenance")
struct FullTextMaintenanceTests {
    @Test("full-text indexes match the documents after random changes in two collections")
    func randomChanges() throws {
        let database = try QueryDatabase()
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let vocabulary = ["red", "green", "blue", "grün", "北京", "running"]
        let names = ["_default._default", "shop.hotels"]
        for name in names {
            try database.createFullTextIndex("s, deep.t", in: name)
            try database.createFullTextIndex("s", named: "part", where: "n > 2", in: name)
        }
        var contents: [String: [String: (words: Set<String>, number: Int)]] = [:]
        struct Undo: Error {}
        func change(_ name: String, _ state: inout [String: (words: Set<String>, number: Int)]) throws {
            let id = "d\(Int.random(in: 0..<8, using: &generator))"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...5:
                let words = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    vocabulary.randomElement(using: &generator) ?? ""
                }
                let number = Int.random(in: 0..<6, using: &generator)
                let (first, rest) = (words.prefix(2).joined(separator: " "), words.dropFirst(2).joined(separator: " "))
                try database.save(id, #"{"s":"\#(first)","deep":{"t":"\#(rest)"},"n":\#(number)}"#, in: name)
                state[id] = (Set(words), number)
            case 6, 7:
                guard state[id] != nil else { return }
                try database.delete(id, in: name)
                state[id] = nil
            default:
                try database.purge(id, in: name)
                state[id] = nil
            }
        }
        for round in 0..<150 {
            let name = names[round % 2]
            var state = contents[name] ?? [:]
            if round % 7 == 6 {
                let before = state
                #expect(throws: Undo.self) {
                    try database.file.transaction { _ in
                        for _ in 0..<3 { try change(name, &state) }
                        throw Undo()
                    }
                }
                state = before
            } else {
                try database.file.transaction { _ in
                    for _ in 0..<3 { try change(name, &state) }
                }
            }
            contents[name] = state
            guard round % 10 > 7 else { continue }
            for word in vocabulary {
                let expected = state.filter { $0.value.words.contains(word) }.keys.sorted()
                #expect(try database.ids(matching: word, in: name == names[0] ? "_" : name) == expected, "seed \(seed)")
            }
        }
        for table in [
            "kv_default::idx", "kv_default::part", "kv_.shop.hotels::shop.hotels.idx",
            "kv_.shop.hotels::shop.hotels.part",
        ] {
            try database.checkFullTextTable(table)
        }
        // The resulting indexes are the same as indexes created from the documents.
        for name in names {
            let source = name == names[0] ? "_" : name
            let before = try database.ids(matching: "red OR green OR blue", in: source, index: "part")
            let expected = (contents[name] ?? [:]).filter {
                $0.value.number > 2
            }.keys.sorted()
            #expect(Set(before).isSubset(of: expected))
            try database.indexes.delete("part", on: try database.collection(name))
            try database.createFullTextIndex("s", named: "part", where: "n > 2", in: name)
            #expect(try database.ids(matching: "red OR green OR blue", in: source, index: "part") == before)
        }
    }

    @Test("a new full-text index contains the existing documents without the deleted ones")
    func filling() throws {
        let database = try QueryDatabase()
        for number in 0..<50 { try database.save("d\(number)", #"{"s":"word\#(number % 5)","n":\#(number)}"#) }
        try database.delete("d7")
        try database.createFullTextIndex("s")
        try database.createFullTextIndex("s", named: "few", where: "n < 10")
        #expect(try database.ids(matching: "word2") == ["d12", "d17", "d2", "d22", "d27", "d32", "d37", "d42", "d47"])
        #expect(try database.ids(matching: "word2", index: "few") == ["d2"])
    }

    @Test(
        "words after a NUL are found, and the check finds nothing wrong",
        arguments: [#""one\u0000two three""#, #"["x\u0000two",{"k":"\u0000three"}]"#]
    )
    func textsWithNUL(text: String) throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s")
        try database.save("a", #"{"s":\#(text)}"#)
        #expect(try database.ids(matching: "three") == ["a"])
        #expect(try database.ids(matching: "two") == ["a"])
        try database.checkFullTextTable()
        try database.save("a", #"{"s":"other"}"#)
        #expect(try database.ids(matching: "three") == [])
        try database.checkFullTextTable()
    }

    @Test("a check finds a text that ends at a NUL in the index, as other programs store it, and a rebuild corrects it")
    func textsThatEndAtNUL() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s")
        try database.save("a", #"{"s":"one\u0000two"}"#)
        try database.file.transaction { try $0.connection.execute("UPDATE \"kv_default::idx\" SET s = 'one' || char(0) || 'two'") }
        #expect(try database.ids(matching: "two") == [])
        #expect(try !BundleChecker(database.file).findings().isEmpty)
        try database.indexes.rebuild()
        #expect(try BundleChecker(database.file).findings().map(\.description) == [])
        #expect(try database.ids(matching: "two") == ["a"])
    }

    @Test("a second connection sees committed changes of a full-text index only")
    func twoOpenings() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s", FullTextIndexOptions(language: "en"))
        let reader = try database.reopenedForReading()
        try database.save("a", #"{"s":"buying bridges"}"#)
        #expect(try reader.ids(matching: "bridge") == ["a"])
        try database.delete("a")
        #expect(try reader.ids(matching: "bridge").isEmpty)
        try database.save("a", #"{"s":"a bridge too far"}"#)
        #expect(try reader.ids(matching: "bridge") == ["a"])
        try database.file.transaction { _ in
            try database.save("b", #"{"s":"bridge"}"#)
            #expect(try database.ids(matching: "bridge") == ["a", "b"])
            #expect(try reader.ids(matching: "bridge") == ["a", "b"].dropLast())
        }
    }

    @Test("full-text indexes created by Couchbase Lite are recognized and maintained")
    func originals() throws {
        let database = try QueryDatabase()
        try database.save("old", #"{"s":"old words of bridges"}"#)
        try addOriginalIndex(database, table: "kv_default::fts")
        #expect(try database.ids(matching: "bridge", index: "fts") == ["old"])
        try database.save("new", #"{"s":"new bridges"}"#)
        try database.delete("old")
        #expect(try database.ids(matching: "bridge", index: "fts") == ["new"])
        try database.checkFullTextTable("kv_default::fts")
        // The index is the same as one created by this library.
        try database.file.transaction { try $0.connection.execute("DELETE FROM \"kv_default::fts\"") }
        try database.createFullTextIndex("s", named: "fts", FullTextIndexOptions(language: "en"))
        #expect(try database.ids(matching: "bridge", index: "fts").isEmpty)
        try database.indexes.delete("fts", on: try database.collection())
        #expect(try database.statements(ofTable: "kv_default::fts").isEmpty)
    }

    @Test("a full-text table with the name of an older release is searched, and replaced by a new index")
    func unmangledNames() throws {
        let database = try QueryDatabase()
        try database.save("a", #"{"s":"bridges"}"#)
        try addOriginalIndex(database, table: "kv_default::byName", name: "byName")
        #expect(try database.ids(matching: "bridge", index: "byName") == ["a"])
        try database.save("b", #"{"s":"a bridge"}"#)
        #expect(try database.ids(matching: "bridge", index: "byName") == ["a", "b"])
        try database.createFullTextIndex("s", named: "byName", FullTextIndexOptions(language: "en"))
        #expect(try database.statements(ofTable: "kv_default::byName").isEmpty)
        #expect(try database.statements(ofTable: #"kv_default::by\Name"#).count == 5)
        #expect(try database.ids(matching: "bridge", index: "byName") == ["a", "b"])
    }

    /// Creates a full-text index like release 3.2 (Storage format 5.4).
    private func addOriginalIndex(_ database: QueryDatabase, table: String, name: String = "fts") throws {
        let live = "\"kv_default\" WHEN"
        try database.file.transaction { writer in
            try writer.connection.execute(
                """
                CREATE TABLE IF NOT EXISTS indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, \
                expression TEXT, whereClause TEXT, indexTableName TEXT, lastSeq TEXT);
                CREATE VIRTUAL TABLE "\(table)" USING fts4("s", tokenize=unicodesn "stopwords=en" "stemmer=en" "remove_diacritics=0");
                INSERT INTO "\(table)" (docid, "s") SELECT rowid, fl_fts_value(new.body, 's') FROM kv_default AS new;
                CREATE TRIGGER "\(table)::ins" AFTER INSERT ON \(live) (new.flags & 1 = 0)  BEGIN \
                INSERT INTO "\(table)" (docid, "s") VALUES (new.rowid, fl_fts_value(new.body, 's')); END;
                CREATE TRIGGER "\(table)::del" AFTER DELETE ON \(live) (old.flags & 1 = 0)  BEGIN \
                DELETE FROM "\(table)" WHERE docid = old.rowid; END;
                CREATE TRIGGER "\(table)::preupdate" BEFORE UPDATE OF body ON \(live) (old.flags & 1 = 0)  BEGIN \
                DELETE FROM "\(table)" WHERE docid = old.rowid; END;
                CREATE TRIGGER "\(table)::postupdate" AFTER UPDATE OF body ON \(live) (new.flags & 1 = 0)  BEGIN \
                INSERT INTO "\(table)" (docid, "s") VALUES (new.rowid, fl_fts_value(new.body, 's')); END;
                INSERT INTO indexes VALUES ('\(name)', 1, 'default', '=j[[".s"]]', NULL, '\(table)', NULL);
                """
            )
        }
    }
}
