import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Predictive indexes")
struct PredictiveIndexTests {
    private let folder: DatabaseFolder
    private let database: Database
    private let collection: Collection
    private let model = CountingModel.aggregate()

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
        for (id, numbers) in [("doc1", [1, 2, 3, 4, 5]), ("doc2", [6, 7, 8, 9, 10])] {
            try collection.save(document: MutableDocument(id: id).setValue(numbers, forKey: "numbers"))
        }
    }

    private var input: any ExpressionProtocol { Expression.value(["numbers": Expression.property("numbers")]) }

    private func sum(_ operation: (any ExpressionProtocol) -> any ExpressionProtocol) -> Query {
        let sum = model.numbers.property("sum")
        return QueryBuilder.select(SelectResult.property("numbers"), SelectResult.expression(sum).as("sum"))
            .from(DataSource.collection(collection)).where(operation(sum))
    }

    private var both: Query {
        let condition = model.numbers.property("sum").lessThanOrEqualTo(Expression.int(15)).or(
            model.numbers.property("avg").equalTo(Expression.int(8))
        )
        return QueryBuilder.select(SelectResult.property("numbers")).from(DataSource.collection(collection)).where(condition)
    }

    /// The calls for a row whose output is a column: since this release, SQLite takes no results with subtypes from a value index.
    private let callsOfColumn = SQLiteLibrary.version < 3_045_000 ? 0 : 1

    private func createIndex(_ name: String, _ properties: [String]?) throws {
        try collection.createIndex(IndexBuilder.predictiveIndex(model: model.name, input: input, properties: properties), name: name)
    }

    @Test("a value index of a prediction is used by a query, which does not call the model")
    func valueIndex() throws {
        defer { model.unregister() }
        try collection.createIndex(
            IndexBuilder.valueIndex(items: ValueIndexItem.expression(model.numbers.property("sum"))),
            name: "SumIndex"
        )
        let query = sum { $0.equalTo(Expression.int(15)) }
        #expect(try query.explain().contains("INDEX SumIndex"))
        #expect(try query.execute().map { $0.int(forKey: "sum") } == [15])
        #expect(model.count == 2 + callsOfColumn)
    }

    @Test("several value indexes, and one of several predictions")
    func valueIndexes() throws {
        defer { model.unregister() }
        for name in ["sum", "avg"] {
            try collection.createIndex(
                IndexBuilder.valueIndex(items: ValueIndexItem.expression(model.numbers.property(name))),
                name: name + "Index"
            )
        }
        let plan = try both.explain()
        #expect(plan.contains("INDEX sumIndex") && plan.contains("INDEX avgIndex"))
        #expect(try both.execute().allResults().count == 2)
        try collection.deleteIndex(forName: "sumIndex")
        try collection.deleteIndex(forName: "avgIndex")
        model.reset()
        let items = ["sum", "avg"].map { ValueIndexItem.expression(model.numbers.property($0)) }
        try collection.createIndex(IndexBuilder.valueIndex(items: items), name: "SumAvgIndex")
        let query = sum { $0.equalTo(Expression.int(15)).and(model.numbers.property("avg").equalTo(Expression.int(3))) }
        #expect(try query.explain().contains("INDEX SumAvgIndex"))
        #expect(try query.execute().allResults().count == 1)
        #expect(model.count == 4 + callsOfColumn)
    }

    @Test("a predictive index without properties serves a query without being in its plan")
    func outputsOnly() throws {
        defer { model.unregister() }
        try createIndex("AggIndex", nil)
        let query = sum { $0.equalTo(Expression.int(15)) }
        #expect(try !query.explain().contains("AggIndex"))
        #expect(try query.execute().map { $0.int(forKey: "sum") } == [15])
        #expect(model.count == 2)
        #expect(try collection.indexes() == ["AggIndex"] && collection.index(withName: "AggIndex")?.collection === collection)
        let information = try #require(try collection.indexesInfo()?.first)
        #expect(information["type"] as? Int == 3 && (information["expr"] as? String)?.contains("PREDICTION()") == true)
    }

    @Test("predictive indexes of properties are in the plans, and the model is called for creating them only")
    func properties() throws {
        defer { model.unregister() }
        try createIndex("SumIndex", ["sum"])
        let query = sum { $0.equalTo(Expression.int(15)) }
        #expect(try query.explain().contains("INDEX SumIndex"))
        #expect(try query.execute().allResults().count == 1)
        try createIndex("AvgIndex", ["avg"])
        let plan = try both.explain()
        #expect(plan.contains("INDEX SumIndex") && plan.contains("INDEX AvgIndex"))
        #expect(try both.execute().allResults().count == 2)
        for name in ["SumIndex", "AvgIndex"] { try collection.deleteIndex(forName: name) }
        #expect(model.count == 2)
        try createIndex("SumAvgIndex", ["sum", "avg"])
        let compound = sum { $0.equalTo(Expression.int(15)).and(model.numbers.property("avg").equalTo(Expression.int(3))) }
        #expect(try compound.explain().contains("INDEX SumAvgIndex"))
        #expect(try compound.execute().allResults().count == 1)
        #expect(model.count == 4)
    }

    @Test("after an index is deleted, the plan does not name it, and the model is called again")
    func deletion() throws {
        defer { model.unregister() }
        try createIndex("SumIndex", ["sum"])
        let condition = model.numbers.property("sum").equalTo(Expression.int(15))
        let query = QueryBuilder.select(SelectResult.property("numbers")).from(DataSource.collection(collection)).where(condition)
        #expect(try query.explain().contains("INDEX SumIndex"))
        #expect(try query.execute().allResults().count == 1 && model.count == 2)
        try collection.deleteIndex(forName: "SumIndex")
        model.reset()
        #expect(try !query.explain().contains("SumIndex"))
        #expect(try query.execute().allResults().count == 1 && model.count == 2)
    }

    @Test("saving and creating an index without the model throw an error of SQLite; a batch is rolled back")
    func withoutModel() throws {
        try createIndex("SumIndex", ["sum"])
        model.unregister()
        func expectSQLiteError(_ body: () throws -> Void) {
            let error = #expect(throws: NSError.self) { try body() }
            #expect(error?.domain == "CouchbaseLite.SQLite" && error?.code == 1)
        }
        expectSQLiteError { try collection.save(document: MutableDocument(id: "doc3")) }
        expectSQLiteError {
            let index = IndexBuilder.predictiveIndex(model: "unknown model", input: input, properties: ["sum"])
            try collection.createIndex(index, name: "other")
        }
        #expect(throws: NSError.self) { try database.inBatch { try collection.save(document: MutableDocument(id: "doc4")) } }
        #expect(try collection.indexes() == ["SumIndex"] && collection.count == 2)
    }

    @Test("reindexing computes the outputs of the model that is registered now; copies, backups and compaction keep them")
    func maintenance() throws {
        defer { model.unregister() }
        try createIndex("SumIndex", ["sum"])
        let text = "SELECT \(model.sqlNumbers).sum FROM _ WHERE \(model.sqlNumbers).sum IS VALUED"
        Database.prediction.registerModel(withName: model.name) { _ in MutableDictionaryObject().setInt(7, forKey: "sum") }
        #expect(try database.createQuery(text).execute().map { $0.int(at: 0) } == [15, 40])
        try database.performMaintenance(type: .compact)
        try database.performMaintenance(type: .integrityCheck)
        try database.performMaintenance(type: .reindex)
        #expect(try database.createQuery(text).execute().map { $0.int(at: 0) } == [7, 7])
        let path = try #require(database.path)
        try database.close()
        let config = DatabaseConfiguration()
        config.directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config)
        let copy = try Database(name: "copy", config: config)
        model.unregister()
        #expect(try copy.createQuery(text).execute().map { $0.int(at: 0) } == [7, 7])
    }
}
