import DocumentStore
import Foundation
import QueryEngine
import QueryLanguage
import TestSupport
import Testing

private let named = "SELECT meta().id FROM _ WHERE (s = 'name 12') COLLATE UNICODE"

@Suite("Indexes on Unicode collations")
struct CollatedIndexTests {
    @Test("documents that differ in punctuation are found, changed and deleted through the index")
    func punctuation() throws {
        let files = try DependentDatabase()
        do {
            let database = try files.open()
            try database.indexes.create(IndexDefinition(name: "i", text: "s COLLATE UNICODE"), on: database.collection())
            for (id, s) in [("0", "a-"), ("1", "a^"), ("2", "a–"), ("3", "a–")] { try database.save(id, #"{"s":"\#(s)"}"#) }
            let query = "SELECT meta().id FROM _ WHERE (s = 'a-') COLLATE UNICODE"
            #expect(try database.rows(query) == [#""0""#])
            #expect(try database.plan(query).contains("USING INDEX i"))
            #expect(
                try database.rows("SELECT meta().id FROM _ ORDER BY s COLLATE UNICODE, meta().id")
                    == ["0", "2", "3", "1"].map { "\"\($0)\"" }
            )
            try database.save("0", #"{"s":"a-","v":1}"#)
            try database.delete("0")
            #expect(try database.rows("SELECT count(*) FROM _") == ["3"])
        }
        #expect(try files.findings() == [])
    }

    @Test("an index without a record is rebuilt when the file is opened for writing, and is not used before")
    func missingRecord() throws {
        let files = try DependentDatabase()
        try files.makeDisorderedIndex()
        try files.removeRecords()
        do {
            let database = try files.open(isReadOnly: true)
            #expect(try database.rows(named) == [#""d12""#])
            #expect(try !database.plan(named).contains("byName"))
            let plan = try database.prepare(named).plan(on: database.file)
            #expect(plan.steps.map(\.text).contains { $0.contains("reads all") } && plan.advice.isEmpty)
            #expect(try database.rows("SELECT count(*) FROM _ ORDER BY s COLLATE UNICODE") == ["60"])
        }
        // What the index lacks is no damage.
        #expect(try files.findings().map(\.severity) == [.warning])
        do {
            let database = try files.open()
            #expect(try database.rows(named) == [#""d12""#])
            #expect(try database.plan(named).contains("USING INDEX byName"))
        }
        #expect(try files.records().count == 2)
        #expect(try files.findings() == [])
        #expect(try files.open(isReadOnly: true).plan(named).contains("USING INDEX byName"))
    }

    @Test("a join by document ID does not need the outdated index of the same collection")
    func outdatedJoin() throws {
        let files = try DependentDatabase()
        try files.makeDisorderedIndex()
        try files.removeRecords()
        let database = try files.open(isReadOnly: true)
        let plan = try database.plan("SELECT a.n FROM _ AS a JOIN _ AS b ON meta(b).id = meta(a).id WHERE a.n = 12")
        #expect(plan.contains("SEARCH b USING") && !plan.contains("byName"))
    }

    @Test("an index is rebuilt after another program has changed documents, before and while the file is open")
    func foreignChange() throws {
        let files = try DependentDatabase()
        try files.makeDisorderedIndex()
        try files.execute("UPDATE kvmeta SET lastSeq = lastSeq + 1 WHERE name = 'default'")
        let database = try files.open()
        #expect(try database.plan(named).contains("USING INDEX byName") && database.rows(named) == [#""d12""#])
        let query = try database.prepare(named)
        // The other program leaves an index in another order.
        try files.execute("UPDATE kvmeta SET lastSeq = lastSeq + 1 WHERE name = 'default'")
        #expect(try !query.explain(on: database.file).contains("USING INDEX"))
        #expect(try query.run(on: database.file).count == 1)
        try database.save("new", #"{"s":"name 12"}"#)
        #expect(try query.explain(on: database.file).contains("USING INDEX byName"))
        #expect(try query.run(on: database.file).count == 2)
    }

    enum Change: CaseIterable {
        case save, saveInBatch, delete, purge, expire, update, remove, receive, receiveTombstone
    }

    @Test("a change that misses an index entry rebuilds the indexes and goes on", arguments: Change.allCases)
    func damage(change: Change) throws {
        let files = try DependentDatabase()
        try files.makeEmptyIndex()
        do {
            let database = try files.open()
            let file = database.file
            let collection = try database.collection()
            switch change {
            case .save: try database.save("d10", #"{"s":"other"}"#)
            case .saveInBatch:
                try file.transaction { _ in
                    for n in [10, 69, 40] { try database.save("d\(n)", #"{"s":"other"}"#) }
                }
            case .delete: try database.delete("d10")
            case .purge: try database.purge("d10")
            case .expire:
                let purged = try file.transaction { writer in
                    _ = try collection.setExpiration(1, of: "d10", in: writer)
                    return try collection.purgeExpired(now: 2, in: writer)
                }
                #expect(purged == ["d10"])
            case .update:
                let statement = try #require(try SQLPlusPlus.parseDataStatement("UPDATE _ SET s = 'other' WHERE n < 20"))
                #expect(try statement.run(on: file, databaseName: "db").count == 10)
            case .remove:
                let statement = try #require(try SQLPlusPlus.parseDataStatement("DELETE FROM _ WHERE n < 20"))
                #expect(try statement.run(on: file, databaseName: "db").count == 10)
            case .receive, .receiveTombstone:
                let current = try #require(try collection.document("d10")).revision
                let received = ReceivedRevision(
                    documentID: "d10",
                    revision: try #require(RevisionID("2-\(String(repeating: "a", count: 40))")),
                    history: [current],
                    isDeleted: change == .receiveTombstone
                )
                let outcome = try file.transaction { try collection.insert(received, remote: 1, in: $0) }
                #expect(outcome == .inserted(sequence: 61, isConflict: false))
            }
            #expect(try database.rows("SELECT count(*) FROM _ WHERE (s = 'name 69') COLLATE UNICODE").count == 1)
        }
        #expect(try files.findings() == [])
    }

    @Test("a change that misses an entry in an index on array elements rebuilds it and goes on", arguments: [Change.save, .delete, .purge])
    func damagedArrayIndex(change: Change) throws {
        let files = try DependentDatabase()
        try files.makeEmptyArrayIndex()
        do {
            let database = try files.open()
            switch change {
            case .save: try database.save("d10", #"{"list":["other"]}"#)
            case .delete: try database.delete("d10")
            default: try database.purge("d10")
            }
            let query = "SELECT meta(d).id FROM _ AS d UNNEST d.list AS e WHERE (e = 'name 69') COLLATE UNICODE"
            #expect(try database.rows(query) == [#""d69""#])
            #expect(try database.plan(query).contains("INDEX byName"))
        }
        #expect(try files.findings() == [])
    }

    @Test("an array index without a record is not used before it is rebuilt")
    func outdatedArrayIndex() throws {
        let files = try DependentDatabase()
        try files.makeDisorderedArrayIndex()
        try files.removeRecords()
        let query = "SELECT meta(d).id FROM _ AS d UNNEST d.list AS e WHERE (e = 'name 12') COLLATE UNICODE"
        do {
            let database = try files.open(isReadOnly: true)
            #expect(try database.rows(query) == [#""d12""#])
            #expect(try !database.plan(query).contains("INDEX byName"))
        }
        let database = try files.open()
        #expect(try database.plan(query).contains("INDEX byName") && database.rows(query) == [#""d12""#])
    }

    @Test("noting that a remote has a document goes on after an entry is missing in a partial index")
    func damagedPartialIndex() throws {
        let files = try DependentDatabase()
        try files.makeEmptyIndex(where: ("n > 0", "(fl_value(body, 'n') > 0) AND (flags & 1 = 0)"))
        do {
            let database = try files.open()
            let collection = try database.collection()
            let revision = try #require(try collection.document("d10")).revision
            let damaged = try database.file.transaction { writer in
                try collection.noteRemoteAncestors([("d10", revision)], remote: 1, in: writer)
            }
            #expect(damaged.isEmpty)
        }
        #expect(try files.findings() == [])
    }

    @Test("a repair leaves no problem")
    func repair() throws {
        let files = try DependentDatabase()
        try files.makeDisorderedIndex()
        // A repair of the flags changes the documents.
        try files.execute("UPDATE kv_default SET flags = 4096 WHERE key = 'd10'")
        #expect(try files.findings().contains { $0.severity == .error })
        var options = DatabaseFile.Options()
        options.supportQueries()
        let result = try Repair.run(files.path, options: options)
        #expect(result.after.findings == [])
        #expect(try files.findings() == [])
        #expect(try files.open(isReadOnly: true).plan(named).contains("USING INDEX byName"))
    }

    @Test("indexes that depend on nothing else have no record, and the record of a deleted index is removed")
    func records() throws {
        let files = try DependentDatabase()
        let database = try files.open()
        try database.save("a", #"{"s":"x","list":["y"]}"#)
        let collection = try database.collection()
        for (name, text) in [("plain", "s"), ("noCase", "s COLLATE NOCASE"), ("utc", "millis_to_utc(n)"), ("lower", "lower(s)")] {
            try database.indexes.create(IndexDefinition(name: name, text: text), on: collection)
        }
        try database.indexes.create(IndexDefinition(name: "words", kind: .fullText(FullTextIndexOptions()), text: "s"), on: collection)
        #expect(try files.records() == [])
        try database.indexes.create(IndexDefinition(name: "u", text: "s COLLATE (UNICODE:de NOCASE)"), on: collection)
        #expect(
            try files.records() == ["CouchbaseLiteSwift.indexedSequence:default", "CouchbaseLiteSwift.indexes:default"]
        )
        try database.indexes.delete("u", on: collection)
        #expect(try files.records() == [])
        let other = try database.collection("shop.items")
        try database.indexes.create(
            IndexDefinition(
                name: "elements",
                kind: .array(path: "list"),
                expressions: [.collate(CollationOptions(isUnicode: true), operand: .property([]))]
            ),
            on: other
        )
        #expect(try files.records().count == 2)
        try database.file.deleteCollection(other.id)
        #expect(try files.records() == [])
    }

    @Test("a rolled back creation of an index leaves no record")
    func rollback() throws {
        let files = try DependentDatabase()
        let database = try files.open()
        struct Undo: Error {}
        #expect(throws: Undo.self) {
            try database.file.transaction { _ in
                try database.indexes.create(IndexDefinition(name: "u", text: "s COLLATE UNICODE"), on: database.collection())
                throw Undo()
            }
        }
        #expect(try files.records() == [])
        try database.indexes.create(IndexDefinition(name: "u", text: "s COLLATE UNICODE"), on: database.collection())
        #expect(try files.records().count == 2)
    }

    @Test("a partial full-text index whose condition has a collation is not searched before it is rebuilt")
    func fullText() throws {
        let files = try DependentDatabase()
        do {
            let database = try files.open()
            for n in 0..<3 { try database.save("d\(n)", #"{"s":"word \#(n)","kind":"K\#(n)"}"#) }
            let options = IndexDefinition.Kind.fullText(FullTextIndexOptions())
            let definition = IndexDefinition(name: "Words", kind: options, text: "s", condition: "(kind = 'k1') COLLATE (UNICODE NOCASE)")
            try database.indexes.create(definition, on: database.collection())
            #expect(try database.rows("SELECT meta().id FROM _ WHERE match(Words, 'word')") == [#""d1""#])
        }
        try files.removeRecords()
        try files.execute(#"DELETE FROM "kv_default::\Words_content""#)
        #expect(throws: QueryError.self) {
            try files.open(isReadOnly: true).rows("SELECT meta().id FROM _ WHERE match(Words, 'word')")
        }
        #expect(try files.open().rows("SELECT meta().id FROM _ WHERE match(Words, 'word')") == [#""d1""#])
        #expect(try files.findings() == [])
    }
}

@Suite("Dependent indexes of the original")
struct OriginalDependentIndexTests {
    @Test("the indexes on a collation and on dates in a file of the original are used after it was opened for writing")
    func renewal() throws {
        guard let original = try Fixtures.database("v3.2-indexes") else { return }
        let files = try DependentDatabase()
        try FileManager.default.copyItem(atPath: original.path, toPath: files.path)
        let collated = "SELECT meta().id FROM _ WHERE (name = 'x') COLLATE (UNICODE NOCASE NODIAC)"
        let dated = "SELECT meta().id FROM _ WHERE str_to_millis(date) > 0"
        let before: [[String]]
        do {
            let database = try files.open(isReadOnly: true)
            #expect(try !database.plan(collated).contains("INDEX collated") && !database.plan(dated).contains("INDEX dates"))
            before = try [database.rows(collated).sorted(), database.rows(dated).sorted()]
        }
        #expect(try !files.findings().contains { $0.severity == .error })
        do {
            let database = try files.open()
            #expect(try database.plan(collated).contains("INDEX collated") && database.plan(dated).contains("INDEX dates"))
            #expect(try [database.rows(collated).sorted(), database.rows(dated).sorted()] == before)
        }
        #expect(try files.findings() == [])
    }
}
