import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Trained indexes, and files that were damaged (Vector search 5, T-4, T-14).
@Suite("Trained vector")
struct TrainedVectorTests {
    private func table(_ part: String) -> String { "\"kv_.words:vector:words_index:\(part)\"" }

    private func execute(_ sql: String, on words: VectorDatabase) throws {
        let other = try Connection(path: words.database.file.bundle.sqliteFile, mode: .readWrite)
        defer { other.closeLoggingErrors() }
        try other.execute(sql)
    }

    @Test(arguments: [StoredVectorEncoding.none, .scalar(bits: 8), .scalar(bits: 6), .scalar(bits: 4), .product(subquantizers: 2, bits: 4)])
    func anIndexWithEnoughVectorsIsTrainedWhenItIsCreated(_ encoding: StoredVectorEncoding) throws {
        let least = encoding.name.hasPrefix("PQ") ? 400 : 75
        let words = try VectorDatabase.withPoints(least, VectorIndexOptions(dimensions: 2, centroids: 3, encoding: encoding))
        #expect(try words.state() == .init(vectorCount: least, isTrained: true))
        #expect(try words.nearest(1000).count == least)
        if least == 75 { #expect(try words.nearest(5, target: "[40,0]").contains("w40")) }
        #expect(try words.findings() == [])
        let few = try VectorDatabase.withPoints(least - 1, VectorIndexOptions(dimensions: 2, centroids: 3, encoding: encoding))
        #expect(try few.state() == .init(vectorCount: least - 1, isTrained: false))
        try few.save("one more", 3, 3)
        #expect(try few.state() == .init(vectorCount: least, isTrained: true))
        #expect(try few.nearest(1000).count == least)
        #expect(try few.findings() == [])
    }

    @Test("fewer probes find fewer documents")
    func fewerProbesFindFewerDocuments() throws {
        let words = try VectorDatabase.withPoints(200, VectorIndexOptions(dimensions: 2, centroids: 8))
        func count(_ arguments: String) throws -> Int {
            try words.nearest(300, distance: "APPROX_VECTOR_DISTANCE(vector, $t\(arguments))").count
        }
        let (one, five, all) = (try count(", NULL, 1"), try count(", 'L2_SQUARED', 5"), try count(""))
        #expect(0 < one && one < five && five < all)
        #expect(all == 200)
        try words.createIndex(options: VectorIndexOptions(dimensions: 2, centroids: 8, probes: 1))
        #expect(try count("") == one)
        // Conditions lose no document.
        #expect(try words.rows("SELECT count(*) FROM words WHERE even AND APPROX_VECTOR_DISTANCE(vector, $t) >= 0") == ["100"])
    }

    @Test("a trained index stays trained")
    func aTrainedIndexStaysTrained() throws {
        let words = try VectorDatabase.withPoints(30)
        for n in 0..<30 { try words.database.purge("w\(n)", in: "words") }
        #expect(try words.state() == .init(vectorCount: 0, isTrained: true))
        #expect(try words.nearest() == [])
        try words.save("new", 4, 4)
        #expect(try words.nearest() == ["new"])
        #expect(try words.findings() == [])
    }

    @Test(arguments: [
        "UPDATE cells SET data = x'00'", "UPDATE cells SET count = 9223372036854775807", "UPDATE cells SET count = -1",
        "UPDATE model SET data = x''", "UPDATE model SET data = zeroblob(100000000)", "DELETE FROM model",
        "UPDATE model SET data = zeroblob(length(data))", "INSERT INTO model (part, data) VALUES (7, zeroblob(1000))",
    ])
    func damageIsAnErrorOfQueriesAndIsRepairedByTheNextChange(_ sql: String) throws {
        let words = try VectorDatabase.withPoints(80)
        try execute(sql.replacing("cells", with: table("cells")).replacing("model", with: table("model")), on: words)
        words.database.file.indexCache.removeAll()
        let error = #expect(throws: SQLiteError.self) { try words.nearest() }
        #expect(error?.message.contains("damaged") ?? false, "\(error?.message ?? "")")
        #expect(try words.findings().count == 1)
        // A change of a document whose vector is in a cell reads the cell and the model.
        try words.save("w3", 3, 1)
        #expect(try words.nearest().count == 80)
        #expect(try words.findings() == [])
    }

    @Test(arguments: [
        "UPDATE rows SET slot = 9223372036854775807", "UPDATE rows SET cell = 12345", "DELETE FROM rows", "DELETE FROM cells",
        "UPDATE cells SET bucket = -9223372036854775808", "UPDATE cells SET bucket = 70000",
        "INSERT INTO dead VALUES (1, 1), (1, 700), (9, 9)",
        "UPDATE rows SET bucket = 99, code = x'0102', state = 2, cell = NULL WHERE docid = 1",
    ])
    func inconsistentTablesAreFoundByTheCheckAndRebuilt(_ sql: String) throws {
        let words = try VectorDatabase.withPoints(80)
        let names = ["rows", "cells", "dead"].reduce(sql) {
            $0.replacing(" \($1) ", with: " \(table($1)) ").replacing(" \($1)", with: " \(table($1))")
        }
        try execute(names.replacing("\"\"", with: "\""), on: words)
        _ = try? words.nearest()
        #expect(try !words.findings().isEmpty)
        _ = try? words.save("w3", 3, 1)
        try words.database.indexes.rebuild()
        #expect(try words.nearest().count == 80)
        #expect(try words.findings() == [])
    }

    @Test("the check reports a vector in the place of an equal one, and what each kind of difference is")
    func theCheckReportsEachKindOfDifference() throws {
        let words = try VectorDatabase.withPoints(80)
        try words.save("same", 3, 0)
        try words.database.indexes.rebuild()
        #expect(try words.findings() == [])
        let rows = table("rows")
        func finding(_ sql: String, undone undoing: String) throws -> String {
            try execute(sql, on: words)
            let found = try words.findings()
            #expect(found.count == 1, "\(sql)")
            try execute(undoing, on: words)
            #expect(try words.findings() == [], "\(undoing)")
            return found.first ?? ""
        }
        // The documents 4 and 81 have equal vectors; their places are 3 of the first cell and 16 of the second.
        func move(_ row: Int, _ place: String) -> String { "UPDATE \(rows) SET (cell, slot) = (\(place)) WHERE docid = \(row);" }
        let swapped = try finding(move(4, "2, 16") + move(81, "1, 3"), undone: move(4, "1, 3") + move(81, "2, 16"))
        #expect(swapped.contains("2 with other vectors"))
        let gone = "UPDATE \(rows) SET state = 1 WHERE docid = 7"
        #expect(try finding(gone, undone: "UPDATE \(rows) SET state = 3 WHERE docid = 7").contains("it lacks 1 documents"))
        let extra = "INSERT INTO \(rows) (docid, state, bucket, code) VALUES (999, 2, 0, x'00')"
        #expect(try finding(extra, undone: "DELETE FROM \(rows) WHERE docid = 999").contains("1 that it must not contain"))
    }

    @Test(arguments: [
        "UPDATE vector_indexes SET options = 'dimensions=99999999999,centroids=1'", "UPDATE vector_indexes SET options = ''",
        "UPDATE vector_indexes SET tableName = 'kv_.words'", "UPDATE vector_indexes SET tableName = 'x'",
        "UPDATE vector_indexes SET format = 2",
        "UPDATE vector_indexes SET expression = '=n)('", "UPDATE vector_indexes SET keyStore = 'none'",
    ])
    func rowsOfTheRegistryThatMakeNoSenseAreNoIndexes(_ sql: String) throws {
        let words = try VectorDatabase.withPoints(80)
        try execute(sql, on: words)
        #expect(throws: QueryError.self) { try words.nearest() }
        try words.save("w3", 3, 1)
        #expect(try words.database.rows("SELECT count(*) FROM words") == ["80"])
    }

    // T-14
    @Test("an index of a newer format is left alone, and changed documents are marked in it")
    func anIndexOfANewerFormatIsLeftAlone() throws {
        let words = try VectorDatabase.withPoints(80)
        try execute("UPDATE vector_indexes SET format = 2", on: words)
        func texts(_ sql: String) throws -> [String] { try words.database.file.read { try $0.connection.texts(sql) } }
        let cells = "SELECT hex(data) FROM \(table("cells")) ORDER BY id"
        let before = try texts(cells)
        #expect(!before.isEmpty)
        try words.save("w3", 3, 1)
        #expect(try texts(cells) == before)
        #expect(try texts("SELECT format || '' FROM vector_indexes") == ["2"])
        #expect(try texts("SELECT docid || '' FROM \(table("rows")) WHERE state = 0") == ["4"])
    }

    @Test("missing triggers and tables are made anew")
    func missingTriggersAndTablesAreMadeAnew() throws {
        let words = try VectorDatabase.withPoints(80)
        for sql in [
            "DROP TRIGGER \"kv_.words:vector:words_index:rows::ins\"", "DROP TABLE \(table("cells"))", "DROP TABLE \(table("rows"))",
            "DROP TABLE \(table("dead"))", "DROP TABLE \(table("model"))",
            "DROP INDEX \"kv_.words:vector:words_index:dirty\"",
        ] {
            try execute(sql, on: words)
            try words.save("w3", 3, 1)
            #expect(try words.nearest().count == 80, "\(sql)")
            #expect(try words.findings() == [])
        }
    }

    @Test("triggers of other texts are removed when the file is opened")
    func triggersOfOtherTextsAreRemovedWhenTheFileIsOpened() throws {
        let words = try VectorDatabase.withPoints(3)
        try execute(
            """
            DROP TRIGGER "kv_.words:vector:words_index:rows::del";
            CREATE TRIGGER "kv_.words:vector:words_index:rows::del" AFTER DELETE ON "kv_.words" BEGIN DELETE FROM "kv_info"; END
            """,
            on: words
        )
        let path = words.database.file.bundle.directory
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path("copy.cblite2"))
        let other = try QueryDatabase(path: copy.path("copy.cblite2"), directory: copy)
        #expect(other.file.removedTriggers == ["kv_.words:vector:words_index:rows::del"])
    }

    @Test("a read only file is searched")
    func aReadOnlyFileIsSearched() throws {
        let words = try VectorDatabase.withPoints(80)
        let reader = try VectorDatabase(words.database.reopenedForReading())
        #expect(try reader.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 2", target: "[7,0]").first == "7")
    }
}
