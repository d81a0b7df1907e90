import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Synchronization
import TestSupport
import TestTraits
import Testing

@Suite("Predictions in queries")
struct PredictionTests {
    private func fails(_ text: String, _ database: QueryDatabase, _ parameters: QueryParameters = .init()) throws -> SQLiteError? {
        #expect(throws: SQLiteError.self) { try database.rows(text, parameters) }
    }

    @Test("the output is a dictionary, whose values are read by a path as an argument or after the call")
    func output() throws {
        let database = try QueryDatabase.withNumbers()
        let model = TestModel.statistics()
        let call = "PREDICTION(\(model.name), {'numbers': numbers}"
        let text =
            "SELECT \(call)).sum, \(call), '.max') AS m, \(call), min) AS n, \(call)).none AS z, \(call)).absent AS a, \(call)).isLarge FROM _"
        #expect(try database.rows(text) == ["15 5 1 null - false", "40 10 6 null - true"])
        #expect(try database.rows("SELECT \(call)) AS p FROM _ WHERE meta().id = 'doc1'").first?.contains(#""sum":15"#) == true)
        #expect(try database.rows("SELECT meta().id FROM _ WHERE prediction(\(model.name), {'numbers': numbers}).sum = 15") == [#""doc1""#])
        #expect(try database.rows("SELECT meta().id FROM _ ORDER BY \(call)).sum DESC") == [#""doc2""#, #""doc1""#])
        #expect(try database.rows("SELECT SUM(\(call)).sum) FROM _") == ["55"])
    }

    @Test("a query of 2 documents calls the model once for each written call and document that no condition before it excludes")
    func calls() throws {
        let database = try QueryDatabase.withNumbers()
        let model = TestModel.statistics()
        let call = "PREDICTION(\(model.name), {'numbers': numbers})"
        _ = try database.rows("SELECT \(call).sum, \(call).avg FROM _")
        #expect(model.count == 4)
        _ = try database.rows("SELECT \(call).sum FROM _ WHERE meta().id = 'doc1' AND \(call).sum > 1")
        #expect(model.count == 6)
        _ = try database.rows("SELECT \(call).sum FROM _ WHERE FALSE")
        #expect(model.count == 6)
    }

    @Test("without output the value is MISSING, and without input the model is not called")
    func missing() throws {
        let database = try QueryDatabase.withNumbers()
        try database.save("doc3", "{}")
        let model = TestModel.statistics()
        #expect(try database.rows("SELECT PREDICTION(\(model.name), {'numbers': numbers}).sum FROM _") == ["15", "40", "-"])
        #expect(
            try database.rows("SELECT meta().id FROM _ WHERE PREDICTION(\(model.name), {'numbers': numbers}) IS NOT VALUED") == [#""doc3""#]
        )
        let count = model.count
        #expect(try database.rows("SELECT PREDICTION(\(model.name), absent) FROM _") == ["-", "-", "-"])
        #expect(model.count == count)
    }

    @Test("a query of an unknown model can be created, and fails with SQLite's code 1 only if the model is needed")
    func unknownModel() throws {
        let database = try QueryDatabase.withNumbers()
        let model = TestModel.statistics()
        let text = "SELECT PREDICTION(\(model.name), {'numbers': numbers}).sum FROM _ WHERE meta().id = 'doc1'"
        model.unregister()
        let query = try database.prepare(text)
        let error = #expect(throws: SQLiteError.self) { try query.run(on: database.file) }
        #expect(error?.extendedCode == 1 && error?.message == "Unknown ML model name '\(model.name)'")
        #expect(try database.rows(text.replacing("doc1", with: "none")) == [])
        model.register()
        #expect(try query.run(on: database.file).json(0) == "15")
        let other = TestModel { _, _ in #"{"sum":1}"# }
        #expect(try database.rows(text.replacing(model.name, with: other.name)) == ["1"])
    }

    @Test("an input that is no dictionary fails with SQLite's code 1", arguments: ["'text'", "1", "[1]", "NULL", "TRUE"])
    func badInput(input: String) throws {
        let database = try QueryDatabase.withNumbers()
        let model = TestModel.statistics()
        let error = try fails("SELECT PREDICTION(\(model.name), \(input)) FROM _", database)
        #expect(error?.extendedCode == 1 && error?.message == "Parameter of prediction() must be a dictionary")
    }

    @Test("all types pass through a model unchanged")
    func types() throws {
        let database = try QueryDatabase()
        let json =
            #"{"array":[1,[true,{}]],"date":"2020-01-02T03:04:05.678Z","dictionary":{"k":null},"double":0.1,"false":false,"max":9223372036854775807,"min":-9223372036854775808,"null":null,"text":"é","true":true,"unsigned":18446744073709551615}"#
        try database.save("doc", json)
        let model = TestModel.echo()
        let input =
            ["array", "date", "dictionary", "double", "max", "min", "text", "unsigned"].map { "'\($0)': \($0)" } + [
                "'true': `true`", "'false': `false`", "'null': `null`",
            ]
        #expect(try database.value("PREDICTION(\(model.name), {\(input.joined(separator: ", "))})") == json)
        #expect(try database.value("PREDICTION(\(model.name), *)") == json)
        #expect(
            try database.value("PREDICTION(\(model.name), $p)", QueryParameters(json: #"{"p":{"a":{"b":[null]}}}"#))
                == #"{"a":{"b":[null]}}"#
        )
        #expect(try database.value("PREDICTION(\(model.name), {'a': absent, 'b': 1})") == #"{"b":1}"#)
        #expect(try database.value("PREDICTION(\(model.name), {'a': max}).a = max") == "1")
    }

    // T-17
    @Test("a run goes on with the model that it has found first, also if that is replaced or unregistered meanwhile")
    func replacement() throws {
        let database = try QueryDatabase.withNumbers()
        let name = Mutex("")
        let second = TestModel { _, _ in
            PredictionModels.shared.unregister(withName: name.withLock { $0 })
            return #"{"v":2}"#
        }
        let first = TestModel { _, _ in
            second.register(withName: name.withLock { $0 })
            return #"{"v":1}"#
        }
        name.withLock { $0 = first.name }
        let text = "SELECT PREDICTION(\(first.name), {'numbers': numbers}).v FROM _ WHERE numbers IS VALUED"
        #expect(try database.rows(text) == ["1", "1"])
        #expect(try database.rows(text) == ["2", "2"])
        #expect(first.count == 2 && second.count == 2)
        #expect(try fails(text, database) != nil)
    }

    // T-17
    @Test("two threads are in a slow model at the same time, and neither other queries nor saves wait for it", .ownThreads)
    func slowModel() throws {
        let database = try QueryDatabase.withNumbers()
        let file = database.file
        let (entered, mayEnd, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let model = TestModel { _, _ in
            entered.signal()
            _ = mayEnd.wait(timeout: .now() + waitLimit)
            return #"{"v":1}"#
        }
        let text = "SELECT PREDICTION(\(model.name), {'numbers': numbers}).v FROM _ WHERE meta().id = 'doc1'"
        let results = Mutex<[String]>([])
        for _ in 0..<2 {
            Thread.detachNewThread {
                let query = try? PreparedQuery(SQLPlusPlus.parse(text), on: file, databaseName: "db")
                let found = (try? query?.run(on: file).json(0)) ?? "no result"
                results.withLock { $0.append(found) }
                ended.signal()
            }
        }
        for _ in 0..<2 { #expect(entered.wait(timeout: .now() + waitLimit) == .success) }
        #expect(model.count == 2)
        try database.save("doc3", #"{"numbers":[1]}"#)
        #expect(try database.rows("SELECT COUNT(*) FROM _") == ["3"])
        #expect(results.withLock { $0 } == [])
        for _ in 0..<2 { mayEnd.signal() }
        for _ in 0..<2 { #expect(ended.wait(timeout: .now() + waitLimit) == .success) }
        #expect(results.withLock { $0 } == ["1", "1"])
        #expect(model.count == 2)
    }

    @Test("a model can query the file that is being queried or written, but not write to it")
    func reentrance() throws {
        let database = try QueryDatabase.withNumbers()
        let file = database.file
        let failures = Mutex<[String]>([])
        let model = TestModel { input, _ in
            do {
                try file.transaction { _ in }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
            let query = try? PreparedQuery(
                SQLPlusPlus.parse("SELECT COUNT(*), SUM(ARRAY_SUM(numbers)) FROM _"),
                on: file,
                databaseName: "db"
            )
            guard let row = try? query?.run(on: file), let count = try? row.json(0) else { return nil }
            return #"{"counted":"\#(count)"}"#
        }
        #expect(
            try database.rows("SELECT PREDICTION(\(model.name), {'numbers': numbers}).counted, numbers[0] FROM _") == [
                #""2 55.0" 1"#, #""2 55.0" 6"#,
            ]
        )
        try database.createPredictiveIndex("counted", model, "counted")
        try database.save("doc3", #"{"numbers":[45]}"#)
        let call = "PREDICTION(\(model.name), {'numbers': numbers}).counted"
        #expect(try database.rows("SELECT \(call) FROM _") == [#""2 55.0""#, #""2 55.0""#, #""3 100.0""#])
        #expect(failures.withLock { $0 }.allSatisfy { $0.contains("a model may only read") } && failures.withLock { $0.count } == 5)
        try file.transaction { _ in }
    }

    @Test("a model that calls itself without end makes the query fail, and not the process")
    func recursion() throws {
        let database = try QueryDatabase.withNumbers()
        let file = database.file
        let text = Mutex("")
        let messages = Mutex<[String]>([])
        let model = TestModel { _, _ in
            do {
                let query = try PreparedQuery(SQLPlusPlus.parse(text.withLock { $0 }), on: file, databaseName: "db")
                _ = try query.run(on: file)
            } catch {
                messages.withLock { $0.append("\(error)") }
            }
            return nil
        }
        text.withLock { $0 = "SELECT PREDICTION(\(model.name), {}) FROM _ LIMIT 1" }
        #expect(try database.rows(text.withLock { $0 }) == ["-"])
        #expect(messages.withLock { $0.count } == 1 && messages.withLock { $0[0] }.contains("too deeply"))
    }

    @Test("names of models are compared by their bytes, and one in backticks can be any text")
    func names() throws {
        let database = try QueryDatabase.withNumbers()
        let model = TestModel { _, _ in #"{"v":1}"# }
        #expect(try fails("SELECT PREDICTION(\(model.name.lowercased()), {}) FROM _", database) != nil)
        #expect(try database.rows("SELECT PREDICTION(`\(model.name)`, {}).v FROM _ LIMIT 1") == ["1"])
    }

    @Test("a statement stores the output of a model")
    func statements() throws {
        let database = try QueryDatabase.withNumbers()
        let model = TestModel.statistics()
        let call = "PREDICTION(\(model.name), {'numbers': numbers}).sum"
        for text in [
            "UPDATE _ SET total = \(call) WHERE \(call) > 20",
            "INSERT INTO _ (KEY, VALUE) VALUES ('new', {'total': PREDICTION(\(model.name), {'numbers': [1, 2]}).sum})",
        ] {
            _ = try #require(try SQLPlusPlus.parseDataStatement(text)).run(on: database.file, databaseName: "db")
        }
        #expect(try database.rows("SELECT total FROM _") == ["-", "40", "3"])
    }
}

@Suite("Distances")
struct DistanceTests {
    @Test(
        "distances of arrays of the same length are numbers, and of anything else MISSING",
        arguments: [
            ("EUCLIDEAN_DISTANCE([10, 10], [13, 14])", "5.0"), ("euclidean_distance([1, 2, 3], [1, 2, 3])", "0.0"),
            ("EUCLIDEAN_DISTANCE([], [])", "0.0"), ("EUCLIDEAN_DISTANCE([1, 2], [1, 2, 3])", "-"),
            ("EUCLIDEAN_DISTANCE([1, 2], 'text')", "-"), ("EUCLIDEAN_DISTANCE([1, 2], NULL)", "-"),
            ("EUCLIDEAN_DISTANCE([10, 10], [13, 14], 2)", "25.0"), ("EUCLIDEAN_DISTANCE([0, 4], [3, 0], 3)", "125.0"),
            ("EUCLIDEAN_DISTANCE(['x', TRUE], [3, 5])", "5.0"), ("EUCLIDEAN_DISTANCE([1], [2], 'x')", "-"),
            ("COSINE_DISTANCE([10, 0], [0, 99])", "1.0"), ("COSINE_DISTANCE([1, 2, 3], [1, 2, 3])", "0.0"),
            ("COSINE_DISTANCE([1, 0, -1], [-1, -1, 0])", "1.5"), ("COSINE_DISTANCE([], [])", "-"),
            ("COSINE_DISTANCE([0, 0], [1, 1])", "-"), ("COSINE_DISTANCE([1], absent)", "-"),
        ]
    )
    func distances(expression: String, value: String) throws {
        let database = try QueryDatabase()
        try database.save("doc", "{}")
        #expect(try database.value(expression) == value)
    }
}
