import CouchbaseLiteSwift
import Testing

@Suite("Queries of predicate strings")
struct PredicateQueryTests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.database()
        let people: [(String, [String: Any])] = [
            ("1", ["name": "Ann", "age": 31, "city": "Bern", "tags": ["a", "b"], "born": "1990-05-01T00:00:00.000Z"]),
            ("2", ["name": "bob", "age": 17, "city": "Basel", "tags": ["b"], "score": 1.5]),
            ("3", ["name": "Cem", "age": 45, "city": "Bern", "admin": true]),
            ("4", ["name": "Ånn", "city": "Basel"]),
        ]
        try database.inBatch {
            for (id, properties) in people { try database.save(MutableDocument(id: id, data: properties)) }
        }
    }

    private func ids(_ query: PredicateQuery) throws -> [String] {
        try query.run().map(\.documentID)
    }

    @Test("a predicate query without a condition returns all documents in the order of their IDs")
    func all() throws {
        #expect(try ids(database.createQuery()) == ["1", "2", "3", "4"])
        try database.delete(try #require(database.document(withID: "2")))
        #expect(try ids(database.createQuery()) == ["1", "3", "4"])
        #expect(try ids(database.createQuery(orderBy: ["-name"])) == ["4", "3", "1"])
        #expect(try Set(ids(database.createQuery(orderBy: []))) == ["1", "3", "4"])
        #expect(try database.createQuery(orderBy: []).explain().contains("ORDER BY") == false)
    }

    @Test("predicate queries support conditions and sort strings")
    func conditions() throws {
        #expect(try ids(database.createQuery(where: "age > 18 AND city == 'Bern'", orderBy: ["-age"])) == ["3", "1"])
        #expect(try ids(database.createQuery(where: "name BEGINSWITH 'B'")) == [])
        #expect(try ids(database.createQuery(where: "name BEGINSWITH[c] 'B'")) == ["2"])
        #expect(try ids(database.createQuery(where: "name ==[cd] 'ann'")) == ["1", "4"])
        #expect(try ids(database.createQuery(where: "'b' IN tags")) == ["1", "2"])
        #expect(try ids(database.createQuery(where: "age == nil")) == ["4"])
        #expect(try ids(database.createQuery(orderBy: ["name[cd]", "_id"])) == ["1", "4", "2", "3"])
        #expect(try ids(database.createQuery(orderBy: ["city", "-_id"])) == ["4", "2", "3", "1"])
    }

    @Test("a row gives arrays and dictionaries as Swift values, and nil for a missing value")
    func plainValues() throws {
        try database.save(MutableDocument(id: "5", data: ["tags": ["x"], "home": ["zip": 1]]))
        let query = database.createQuery(where: "_id == '5'", returning: ["tags", "home", "name"])
        let row = try #require(try query.run().next())
        #expect(row.value(at: 0) as? [String] == ["x"])
        #expect(row.value(at: 1) as? [String: Int] == ["zip": 1])
        #expect(row.value(at: 2) == nil)
    }

    @Test("rows of a predicate query have their documents and typed columns")
    func rows() throws {
        let query = database.createQuery(where: "_id == '1'", returning: ["name", "age", "age / 2.0", "age > 30", "born", "tags"])
        #expect(throws: NSError.self) { try query.check() }
        let rows = database.createQuery(where: "_id == '1'", returning: ["name", "age", "age / 2.0", "born", "tags"])
        let row = try #require(try rows.run().next())
        #expect(row[0] as String? == "Ann")
        #expect(row[1] as Int == 31)
        #expect(row[1] as Int64 == 31)
        #expect(row[1] as Bool)
        #expect(row[2] as Double == 15.5)
        #expect(row[2] as Float == 15.5)
        #expect(row[3] as Date? == Date(timeIntervalSince1970: 641_520_000))
        #expect(row[0] as Any? as? String == "Ann")
        #expect(row.value(at: 4) as? [String] == ["a", "b"])
        #expect(row.documentID == "1")
        #expect(row.sequence == row.document.sequence)
        #expect(row.document.string(forKey: "city") == "Bern")
        #expect(misuse { _ = row.value(at: 5) }?.name == outOfRange)
        #expect(misuse { _ = row[-1] as String? }?.name == outOfRange)

        let plain = try #require(try database.createQuery(where: "_id == '2'").run().next())
        #expect(plain[0] as String? == "2")
        #expect(plain[1] as Int == Int(plain.sequence))
        #expect(misuse { _ = plain.value(at: 2) }?.name == outOfRange)
        try database.delete(plain.document)
        #expect(plain.document.count == 0)
        #expect(plain.document.id == "2")
    }

    @Test("predicate queries support groups, conditions of groups and aggregates")
    func groups() throws {
        let query = database.createQuery(
            groupBy: ["city"],
            having: "count(1) > 1",
            returning: ["city", "count(1)", "max(age)"],
            orderBy: ["city"]
        )
        let rows = try query.run().map { "\($0[0] as String? ?? "") \($0[1] as Int) \($0[2] as Int)" }
        #expect(rows == ["Basel 2 17", "Bern 2 45"])
        query.limit = 1
        query.offset = 1
        let row = try #require(try query.run().next())
        #expect(row[0] as String? == "Bern")
        #expect(misuse { _ = row.documentID }?.name == inconsistency)
        #expect(thrown { _ = try query.allDocuments() } == .couchbaseLite(CBLError.invalidQuery))

        let collated = database.createQuery(groupBy: ["name[cd]"], returning: ["count(1)"], orderBy: ["-count(1)"])
        #expect(try collated.run().map { $0[0] as Int } == [2, 1, 1])
        let total = database.createQuery(where: "age > 20", returning: ["sum(age)", "count(1)"])
        #expect(try total.run().map { [$0[0] as Int, $0[1] as Int] } == [[76, 2]])
    }

    @Test("a distinct predicate query returns equal rows once")
    func distinct() throws {
        let query = database.createQuery(returning: ["city"], distinct: true, orderBy: ["city"])
        #expect(try query.run().map { $0[0] as String? } == ["Basel", "Bern"])
        #expect(misuse { _ = try? query.run().next()?.sequence }?.name == inconsistency)
    }

    @Test("offset and limit of a predicate query can be changed between runs")
    func limits() throws {
        let query = database.createQuery()
        query.limit = 2
        #expect(try ids(query) == ["1", "2"])
        query.offset = 1
        #expect(try ids(query) == ["2", "3"])
        query.limit = .max
        #expect(try ids(query) == ["2", "3", "4"])
        query.limit = 0
        #expect(try ids(query) == [])
        query.limit = .max - 1
        query.offset = .max
        #expect(try ids(query) == [])
    }

    @Test("parameters of a predicate query are named, and a missing or unknown one throws an error")
    func parameters() throws {
        let query = database.createQuery(where: "age > $age AND city IN $cities")
        #expect(thrown { _ = try query.run() } == .couchbaseLite(CBLError.invalidQueryParam))
        try query.check()
        query.parameters = ["age": 20, "cities": ["Bern", "Genf"]]
        #expect(try ids(query) == ["1", "3"])
        query.parameters["age"] = 40
        #expect(try ids(query) == ["3"])
        query.parameters["other"] = 1
        #expect(thrown { _ = try query.run() } == .couchbaseLite(CBLError.invalidQueryParam))
        let born = database.createQuery(where: "born == $date")
        born.parameters["date"] = Date(timeIntervalSince1970: 641_520_000)
        #expect(try ids(born) == ["1"])
    }

    @Test("a malformed predicate string throws an error with its position")
    func errors() throws {
        let query = database.createQuery(where: "age > AND", orderBy: ["name"])
        for run in [{ _ = try query.run() }, { try query.check() }, { _ = try query.explain() }] {
            let error = #expect(throws: NSError.self) { try run() }
            #expect(error?.code == CBLError.invalidQuery)
            #expect(error?.localizedDescription.contains("near character 7") == true)
        }
        let wrong = [
            database.createQuery(where: "x ==", returning: ["a"]), database.createQuery(groupBy: ["a b"]),
            database.createQuery(groupBy: ["a"], having: "b"), database.createQuery(returning: ["a ="]),
            database.createQuery(orderBy: ["name[x]"]), database.createQuery(where: "sum(a, b) > 1"),
            database.createQuery(where: ["=", [".a"], Date()] as [Any]), database.createQuery(where: ["bad"] as [Any]),
            database.createQuery(returning: ["SUM()", [".age"] as [Any]]),
            database.createQuery(groupBy: ["a"], having: ["WHERE": true]),
        ]
        for query in wrong {
            #expect(thrown { try query.check() } == .couchbaseLite(CBLError.invalidQuery), "\(query)")
        }
    }

    @Test("conditions, columns and whole predicate queries may be JSON")
    func json() throws {
        #expect(try ids(database.createQuery(where: [">", [".age"], 20] as [Any])) == ["1", "3"])
        let columns = database.createQuery(where: ["=", [".city"], "Bern"] as [Any], returning: [["UPPER()", [".name"]] as [Any], "age"])
        #expect(try columns.run().map { $0[0] as String? } == ["ANN", "CEM"])
        let whole: [String: Any] = [
            "WHAT": [[".name"]], "WHERE": [">", [".age"], 16] as [Any], "ORDER_BY": [["DESC", [".age"]] as [Any]],
            "LIMIT": 2,
        ]
        let query = database.createQuery(where: whole)
        #expect(try query.run().map { $0[0] as String? } == ["Cem", "Ann"])
        query.limit = 1
        #expect(try query.run().map { $0[0] as String? } == ["Cem"])
        let merged = database.createQuery(where: whole, returning: ["age"], orderBy: ["age"])
        #expect(try merged.run().map { $0[0] as Int } == [17, 31])
    }

    @Test("allDocuments loads documents one by one, and skips deleted ones")
    func documents() throws {
        let documents = try database.createQuery(where: "age > 0", orderBy: ["-age"]).allDocuments()
        #expect(documents.next()?.id == "3")
        try database.delete(try #require(database.document(withID: "1")))
        #expect(documents.next()?.id == "2")
        #expect(documents.next() == nil)
        #expect(database.allDocuments.map(\.id) == ["2", "3", "4"])
        try database.close()
        #expect(database.allDocuments.next() == nil)
        #expect(thrown { _ = try database.createQuery().run() } == .couchbaseLite(CBLError.notOpen))
    }

    @Test("predicate queries support the spelling of the first preview")
    func firstPreview() throws {
        let query = database.createQuery("age > 20", orderBy: ["-name"], returning: ["name"])
        #expect(try query.run().map { $0[0] as String? } == ["Cem", "Ann"])
        #expect(try ids(database.createQuery("age > 20", orderBy: ["-name"])) == ["3", "1"])
        #expect(try database.createQuery("age > 40", returning: ["name"]).run().map { $0[0] as String? } == ["Cem"])
        // One string alone is SQL++.
        #expect(try database.createQuery("SELECT name FROM _ WHERE age > 40").execute().map { $0.string(at: 0) } == ["Cem"])
    }

    @Test("predicate queries use indexes")
    func indexes() throws {
        try database.createIndex(["city"])
        let plan = try database.createQuery(where: "city == 'Bern'").explain()
        #expect(plan.contains("USING INDEX city"))
    }
}
