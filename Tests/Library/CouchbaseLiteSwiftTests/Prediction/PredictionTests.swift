import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Predictive models")
struct PredictionTests {
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

    private func query(_ items: any SelectResultProtocol...) -> From { QueryBuilder.select(items).from(DataSource.collection(collection)) }

    private func expectSQLiteError(_ body: () throws -> Void) {
        let error = #expect(throws: NSError.self) { try body() }
        #expect(error?.domain == "CouchbaseLite.SQLite" && error?.code == 1)
    }

    @Test("a query can be created before its model is registered, fails without it, and uses the one that has the name when it is run")
    func registration() throws {
        defer { model.unregister() }
        model.unregister()
        let query = self.query(SelectResult.expression(model.numbers.property("sum")).as("sum"))
        expectSQLiteError { _ = try query.execute() }
        model.register()
        #expect(try query.execute().map { $0.int(forKey: "sum") } == [15, 40])
        Database.prediction.registerModel(withName: model.name) { _ in MutableDictionaryObject().setInt(-1, forKey: "sum") }
        #expect(try query.execute().map { $0.int(at: 0) } == [-1, -1])
        model.unregister()
        model.unregister()
        expectSQLiteError { _ = try query.execute() }
        expectSQLiteError { _ = try database.createQuery("SELECT \(model.sqlNumbers) FROM _").execute() }
    }

    @Test("values of all types pass through a model unchanged, and may be expressions at any depth")
    func types() throws {
        let echo = CountingModel { $0 }
        defer { echo.unregister() }
        let date = Date(timeIntervalSince1970: 1_577_934_245.5)
        let values: [String: Any] = [
            "max": Int64.max, "min": Int64.min, "float": Float.greatestFiniteMagnitude, "small": Double.leastNormalMagnitude, "true": true,
            "false": false, "text": "hello", "date": date, "null": NSNull(), "dictionary": ["a": ["b": 1]],
            "array": [1, [true, NSNull()]],
            "property": Expression.property("numbers"), "nothing": Expression.value(nil), "now": Expression.date(date),
            "inner": Expression.dictionary(["n": Expression.property("numbers[0]")]), "list": Expression.array([Expression.int(1), "x"]),
            "power": Function.power(base: Expression.int(2), exponent: Expression.int(2)),
        ]
        let query = self.query(SelectResult.expression(Function.prediction(model: echo.name, input: Expression.value(values)))).limit(
            Expression.int(1)
        )
        let output = try #require(try query.execute().next()?.dictionary(at: 0))
        #expect(output.count == values.count)
        #expect(output.int64(forKey: "max") == .max && output.int64(forKey: "min") == .min)
        #expect(output.float(forKey: "float") == .greatestFiniteMagnitude && output.double(forKey: "small") == .leastNormalMagnitude)
        #expect(output.boolean(forKey: "true") && output.contains(key: "false") && !output.boolean(forKey: "false"))
        #expect(output.string(forKey: "text") == "hello" && output.date(forKey: "date") == date && output.date(forKey: "now") == date)
        #expect(output.value(forKey: "null") is NSNull && output.value(forKey: "nothing") is NSNull)
        #expect(output.dictionary(forKey: "dictionary")?.toJSON() == #"{"a":{"b":1}}"#)
        #expect(output.array(forKey: "array")?.toJSON() == "[1,[true,null]]" && output.array(forKey: "property")?.count == 5)
        #expect(output.dictionary(forKey: "inner")?.int(forKey: "n") == 1 && output.array(forKey: "list")?.toJSON() == #"[1,"x"]"#)
        #expect(output.int(forKey: "power") == 4)
    }

    @Test("blobs of documents and blobs that are parameters and were never saved can be read by a model")
    func blobs() throws {
        let words = CountingModel.words()
        defer { words.unregister() }
        for (id, text) in [
            ("t1", "Knox on fox in socks in box. Socks on Knox and Knox in box."),
            ("t2", "Clocks on fox tick. Clocks on Knox tock. Six sick bricks tick. Six sick chicks tock."),
        ] {
            try collection.save(
                document: MutableDocument(id: id).setBlob(Blob(contentType: "text/plain", data: Data(text.utf8)), forKey: "text")
            )
        }
        let call = Function.prediction(model: words.name, input: Expression.dictionary(["text": Expression.property("text")]))
        let rows = try query(SelectResult.property("text"), SelectResult.expression(call.property("wc")).as("wc"))
            .where(call.property("wc").greaterThan(Expression.int(15))).execute().allResults()
        #expect(rows.map { $0.int(forKey: "wc") } == [16])
        #expect(rows.first?.blob(forKey: "text")?.content.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("Clocks") == true)
        let parameterCall = Function.prediction(model: words.name, input: Expression.dictionary(["text": Expression.parameter("text")]))
        let parameterQuery = query(SelectResult.expression(parameterCall.property("wc")).as("wc")).limit(Expression.int(1))
        let text = Data("Knox on fox in socks in box. Socks on Knox and Knox in box.".utf8)
        parameterQuery.parameters = Parameters().setBlob(Blob(contentType: "text/plain", data: text), forName: "text")
        #expect(try parameterQuery.execute().map { $0.int(forKey: "wc") } == [14])
    }

    @Test("a blob in an output that was never saved is left out; one of a document stays")
    func newBlobs() throws {
        try collection.save(
            document: MutableDocument(id: "blob").setBlob(Blob(contentType: "text/plain", data: Data("x".utf8)), forKey: "b")
        )
        let model = CountingModel { input in
            let new = Blob(contentType: "text/plain", data: Data("new".utf8))
            return MutableDictionaryObject().setBlob(input.blob(forKey: "b"), forKey: "old").setBlob(new, forKey: "new")
                .setValue([new, 1, ["k": new]], forKey: "list")
        }
        defer { model.unregister() }
        let row = try database.createQuery("SELECT PREDICTION(\(model.name), {'b': b}) FROM _ WHERE b IS VALUED").execute().next()
        let output = try #require(row?.dictionary(at: 0))
        #expect(output.blob(forKey: "old")?.content == Data("x".utf8))
        #expect(!output.contains(key: "new") && output.array(forKey: "list")?.toJSON() == "[1,{}]")
    }

    @Test("a bad input fails, and an output of nil is missing")
    func badInput() throws {
        defer { model.unregister() }
        let bad = Function.prediction(model: model.name, input: Expression.string("not a dictionary"))
        expectSQLiteError { _ = try query(SelectResult.expression(bad)).execute() }
        try collection.save(document: MutableDocument(id: "doc2").setString("none", forKey: "text"))
        let sum = model.numbers.property("sum")
        let rows = try query(SelectResult.expression(model.numbers), SelectResult.expression(sum).as("sum")).execute().allResults()
        #expect(rows[0].dictionary(at: 0)?.toDictionary() as? [String: Int] == ["sum": 15, "min": 1, "max": 5, "avg": 3])
        #expect(!rows[1].contains(key: "sum") && rows[1].value(at: 0) == nil)
        #expect(try query(SelectResult.expression(Meta.id)).where(model.numbers.isValued()).execute().map { $0.string(at: 0) } == ["doc1"])
        #expect(try query(SelectResult.expression(Meta.id)).where(sum.equalTo(Expression.int(15))).execute().allResults().count == 1)
        let ordered = query(SelectResult.expression(sum)).where(sum.isValued()).orderBy(Ordering.expression(sum).descending())
        #expect(try ordered.execute().map { $0.int(at: 0) } == [15])
    }

    @Test("a value of a type that cannot be stored is a programming error")
    func badValue() {
        struct Unknown {}
        #expect(misuse { _ = Expression.value(["a": [Unknown()]]) } != nil)
    }

    @Test("a typed model decodes its input and encodes its output; what it cannot decode, or an error, is missing")
    func typedModels() throws {
        struct Input: Decodable {
            let numbers: [Int]
            let factor: Int?
        }
        struct Output: Encodable {
            let total: Int
            let parts: [String: Int]
        }
        struct Refusal: Error {}
        let name = "Typed" + UUID().uuidString.replacing("-", with: "")
        Database.prediction.registerModel(withName: name, input: Input.self, output: Output.self) { input in
            if input.numbers.isEmpty { throw Refusal() }
            if input.numbers == [0] { return nil }
            return Output(total: input.numbers.reduce(0, +) * (input.factor ?? 1), parts: ["first": input.numbers[0]])
        }
        defer { Database.prediction.unregisterModel(withName: name) }
        for (id, json) in [
            ("a", #"{"numbers":[1.5]}"#), ("b", #"{"numbers":"text"}"#), ("c", "{}"), ("d", #"{"numbers":[]}"#), ("e", #"{"numbers":[0]}"#),
        ] {
            try collection.save(document: MutableDocument(id: id, json: json))
        }
        let text = "SELECT meta().id, PREDICTION(\(name), {'numbers': numbers, 'factor': 2}) AS p FROM _ ORDER BY meta().id"
        let rows = try database.createQuery(text).execute().map { ($0.string(at: 0), $0.dictionary(forKey: "p")?.int(forKey: "total")) }
        #expect(rows.map(\.1) == [nil, nil, nil, nil, 30, 80, nil])
        let first = try database.createQuery("SELECT PREDICTION(\(name), {'numbers': [3, 4]}).parts.`first` FROM _ LIMIT 1").execute()
            .next()
        #expect(first?.int(at: 0) == 3)
    }

    @Test("a model may query the database in a query and in a save, through the same and through another object, but cannot save")
    func reentrance() throws {
        let other = try folder.open()
        let errors = Mutex<[Int]>([])
        let (database, collection) = (database, collection)
        let model = CountingModel { input in
            do {
                try collection.save(document: MutableDocument(id: "from the model"))
            } catch {
                errors.withLock { $0.append((error as NSError).code) }
            }
            let text = "SELECT COUNT(*) AS n FROM _"
            guard let own = try? database.createQuery(text).execute().next(), let foreign = try? other.createQuery(text).execute().next()
            else { return nil }
            return MutableDictionaryObject().setInt(own.int(at: 0) + foreign.int(at: 0), forKey: "n")
        }
        defer { model.unregister() }
        #expect(
            try database.createQuery("SELECT PREDICTION(\(model.name), {'numbers': numbers}).n FROM _").execute().map { $0.int(at: 0) } == [
                4, 4,
            ]
        )
        let index = IndexBuilder.predictiveIndex(
            model: model.name,
            input: Expression.dictionary(["numbers": Expression.property("numbers")]),
            properties: ["n"]
        )
        try collection.createIndex(index, name: "n")
        try collection.save(document: MutableDocument(id: "doc3"))
        #expect(errors.withLock { $0 } == Array(repeating: CBLError.invalidParameter, count: 5))
        #expect(try database.createQuery("SELECT meta().id FROM _").execute().allResults().count == 3)
        #expect(
            try database.createQuery("SELECT PREDICTION(\(model.name), {'numbers': numbers}).n FROM _").execute().map { $0.int(at: 0) }.last
                == 6
        )
    }

    @Test(
        "distances",
        arguments: [
            ([10, 10] as [Int], [13, 14] as [Int]?, 5.0 as Double?, 25.0 as Double?), ([1, 2, 3], [1, 2, 3], 0, 0), ([], [], 0, 0),
            ([1, 2], [1, 2, 3], nil, nil), ([1, 2], nil, nil, nil),
        ]
    )
    func distances(first: [Int], second: [Int]?, distance: Double?, square: Double?) throws {
        let (a, b) = (Expression.array(first), second.map { Expression.array($0) } ?? Expression.string("text"))
        let row = try #require(
            try query(
                SelectResult.expression(Function.euclideanDistance(between: a, and: b)),
                SelectResult.expression(Function.squaredEuclideanDistance(between: a, and: b)),
                SelectResult.expression(Function.cosineDistance(between: a, and: b))
            ).execute().next()
        )
        #expect(row.number(at: 0)?.doubleValue == distance && row.number(at: 1)?.doubleValue == square)
        #expect((row.value(at: 2) == nil) == (distance == nil || first.isEmpty))
    }
}
