import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text indexes")
struct FullTextIndexTests {
    @Test("a full-text index has the table and triggers that Couchbase Lite creates")
    func statements() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("prop, contact.`na.me`", named: "Names", FullTextIndexOptions(language: "en_US"))
        let table = #""kv_default::\Names""#
        let columns = #""prop", "contact.na\.me""#
        let values = #"fl_fts_value(new.body, 'prop'), fl_fts_value(new.body, 'contact.na\.me')"#
        let on = #"ON "kv_default" WHEN"#
        #expect(
            try database.statements(ofTable: #"kv_default::\Names"#) == [
                "CREATE VIRTUAL TABLE \(table) USING fts4(\(columns), "
                    + #"tokenize=unicodesn "stopwords=en" "stemmer=en" "remove_diacritics=0")"#,
                #"CREATE TRIGGER "kv_default::\Names::del" AFTER DELETE "# + on
                    + " (old.flags & 1 = 0)  BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END",
                #"CREATE TRIGGER "kv_default::\Names::ins" AFTER INSERT "# + on
                    + " (new.flags & 1 = 0)  BEGIN INSERT INTO \(table) (docid, \(columns)) VALUES (new.rowid, \(values)); END",
                #"CREATE TRIGGER "kv_default::\Names::postupdate" AFTER UPDATE OF body "# + on
                    + " (new.flags & 1 = 0)  BEGIN INSERT INTO \(table) (docid, \(columns)) VALUES (new.rowid, \(values)); END",
                #"CREATE TRIGGER "kv_default::\Names::preupdate" BEFORE UPDATE OF body "# + on
                    + " (old.flags & 1 = 0)  BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END",
            ]
        )
        let row = try database.file.read {
            try $0.connection.scalarText(
                "SELECT type || ' ' || keyStore || ' ' || expression || ' ' || indexTableName FROM indexes WHERE name = 'Names'"
            )
        }
        #expect(row == #"1 default =nprop, contact.`na.me` kv_default::\Names"#)
    }

    @Test("triggers of a named collection have no condition, and those of a partial index have its condition")
    func conditions() throws {
        let database = try QueryDatabase()
        _ = try database.collection("people")
        try database.createFullTextIndex("name", in: "people")
        #expect(
            try database.statements(ofTable: "kv_.people::idx")[1]
                == #"CREATE TRIGGER "kv_.people::idx::del" AFTER DELETE ON "kv_.people"  BEGIN "#
                + #"DELETE FROM "kv_.people::idx" WHERE docid = old.rowid; END"#
        )
        try database.createFullTextIndex("name", named: "part", where: "type = 'x'")
        #expect(
            try database.statements(ofTable: "kv_default::part")[2].contains(
                "WHEN (fl_value(new.body, 'type') = 'x') AND (new.flags & 1 = 0)  BEGIN INSERT"
            )
        )
    }

    @Test(
        "full-text index options become arguments of the tokenizer",
        arguments: [
            (FullTextIndexOptions(), #" "remove_diacritics=0""#), (FullTextIndexOptions(ignoresAccents: true), ""),
            (FullTextIndexOptions(language: "french", ignoresAccents: true), #" "stopwords=french" "stemmer=french""#),
            (FullTextIndexOptions(language: "xx", ignoresAccents: true), #" "stopwords=xx""#),
            (
                FullTextIndexOptions(language: "de-AT", ignoresAccents: true, disablesStemming: true),
                #" "stopwords=de""#
            ),
            (
                FullTextIndexOptions(language: "en", ignoresAccents: true, stopWords: #"a"b,c"#),
                #" "stopwordlist=a b c" "stemmer=en""#
            ),
            (FullTextIndexOptions(ignoresAccents: true, stopWords: ""), #" "stopwordlist=""#),
            (FullTextIndexOptions(language: "ja", ignoresAccents: true), #" "stopwordlist=unicode-words""#),
            (
                FullTextIndexOptions(language: "zh", ignoresAccents: true, stopWords: "的"),
                #" "stopwordlist=的 unicode-words""#
            ),
            (FullTextIndexOptions(language: #"e"), x("#, ignoresAccents: true), #" "stopwords=e) x(""#),
            (FullTextIndexOptions(language: "", ignoresAccents: true), ""),
        ]
    )
    func options(options: FullTextIndexOptions, arguments: String) throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s", options)
        #expect(
            try database.statements(ofTable: "kv_default::idx").first
                == #"CREATE VIRTUAL TABLE "kv_default::idx" USING fts4("s", tokenize=unicodesn\#(arguments))"#
        )
        try database.save("a", #"{"s":"word"}"#)
        #expect(try database.ids(matching: "word") == ["a"])
    }

    @Test("creating an index again changes nothing unless its columns, options or condition differ")
    func creationAgain() throws {
        let database = try QueryDatabase()
        try database.save("a", #"{"s":"buying","t":"x"}"#)
        let collection = try database.collection()
        func isRebuilt(by definition: IndexDefinition) throws -> Bool {
            try database.file.transaction { try $0.connection.execute("DELETE FROM \"kv_default::idx\"") }
            try database.indexes.create(definition, on: collection)
            return try database.file.read { try $0.connection.scalar("SELECT count(*) FROM \"kv_default::idx\"") } == 1
        }
        let english = IndexDefinition.Kind.fullText(FullTextIndexOptions(language: "en"))
        try database.indexes.create(IndexDefinition(name: "idx", kind: english, text: "s"), on: collection)
        #expect(try isRebuilt(by: IndexDefinition(name: "idx", kind: english, text: " `s` ")) == false)
        #expect(
            try isRebuilt(by: IndexDefinition(name: "idx", kind: english, expressions: [.property([.key("s")])]))
                == false
        )
        #expect(try isRebuilt(by: IndexDefinition(name: "idx", kind: english, text: "s, t")))
        #expect(try isRebuilt(by: IndexDefinition(name: "idx", kind: english, text: "s, t", condition: "t = 'x'")))
        #expect(try isRebuilt(by: IndexDefinition(name: "idx", kind: english, text: "s, t", condition: "(t='x')")) == false)
        #expect(try isRebuilt(by: IndexDefinition(name: "idx", kind: english, text: "s, t", condition: "t > 'a'")))
        #expect(try isRebuilt(by: IndexDefinition(name: "idx", kind: .fullText(FullTextIndexOptions()), text: "s, t")))
        #expect(try database.indexes.indexes(of: collection).map(\.kind) == [.fullText])
    }

    @Test("deleting a full-text index removes its table, triggers and registry row")
    func deletion() throws {
        let database = try QueryDatabase()
        let collection = try database.collection()
        try database.createFullTextIndex("s", named: "Idx")
        try database.save("a", #"{"s":"word"}"#)
        try database.indexes.delete("Idx", on: collection)
        #expect(try database.statements(ofTable: #"kv_default::\Idx"#).isEmpty)
        #expect(try database.indexes.indexes(of: collection).isEmpty)
        try database.save("a", #"{"s":"other"}"#)
        #expect(throws: QueryError(.missingIndex, "'match' test requires a full-text index")) {
            try database.ids(matching: "word", index: "Idx")
        }
        try database.file.deleteCollection(try database.collection("more").id)
    }

    @Test("an expression that is not a property throws an error and creates no index")
    func refusals() throws {
        let database = try QueryDatabase()
        for expression in ["upper(s)", "s || t", "1", "meta().id + 1"] {
            #expect(throws: QueryError.invalidQuery("FTS index expression must be a property"), "\(expression)") {
                try database.createFullTextIndex(expression)
            }
        }
        for (expression, condition) in [("", nil), ("s +", nil), ("s", "t ="), ("s", "count(t)"), ("s, s", nil)] {
            #expect(throws: QueryError.self, "\(expression)") {
                try database.createFullTextIndex(expression, where: condition)
            }
        }
        #expect(try database.statements(ofTable: "kv_default::idx").isEmpty)
        #expect(try database.indexes.indexes(of: try database.collection()).isEmpty)
    }

    @Test("values of every type are indexed as text, including values in arrays and dictionaries")
    func texts() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("v")
        let values = [
            "string": #""some words""#, "number": "1972", "real": "3.5", "true": "true", "false": "false",
            "null": "null",
            "nested": #"["alpha",{"key":"beta","more":[7,true]}]"#, "empty": #""""#,
        ]
        for (id, value) in values { try database.save(id, "{\"v\":\(value)}") }
        try database.save("missing", "{}")
        for (pattern, ids) in [
            ("words", ["string"]), ("1972", ["number"]), ("3 5", ["real"]), ("T", ["nested", "true"]), ("F", ["false"]),
            ("\"alpha beta 7 T\"", ["nested"]), ("key", []), ("null", []),
        ] {
            #expect(try database.ids(matching: pattern) == ids, "\(pattern)")
        }
        try database.checkFullTextTable()
    }

    @Test("Chinese, Japanese and Thai texts are searched by words if the index has that language")
    func wordBreaks() throws {
        let database = try QueryDatabase()
        let texts = ["zh": "我来到北京清华大学。", "ja": "東京都に住んでいます", "th": "สวัสดีครับผมอยู่กรุงเทพ"]
        for (id, text) in texts { try database.save(id, "{\"s\":\"\(text)\"}") }
        for (language, word) in [("zh", "北京"), ("ja", "東京"), ("th", "กรุงเทพ")] {
            try database.createFullTextIndex("s", FullTextIndexOptions(language: language))
            #expect(try database.ids(matching: word) == [language])
            #expect(try database.ids(matching: "\"\(texts[language] ?? "")\"") == [language])
        }
        // In any other language a sentence is one word, as in the original.
        try database.createFullTextIndex("s", FullTextIndexOptions(language: "en"))
        #expect(try database.ids(matching: "北京").isEmpty)
        #expect(try database.ids(matching: "我来到北京清华大学") == ["zh"])
    }
}
