import DocumentStore
import Fleece
import QueryLanguage
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Grouping without sorting")
struct GroupingPlanTests {
    /// The rows that SQLite groups. Reading in batches always leaves it to SQLite.
    private func sortedRows(_ query: PreparedQuery, _ database: QueryDatabase) throws -> RecordedRows {
        var rows = RecordedRows(columnTitles: query.compiled.columnTitles)
        try query.stream(on: database.file, parameters: QueryParameters(), cancellation: QueryCancellation()) { batch in
            rows = batch
            return true
        }
        return rows
    }

    private func save(_ documents: [String], in database: QueryDatabase) throws {
        for (index, json) in documents.enumerated() { try database.save("d\(index)", json) }
    }

    @Test("random documents have the same groups, in the same order and with the same sums, as SQLite gives")
    func random() throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let keys = [
            "3", "2", "1.5", "-7", "\"a\"", "\"b\"", "\"\"", "\"ab\"", "\"abcdefgh\"", "\"abcdefghi\"", "\"é\"", "\"1\"", "true", "false",
            "0.1", "9007199254740993", "-9223372036854775808", "1e300", "-0.5", "\"abcdefgi\"",
        ]
        let rare = ["null", "1.0", "[1]", "{\"a\":1}", "18446744073709551615", "0", "-0.0", "\"12\""]
        var plans = 0
        var refusals = 0
        for round in 0..<30 {
            let database = try QueryDatabase()
            // In each third round, values occur that are left to SQLite.
            let isRare = round % 3 == 2
            func value(_ choices: [String]) -> String {
                let all = isRare ? choices + rare : choices
                return all[Int(random.next() % UInt64(all.count))]
            }
            func number() -> String { value(["1", "0.1", "0.7", "-3.3", "1e17", "12345678901", "true", "2", "1e-9"]) }
            var documents: [String] = []
            for _ in 0..<150 {
                var properties: [String] = []
                if random.next() % 10 > 0 { properties.append("\"k\":\(value(keys))") }
                if random.next() % 10 > 0 { properties.append("\"n\":{\"k\":\(value(keys))}") }
                if random.next() % 10 > 0 { properties.append("\"x\":\(number())") }
                properties.append("\"y\":\(number())")
                documents.append("{\(properties.joined(separator: ","))}")
            }
            try save(documents, in: database)
            for text in [
                "SELECT k, count(*), avg(x), sum(x), count(x) FROM _ GROUP BY k",
                "SELECT n.k, avg(x), k, sum(y) FROM _ GROUP BY k, n.k",
                "SELECT sum(x), n.k AS city, avg(x) FROM _ WHERE y > 0.5 GROUP BY n.k",
                "SELECT count(*) FROM _ GROUP BY n.k",
                "SELECT u.k, avg(u.y) AS average FROM _ AS u GROUP BY u.k",
                "SELECT k, count(k), sum(k) FROM _ WHERE x IS NOT MISSING GROUP BY k",
            ] {
                let query = try database.prepare(text)
                let hadPlan = query.hasGroupingPlan
                let rows: RecordedRows
                do {
                    rows = try query.run(on: database.file)
                } catch let error as QueryError {
                    // A sum that is out of range is an error of SQLite, too.
                    #expect(throws: error) { try sortedRows(query, database) }
                    continue
                }
                if hadPlan {
                    if query.hasGroupingPlan { plans += 1 } else { refusals += 1 }
                }
                let expected = try sortedRows(query, database)
                #expect(rows.hasSameRows(as: expected), "\(text)")
                #expect(rows.count > 0 && expected.count == rows.count)
            }
        }
        #expect(plans >= 30)
        #expect(refusals >= 15)
    }

    @Test("queries of other forms are grouped by SQLite")
    func otherForms() throws {
        let database = try QueryDatabase()
        try save(["{\"k\":1,\"x\":2,\"list\":[1]}"], in: database)
        #expect(try database.prepare("SELECT k, count(*) FROM _ GROUP BY k").hasGroupingPlan)
        for text in [
            "SELECT k FROM _", "SELECT k, max(x) FROM _ GROUP BY k", "SELECT x FROM _ GROUP BY k", "SELECT k + 1 FROM _ GROUP BY k",
            "SELECT k, count(*) FROM _ GROUP BY k + 1", "SELECT k FROM _ GROUP BY k ORDER BY k DESC", "SELECT DISTINCT k FROM _ GROUP BY k",
            "SELECT k FROM _ GROUP BY k LIMIT 1", "SELECT k, count(*) FROM _ GROUP BY k HAVING count(*) > 1",
            "SELECT k, sum(x + 1) FROM _ GROUP BY k", "SELECT k, count(DISTINCT x) FROM _ GROUP BY k",
            "SELECT d.k FROM _ AS d UNNEST d.list AS item GROUP BY d.k",
            "SELECT x AS k, count(*) FROM _ GROUP BY k", "SELECT x AS a, count(*) FROM _ WHERE a > 1 GROUP BY x",
            "SELECT META().id, count(*) FROM _ GROUP BY META().id", "SELECT d.k FROM _ AS d JOIN _ AS o ON o.k = d.k GROUP BY d.k",
        ] {
            #expect(try !database.prepare(text).hasGroupingPlan, "\(text)")
        }
    }

    @Test("an index on the key, which makes sorting unnecessary, is used as before")
    func index() throws {
        let database = try QueryDatabase()
        try save(["{\"k\":2}", "{\"k\":1}"], in: database)
        let query = try database.prepare("SELECT k, count(*) FROM _ GROUP BY k")
        #expect(query.hasGroupingPlan)
        let definition = IndexDefinition(name: "k", kind: .value, text: "k")
        try database.indexes.create(definition, on: try database.collection())
        let rows = try query.run(on: database.file)
        #expect((0..<rows.count).map(rows.json(row:)) == ["[1,1]", "[2,1]"])
        #expect(!query.hasGroupingPlan)
    }

    @Test("more groups than the table may hold are left to SQLite, which returns all of them")
    func manyGroups() throws {
        let database = try QueryDatabase()
        let collection = try database.collection()
        try database.file.transaction { writer in
            for number in 0..<20_001 {
                _ = try collection.save(DocumentSave("d\(number)", base: .latest), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("k")
                    encoder.write(Int64(number))
                    encoder.endDictionary()
                    return false
                }
            }
        }
        let query = try database.prepare("SELECT k, count(*) FROM _ GROUP BY k")
        #expect(query.hasGroupingPlan)
        let rows = try query.run(on: database.file)
        #expect(rows.count == 20_001)
        #expect(rows.json(row: 20_000) == "[20000,1]")
        #expect(!query.hasGroupingPlan)
        let few = try database.prepare("SELECT k, count(*) FROM _ WHERE k < 20000 GROUP BY k")
        #expect(try few.run(on: database.file).count == 20_000)
        #expect(few.hasGroupingPlan)
    }

    @Test("parameters of the condition are bound, and an unknown one is an error")
    func parameters() throws {
        let database = try QueryDatabase()
        try save(["{\"k\":2,\"x\":1}", "{\"k\":1,\"x\":5}"], in: database)
        let query = try database.prepare("SELECT k, sum(x) FROM _ WHERE x > $least GROUP BY k")
        var parameters = QueryParameters()
        parameters["least"] = FleeceData([0x00, 0x02])
        let rows = try query.run(on: database.file, parameters: parameters)
        #expect((0..<rows.count).map(rows.json(row:)) == ["[1,5]"])
        #expect(query.hasGroupingPlan)
        parameters["other"] = FleeceData([0x00, 0x02])
        #expect(throws: QueryError.self) { try query.run(on: database.file, parameters: parameters) }
    }

    @Test("a sum of integers that is out of range is a floating-point number")
    func overflow() throws {
        let database = try QueryDatabase()
        try save(["{\"k\":1,\"x\":9223372036854775807}", "{\"k\":1,\"x\":1}"], in: database)
        let query = try database.prepare("SELECT k, sum(x) FROM _ GROUP BY k")
        #expect(try query.run(on: database.file).json(0) == "1 9.223372036854776e+18")
        #expect(query.hasGroupingPlan)
    }
}
