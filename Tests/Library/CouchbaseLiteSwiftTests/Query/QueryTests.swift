import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Queries")
struct QueryTests {
    let directory: TemporaryDirectory
    let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "db", config: config)
        try database.inBatch {
            for index in 0..<20 {
                let document = MutableDocument(id: "doc\(index)")
                    .setInt(index, forKey: "n").setString("name \(index % 3)", forKey: "name")
                    .setBoolean(index % 2 == 0, forKey: "even")
                    .setArray(MutableArrayObject(data: [index, "x"]), forKey: "list")
                if index == 7 { document.setValue(nil, forKey: "note") }
                if index == 8 { document.setString("eight", forKey: "note") }
                try database.saveDocument(document)
            }
        }
    }

    private func ids(_ query: Query) throws -> [String] {
        try query.execute().map { $0.string(at: 0) ?? "" }
    }

    @Test("parameters determine LIMIT and OFFSET after every step of the builder, in JSON and in SQL++")
    func windows() throws {
        let (limit, offset) = (Expression.parameter("limit"), Expression.parameter("offset").subtract(Expression.int(1)))
        let n = Expression.property("n")
        let all = QueryBuilder.select(SelectResult.expression(n).as("n")).from(DataSource.database(database))
        let matching = all.where(n.lessThan(Expression.int(100)))
        let json = #"{"WHAT":[[".n"]],"ORDER_BY":[[".n"]],"LIMIT":["$limit"],"OFFSET":["-",["$offset"],1]}"#
        let queries: [Query] = [
            all.limit(limit, offset: offset), matching.limit(limit, offset: offset),
            all.groupBy(n).limit(limit, offset: offset), all.groupBy(n).having(n.lessThan(Expression.int(9))).limit(limit, offset: offset),
            all.orderBy(Ordering.property("n")).limit(limit, offset: offset),
            Query(database: database, JSONRepresentation: Data(json.utf8)),
            try database.createQuery("SELECT n FROM _ ORDER BY n LIMIT $limit OFFSET $offset - 1"),
        ]
        for query in queries {
            func count(_ limit: Any?, _ offset: Any?) throws -> Int {
                query.parameters = Parameters().setValue(limit, forName: "limit").setValue(offset, forName: "offset")
                return try query.execute().allResults().count
            }
            #expect(try count(2, 4) == 2)
            #expect(try [2, 13].contains(count(Int64.max, 8)))
            #expect(try count(-1, 1) == 0)
            #expect(try count(3, Int64.min + 1) == 3)
            for wrong in [1.5, "x", NSNull(), nil] as [Any?] {
                let error = #expect(throws: NSError.self) { try count(wrong, 1) }
                #expect(error?.code == CBLError.invalidQuery)
                #expect(error?.localizedDescription.hasPrefix("LIMIT must be an integer") == true)
            }
        }
    }

    @Test("the builder's operators give the expected matches")
    func operators() throws {
        let n = Expression.property("n")
        func matching(_ condition: any ExpressionProtocol) throws -> [Int] {
            try QueryBuilder.select(SelectResult.property("n")).from(DataSource.database(database)).where(condition)
                .orderBy(Ordering.property("n")).execute().map { $0.int(at: 0) }
        }
        #expect(try matching(n.lessThan(Expression.int(2))) == [0, 1])
        #expect(try matching(n.lessThanOrEqualTo(Expression.int(2))) == [0, 1, 2])
        #expect(try matching(n.greaterThan(Expression.int(17))) == [18, 19])
        #expect(try matching(n.greaterThanOrEqualTo(Expression.int(18))) == [18, 19])
        #expect(try matching(n.equalTo(Expression.int(3))) == [3])
        #expect(try matching(n.between(Expression.int(3), and: Expression.int(5))) == [3, 4, 5])
        #expect(try matching(n.in([Expression.int(3), Expression.int(30)])) == [3])
        #expect(try matching(n.modulo(Expression.int(7)).equalTo(Expression.int(6))) == [6, 13])
        #expect(try matching(n.multiply(Expression.int(2)).add(Expression.int(1)).equalTo(Expression.int(9))) == [4])
        #expect(try matching(n.divide(Expression.int(5)).equalTo(Expression.int(3))) == [15, 16, 17, 18, 19])
        #expect(try matching(n.subtract(Expression.int(1)).equalTo(Expression.int(0))) == [1])
        #expect(try matching(n.lessThan(Expression.int(1)).or(n.greaterThan(Expression.int(18)))) == [0, 19])
        #expect(try matching(Expression.not(n.lessThan(Expression.int(18)))) == [18, 19])
        #expect(try matching(n.notEqualTo(Expression.int(0)).and(n.lessThan(Expression.int(2)))) == [1])
        #expect(try matching(Expression.property("note").isNullOrMissing()).count == 19)
        #expect(try matching(Expression.property("note").isValued()) == [8])
        #expect(try matching(Expression.property("note").isNotValued().and(n.lessThan(Expression.int(1)))) == [0])
        #expect(try matching(Expression.property("note").notNullOrMissing()) == [8])
        #expect(try matching(Expression.property("note").like(Expression.string("EIG%"))) == [8])
        #expect(try matching(Expression.property("note").like(Expression.string("EIG%"), caseSensitive: true)) == [])
        #expect(try matching(Expression.property("note").regex(Expression.string("^e.*t$"))) == [8])
        #expect(try matching(ArrayFunction.contains(Expression.property("list"), value: Expression.int(4))) == [4])
        #expect(try matching(ArrayFunction.length(Expression.property("list")).equalTo(Expression.int(3))) == [])
        #expect(try matching(Meta.id.equalTo(Expression.string("doc5"))) == [5])
        #expect(try matching(Meta.sequence.lessThan(Expression.int(3))) == [0, 1])
    }

    @Test("a builder query may have aggregates, groups, HAVING, order and limits")
    func grouping() throws {
        let name = Expression.property("name")
        let query =
            QueryBuilder
            .select(
                SelectResult.property("name"),
                SelectResult.expression(Function.count()).as("count"),
                SelectResult.expression(Function.sum(Expression.property("n"))),
                SelectResult.expression(Function.max(Expression.property("n")))
            )
            .from(DataSource.collection(try database.defaultCollection()))
            .groupBy(name).having(Function.count().greaterThan(Expression.int(6)))
            .orderBy(Ordering.expression(name).descending()).limit(Expression.int(1), offset: Expression.int(1))
        let rows = try query.execute().allResults()
        #expect(rows.count == 1)
        #expect(rows[0].keys == ["name", "count", "$1", "$2"])
        #expect(rows[0].toJSON() == #"{"name":"name 0","count":7,"$1":63,"$2":18}"#)
    }

    @Test("parameters are bound by name and can be changed between runs")
    func parameters() throws {
        let query = try database.createQuery("SELECT meta().id FROM _ WHERE n > $low AND name = $name ORDER BY n")
        #expect(try ids(query) == [])
        query.parameters = Parameters().setInt(12, forName: "low").setString("name 1", forName: "name")
        #expect(try ids(query) == ["doc13", "doc16", "doc19"])
        query.parameters = Parameters(parameters: query.parameters).setInt(17, forName: "low")
        #expect(try ids(query) == ["doc19"])
        query.parameters = Parameters().setInt(1, forName: "other")
        let error = #expect(throws: NSError.self) { try query.execute() }
        #expect(error?.code == CBLError.invalidQueryParam)
    }

    @Test("the parameters of a query are not changed by later changes of their arrays and dictionaries")
    func unsharedParameters() throws {
        let query = try database.createQuery("SELECT $list AS list, $dictionary AS dictionary FROM _ LIMIT 1")
        let list = MutableArrayObject(data: [1, [2]])
        let dictionary = MutableDictionaryObject(data: ["a": 1])
        query.parameters = Parameters().setArray(list, forName: "list").setDictionary(dictionary, forName: "dictionary")
        list.addInt(3)
        list.array(at: 1)?.addInt(4)
        dictionary.setInt(2, forKey: "b")
        for parameters in [query.parameters, Parameters(parameters: query.parameters)] {
            (parameters?.value(forName: "list") as? MutableArrayObject)?.addInt(5)
            (parameters?.value(forName: "dictionary") as? MutableDictionaryObject)?.setInt(5, forKey: "c")
        }
        let kept = query.parameters
        #expect((kept?.value(forName: "list") as? ArrayObject)?.count == 2)
        #expect((kept?.value(forName: "list") as? ArrayObject)?.array(at: 1)?.count == 1)
        #expect((kept?.value(forName: "dictionary") as? DictionaryObject)?.count == 1)
        query.parameters = kept
        #expect(try query.execute().next()?.toJSON() == #"{"list":[1,[2]],"dictionary":{"a":1}}"#)
    }

    @Test("missing and null values differ in results")
    func missing() throws {
        let query = try database.createQuery("SELECT n, note FROM _ WHERE n >= 6 AND n <= 8 ORDER BY n")
        let rows = try query.execute().allResults()
        #expect(rows.map { $0.contains(key: "note") } == [false, true, true])
        #expect(rows.map(\.["note"].exists) == [false, false, true])
        #expect(rows.map { $0.toJSON() } == [#"{"n":6}"#, #"{"n":7,"note":null}"#, #"{"n":8,"note":"eight"}"#])
        #expect(rows[0].toDictionary().count == 1)
        #expect(rows[1].toDictionary()["note"] is NSNull)
        #expect(rows[0].toArray()[1] is NSNull)
    }

    @Test("result sets keep their rows when the database changes")
    func snapshot() throws {
        let results = try database.createQuery("SELECT meta().id FROM _ WHERE even ORDER BY n").execute()
        try database.purgeDocument(withID: "doc0")
        #expect(results.next()?.string(at: 0) == "doc0")
        #expect(results.allResults().count == 9)
        #expect(results.next() == nil)
    }

    @Test("changes of a batch are visible to its own queries")
    func insideBatch() throws {
        let query = try database.createQuery("SELECT meta().id FROM _ WHERE freshKey = 'new'")
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "new").setString("new", forKey: "freshKey"))
            #expect(try ids(query) == ["new"])
        }
        #expect(try ids(query) == ["new"])
    }

    @Test(
        "createQuery throws invalidQuery for invalid text",
        arguments: ["SELECT", "SELECT x FROM _ WHERE", "SELECT nofunction(1) FROM _", "SELECT x FROM nowhere", ""]
    )
    func invalidText(_ text: String) throws {
        let error = #expect(throws: NSError.self) { try database.createQuery(text) }
        #expect(error?.domain == CBLError.domain)
        #expect(error?.code == CBLError.invalidQuery)
    }

    @Test("an invalid builder query throws an error when it is run")
    func invalidBuilder() throws {
        let query = QueryBuilder.select(SelectResult.property("a..b")).from(DataSource.database(database))
        let error = #expect(throws: NSError.self) { try query.execute() }
        #expect(error?.code == CBLError.invalidQuery)
        let nothing = QueryBuilder.select(SelectResult.property("a"))
        #expect(throws: NSError.self) { try nothing.explain() }
    }

    @Test("a builder query with values that are nested too deeply throws an error when it is run")
    func deepValues() throws {
        let deep = (0..<5000).reduce(1 as Any) { inner, _ in [inner] as Any }
        let query = QueryBuilder.select(SelectResult.expression(Expression.value(deep))).from(DataSource.database(database))
        #expect(query.description == "Query[invalid]")
        let error = #expect(throws: NSError.self) { try query.execute() }
        #expect(error?.code == CBLError.invalidQuery)
    }
}
