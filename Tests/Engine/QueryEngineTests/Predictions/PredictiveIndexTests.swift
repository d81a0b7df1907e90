import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Indexes of predictions")
struct PredictiveIndexTests {
    private let database: QueryDatabase
    private let model = TestModel.statistics()

    init() throws { database = try QueryDatabase.withNumbers() }

    private var call: String { "PREDICTION(\(model.name), {'numbers': numbers})" }

    private func createValueIndex(_ name: String, _ text: String) throws {
        try database.indexes.create(IndexDefinition(name: name, text: text), on: database.collection())
    }

    private func tables() throws -> [String] {
        try database.file.read { try $0.connection.texts("SELECT name FROM sqlite_master WHERE name LIKE '%:predict:%' ORDER BY name") }
    }

    // MARK: Value indexes

    @Test(
        "a value index of a prediction answers conditions without the model, and columns before SQLite 3.45",
        arguments: ["%.sum", "path"]
    )
    func valueIndex(form: String) throws {
        let call = form == "path" ? "PREDICTION(\(model.name), {'numbers': numbers}, '.sum')" : self.call + ".sum"
        try createValueIndex("SumIndex", call)
        #expect(model.count == 2)
        let text = "SELECT meta().id, \(call) AS s FROM _ WHERE \(call) = 15"
        #expect(try database.plan(text).contains("INDEX SumIndex"))
        #expect(try database.rows("SELECT meta().id FROM _ WHERE \(call) = 15") == [#""doc1""#])
        #expect(model.count == 2)
        #expect(try database.rows(text) == [#""doc1" 15"#])
        // Later releases do not take results with subtypes, such as those of JSON, from an index: one call for each row found.
        #expect(model.count == (SQLiteLibrary.version < 3_045_000 ? 2 : 3))
    }

    @Test("two value indexes serve the operands of OR, and one of two predictions calls the model twice for each document")
    func valueIndexes() throws {
        try createValueIndex("SumIndex", call + ".sum")
        try createValueIndex("AvgIndex", call + ".avg")
        let text = "SELECT meta().id FROM _ WHERE \(call).sum <= 15 OR \(call).avg = 8"
        let plan = try database.plan(text)
        #expect(plan.contains("SumIndex") && plan.contains("AvgIndex"))
        #expect(try database.rows(text) == [#""doc1""#, #""doc2""#])
        let count = model.count
        try createValueIndex("Both", "\(call).max, \(call).min")
        #expect(model.count == count + 4)
        #expect(try database.rows("SELECT meta().id FROM _ WHERE \(call).max = 5 AND \(call).min = 1") == [#""doc1""#])
    }

    @Test("a boolean output is the same with and without a value index")
    func booleans() throws {
        let text = "SELECT \(call).isLarge FROM _ WHERE \(call).isLarge IS VALUED ORDER BY \(call).isLarge"
        let wanted = try database.rows(text)
        #expect(wanted == ["false", "true"])
        try createValueIndex("large", call + ".isLarge")
        #expect(try database.rows(text) == wanted)
        try database.save("doc3", #"{"numbers":[100]}"#)
        #expect(try database.rows(text) == wanted + ["true"])
    }

    @Test("creating a value index without its model, and saving then, fails with SQLite's code 1, and changes nothing")
    func valueIndexWithoutModel() throws {
        try createValueIndex("SumIndex", call + ".sum")
        model.unregister()
        let error = #expect(throws: SQLiteError.self) { try database.save("doc3", #"{"numbers":[1]}"#) }
        #expect(error?.extendedCode == 1 && error?.message == "Unknown ML model name '\(model.name)'")
        #expect(throws: SQLiteError.self) { try createValueIndex("AvgIndex", call + ".avg") }
        #expect(try database.indexes.indexes(of: database.collection()).map(\.name) == ["SumIndex"])
        #expect(try database.rows("SELECT meta().id FROM _") == [#""doc1""#, #""doc2""#])
    }

    // MARK: Predictive indexes

    @Test("the table has the original's name and columns, and triggers that belong to the format")
    func layout() throws {
        let json = #"[["PREDICTION()","8ball",{"number":[".num"]}]]"#
        PredictionModels.shared.register(Constant(), withName: "8ball")
        defer { PredictionModels.shared.unregister(withName: "8ball") }
        let database = try QueryDatabase()
        try database.indexes.create(IndexDefinition(name: "ball", kind: .predictive, source: .json(json)), on: try database.collection())
        let row = try database.file.read { context in
            try context.connection.texts("SELECT type || ' ' || expression || ' ' || indexTableName FROM indexes").first
        }
        let table = #"kv_default:predict:0\M\W\K\Sbbzr0gn4\V\V\Vu\Ks\N\E9s\Z\E8o="#
        #expect(row == "3 =j\(json) \(table)")
        try database.save("doc", #"{"num":1}"#)
        let findings = try BundleChecker(database.file).findings()
        #expect(findings == [])
        let reopened = try database.reopenedForReading()
        #expect(reopened.file.removedTriggers.isEmpty)
        #expect(try reopened.rows("SELECT PREDICTION(`8ball`, {'number': num}).answer FROM _") == ["42"])
    }

    private final class Constant: PredictionModel {
        func output(for input: FleeceData, _ call: PredictionCall) -> [UInt8]? {
            var encoder = Encoder()
            encoder.beginDictionary()
            encoder.writeKey("answer")
            encoder.write(Int64(42))
            encoder.endDictionary()
            return (try? encoder.finish()).map { [UInt8]($0) }
        }
    }

    @Test("while the table exists, no query of the model and the input calls the model")
    func table() throws {
        try database.createPredictiveIndex("Agg", model)
        #expect(model.count == 2)
        let text =
            "SELECT meta().id, \(call).sum, \(call) AS p, \(call).isLarge FROM _ AS d WHERE PREDICTION(\(model.name), {'numbers': d.numbers}).sum = 15"
        #expect(try !database.plan(text).contains("Agg"))
        let rows = try database.rows(text.replacing("(numbers", with: "(d.numbers"))
        #expect(rows.count == 1 && rows[0].hasPrefix(#""doc1" 15 {"#) && rows[0].hasSuffix("false"))
        #expect(model.count == 2)
        model.unregister()
        #expect(try database.rows("SELECT \(call).max FROM _") == ["5", "10"])
    }

    @Test("indexes of properties share the table, appear in plans, and serve OR together; deleting them leaves the others")
    func sharing() throws {
        try database.createPredictiveIndex("Agg", model)
        try database.createPredictiveIndex("SumIndex", model, "sum")
        try database.createPredictiveIndex("AvgIndex", model, "avg")
        #expect(try model.count == 2 && tables().filter { !$0.contains("::") }.count == 1)
        let text = "SELECT meta().id FROM _ WHERE \(call).sum <= 15 OR \(call).avg = 8"
        func plan() throws -> (sum: Bool, avg: Bool) {
            let plan = try database.plan(text)
            return (plan.contains("INDEX SumIndex"), plan.contains("INDEX AvgIndex"))
        }
        #expect(try plan() == (true, true))
        #expect(try database.rows(text).sorted() == [#""doc1""#, #""doc2""#])
        try database.indexes.delete("SumIndex", on: database.collection())
        #expect(try plan().sum == false)
        try database.indexes.delete("AvgIndex", on: database.collection())
        #expect(try plan() == (false, false))
        #expect(try database.rows(text).sorted() == [#""doc1""#, #""doc2""#])
        #expect(model.count == 2)
        try database.indexes.delete("Agg", on: database.collection())
        #expect(try tables() == [])
        #expect(try database.rows(text).sorted() == [#""doc1""#, #""doc2""#])
        #expect(model.count > 2)
    }

    @Test("an index of a property serves a condition on it and its order, and one of two properties serves both")
    func properties() throws {
        try database.createPredictiveIndex("SumIndex", model, "sum")
        #expect(try database.plan("SELECT numbers FROM _ WHERE \(call).sum = 15").contains("INDEX SumIndex"))
        #expect(try database.rows("SELECT numbers[0] FROM _ WHERE \(call).sum > 15 ORDER BY \(call).sum") == ["6"])
        try database.createPredictiveIndex("Both", model, "sum", "avg")
        let text = "SELECT meta().id, \(call).isLarge FROM _ WHERE \(call).sum = 40 AND \(call).avg = 8"
        #expect(try database.plan(text).contains("INDEX Both"))
        #expect(try database.rows(text) == [#""doc2" true"#])
        #expect(model.count == 2)
    }

    @Test("creating an index again does nothing, and one of other properties replaces it")
    func repetition() throws {
        for _ in 1...2 { try database.createPredictiveIndex("Agg", model) }
        for _ in 1...2 { try database.createPredictiveIndex("SumIndex", model, "sum") }
        #expect(model.count == 2)
        try database.createPredictiveIndex("SumIndex", model, "avg")
        #expect(model.count == 2)
        #expect(try database.plan("SELECT meta().id FROM _ WHERE \(call).avg = 3").contains("SumIndex"))
    }

    @Test("saving, changing, deleting and purging documents keep the table current, with one call for each save")
    func maintenance() throws {
        try database.createPredictiveIndex("SumIndex", model, "sum")
        let text = "SELECT meta().id, \(call).sum FROM _ WHERE \(call).sum IS VALUED ORDER BY meta().id"
        try database.save("doc3", #"{"numbers":[100]}"#)
        #expect(model.count == 3)
        try database.save("doc1", #"{"numbers":[7]}"#)
        #expect(model.count == 4)
        #expect(try database.rows(text) == [#""doc1" 7"#, #""doc2" 40"#, #""doc3" 100"#])
        try database.save("doc1", "{}")
        try database.delete("doc2")
        #expect(try database.rows(text) == [#""doc3" 100"#])
        try database.save("doc2", #"{"numbers":[8]}"#)
        try database.purge("doc3")
        #expect(try database.rows(text) == [#""doc2" 8"#])
        #expect(try BundleChecker(database.file).findings().isEmpty)
    }

    @Test(
        "rows are the same with and without the index",
        arguments: [
            "SELECT meta().id, P.sum FROM _", "SELECT meta().id FROM _ WHERE P.sum IS MISSING", "SELECT meta().id FROM _ WHERE P.sum = 15",
            "SELECT meta().id FROM _ WHERE NOT P.sum = 15", "SELECT meta().id FROM _ WHERE P.sum = 15 OR numbers IS MISSING",
            "SELECT meta().id FROM _ WHERE P.sum + 1 BETWEEN 16 AND 20", "SELECT meta().id FROM _ WHERE P.sum IN (15, 40)",
            "SELECT COUNT(*) FROM _ WHERE P IS NOT VALUED", "SELECT P.isLarge AS l, COUNT(*) FROM _ GROUP BY P.isLarge ORDER BY l",
            "SELECT a.numbers[0], b.numbers[0] FROM _ AS a LEFT JOIN _ AS b ON PREDICTION(M, {'numbers': b.numbers}).sum = PREDICTION(M, {'numbers': a.numbers}).sum",
            "SELECT a.numbers[0] FROM _ AS a JOIN _ AS b ON a.numbers = b.numbers WHERE PREDICTION(M, {'numbers': b.numbers}).sum > 20",
            "SELECT meta().id, meta().deleted, P.sum FROM _", "SELECT meta().id FROM _ WHERE P.isLarge",
            "SELECT P.none, P.sum AS s FROM _ WHERE P.sum >= 15",
            "SELECT meta().id FROM _ WHERE EXISTS (SELECT 1 FROM _ AS i WHERE PREDICTION(M, {'numbers': i.numbers}).sum = 40)",
        ]
    )
    func sameRows(text: String) throws {
        try database.save("doc3", #"{"name":"none"}"#)
        try database.save("doc4", #"{"numbers":[1]}"#)
        try database.delete("doc4")
        let text = text.replacing("(M,", with: "(\(model.name),").replacing("P.", with: call + ".").replacing("P IS", with: call + " IS")
        let wanted = try database.rows(text).sorted()
        try database.createPredictiveIndex("Agg", model, "isLarge")
        try database.createPredictiveIndex("SumIndex", model, "sum")
        #expect(try database.rows(text).sorted() == wanted)
    }

    @Test("saving without the model fails with SQLite's code 1 and stores nothing; so does creating the index")
    func withoutModel() throws {
        try database.createPredictiveIndex("Agg", model)
        model.unregister()
        let error = #expect(throws: SQLiteError.self) { try database.save("doc1", "{}") }
        #expect(error?.extendedCode == 1 && error?.message == "Unknown ML model name '\(model.name)'")
        #expect(try database.rows("SELECT numbers[0] FROM _") == ["1", "6"])
        let other = TestModel.statistics()
        other.unregister()
        #expect(throws: SQLiteError.self) { try database.createPredictiveIndex("Other", other, "sum") }
        #expect(try database.indexes.indexes(of: database.collection()).map(\.name) == ["Agg"])
    }

    @Test("an expression that is no single call is refused")
    func refusedExpressions() throws {
        func create(_ json: String) throws {
            try database.indexes.create(IndexDefinition(name: "i", kind: .predictive, source: .json(json)), on: database.collection())
        }
        #expect(throws: QueryError.invalidQuery("Predictive index requires exactly one expression")) { try create(#"[[".a"],[".b"]]"#) }
        #expect(throws: QueryError.invalidQuery("Predictive index requires a PREDICT() expression")) { try create(#"[[".a"]]"#) }
        #expect(throws: QueryError.self) { try create(#"[["PREDICTION()","M"]]"#) }
        #expect(throws: QueryError.self) { try create(#"[["PREDICTION()","M",{"a":["$p"]}]]"#) }
        #expect(throws: QueryError.self) { try create(#"[["PREDICTION()","M",{},5]]"#) }
    }

    @Test("the list of indexes names the kind and the model, and the definition creates the index in another collection")
    func information() throws {
        try database.createPredictiveIndex("SumIndex", model, "sum")
        let index = try #require(try database.indexes.indexes(of: database.collection()).first)
        #expect(index.kind == .predictive && index.modelName == model.name && index.summary["type"] as? Int == 3)
        let definitions = try database.indexes.definitions(of: database.collection())
        #expect(definitions.others == [] && definitions.definitions.count == 1)
        let other = try database.collection("_default.other")
        try database.save("x", #"{"numbers":[2]}"#, in: "_default.other")
        for definition in definitions.definitions { try database.indexes.create(definition, on: other) }
        let count = model.count
        #expect(try database.rows("SELECT meta().id FROM other WHERE \(call).sum = 2") == [#""x""#])
        #expect(model.count == count)
    }

    @Test("rebuilding computes the outputs anew, and without the model leaves them as they are")
    func rebuilding() throws {
        try database.createPredictiveIndex("SumIndex", model, "sum")
        try database.file.transaction {
            try $0.connection.execute("DELETE FROM \(try table($0.connection).quotedIdentifier) WHERE docid = 1")
        }
        try database.indexes.rebuildAll()
        #expect(try database.rows("SELECT \(call).sum FROM _ WHERE \(call).sum > 0") == ["15", "40"])
        #expect(model.count == 4)
        model.unregister()
        try database.indexes.rebuildAll()
        #expect(try database.rows("SELECT \(call).sum FROM _ WHERE \(call).sum > 0") == ["15", "40"])
    }

    private func table(_ connection: Connection) throws -> String {
        try connection.texts("SELECT indexTableName FROM indexes").first ?? ""
    }

    @Test("the check finds a missing table, missing triggers and outputs without a document")
    func checking() throws {
        try database.createPredictiveIndex("SumIndex", model, "sum")
        func messages() throws -> [String] { try BundleChecker(database.file).findings().map(\.message) }
        #expect(try messages() == [])
        try database.file.transaction { writer in
            let name = try table(writer.connection)
            try writer.connection.execute("DROP TRIGGER \((name + "::del").quotedIdentifier)")
            try writer.connection.execute("INSERT INTO \(name.quotedIdentifier) VALUES (99, x'7000')")
        }
        let found = try messages()
        #expect(found.contains { $0.contains("::del is missing") } && found.contains { $0.contains("1 documents that do not exist") })
        try database.file.transaction { try $0.connection.execute("DROP TABLE \(try table($0.connection).quotedIdentifier)") }
        #expect(try messages() == ["its table is missing"])
        #expect(try database.rows("SELECT \(call).sum FROM _") == ["15", "40"])
    }

    @Test("deleting the collection drops the table")
    func deletedCollection() throws {
        let other = try database.collection("_default.other")
        try database.indexes.create(
            IndexDefinition(name: "i", kind: .predictive, source: .json(#"[["PREDICTION()","\#(model.name)",{"numbers":[".numbers"]}]]"#)),
            on: other
        )
        #expect(try tables().count == 5)
        try database.file.deleteCollection(other.id)
        #expect(try tables() == [])
    }
}
