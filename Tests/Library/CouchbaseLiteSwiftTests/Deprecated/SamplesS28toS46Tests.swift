import CouchbaseLiteSwift
import Testing

@Suite("Samples of queries on the travel data")
struct SamplesS28toS46Tests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.travelSample()
    }

    @Test("a query selects the ID and properties of hotels")
    func selectIDs() throws {
        let query =
            QueryBuilder
            .select(SelectResult.expression(Expression.meta().id), SelectResult.property("type"), SelectResult.property("name"))
            .from(DataSource.database(database))
            .where(Expression.property("type").equalTo("hotel"))
            .orderBy(Ordering.expression(Expression.meta().id))
        var count = 0
        for result in try query.run() {
            if count == 0 {
                #expect(result.string(forKey: "id") == "hotel_10025")
                #expect(result.string(forKey: "name") == "Medway Youth Hostel")
            }
            count += 1
        }
        #expect(count == 917)
        let sequences = try Query.select(SelectResult.expression(Expression.meta().sequence))
            .from(DataSource.database(database)).run()
        #expect(try #require(sequences.next()).int(at: 0) > 0)
    }

    @Test("a query selects all properties")
    func selectAll() throws {
        let query = QueryBuilder.select(SelectResult.all()).from(DataSource.database(database))
        let row = try #require(try query.run().next())
        #expect(row.dictionary(forKey: "travel-sample")?.string(forKey: "type") != nil)
    }

    @Test("a query has a condition and a number as its limit")
    func whereAndLimit() throws {
        let query =
            QueryBuilder
            .select(SelectResult.all())
            .from(DataSource.database(database))
            .where(Expression.property("type").equalTo(Expression.string("hotel")))
            .limit(10)
        let names = try query.run().map { row -> String? in
            let dictionary = row.dictionary(forKey: "travel-sample")
            return dictionary?.string(forKey: "name")
        }
        #expect(names.count == 10)
        #expect(names.allSatisfy { $0 != nil })
    }

    @Test("every clause of a query accepts numbers as limits")
    func limits() throws {
        let source = DataSource.database(database)
        let all = Query.select(SelectResult.expression(Meta.id)).from(source)
        let byID = Ordering.expression(Meta.id)
        let type = Expression.property("type")
        let joined = Query.select(SelectResult.expression(Meta.id.from("a")))
            .from(DataSource.database(database).as("a"))
            .join(Join.join(DataSource.database(database).as("b")).on(Meta.id.from("a").equalTo(Meta.id.from("b"))))
        let grouped = Query.select(SelectResult.expression(type)).from(source).groupBy(type)
        let limited: [Query] = [
            all.limit(3), all.limit(3, offset: 2), all.where(type.equalTo("hotel")).limit(3),
            all.where(type.equalTo("hotel")).limit(3, offset: 2), all.orderBy(byID).limit(3),
            all.orderBy(byID).limit(3, offset: 2), joined.limit(3), joined.limit(3, offset: 2), grouped.limit(3),
            grouped.limit(3, offset: 2), grouped.having(Function.count("*").greaterThan(0)).limit(3),
            grouped.having(Function.count("*").greaterThan(0)).limit(3, offset: 2),
        ]
        for query in limited { #expect(try query.run().allResults().count == 3, "\(query)") }
        let ids = try all.orderBy(byID).limit(5).run().map { $0.string(at: 0) }
        #expect(try all.orderBy(byID).limit(3, offset: 2).run().map { $0.string(at: 0) } == Array(ids[2...]))
    }

    @Test("a query finds hotels by a value in an array")
    func arrayContains() throws {
        let query =
            QueryBuilder
            .select(SelectResult.expression(Meta.id), SelectResult.property("name"), SelectResult.property("public_likes"))
            .from(DataSource.database(database))
            .where(
                Expression.property("type").equalTo(Expression.string("hotel"))
                    .and(ArrayFunction.contains(Expression.property("public_likes"), value: Expression.string("Armani Langworth")))
            )
        let rows = try query.execute().allResults()
        #expect(rows.map { $0.string(forKey: "id") } == ["hotel_3622"])
        #expect(rows[0].array(forKey: "public_likes")?.toArray().count == 6)
    }

    @Test("the in operator finds a value among properties")
    func inOperator() throws {
        let people = try folder.database("people")
        try people.saveDocument(MutableDocument(id: "1", data: ["first": "Armani", "last": "Langworth"]))
        try people.saveDocument(MutableDocument(id: "2", data: ["first": "Ann", "username": "Bob"]))
        let values = [
            Expression.property("first"), Expression.property("last"), Expression.property("username"),
        ]
        let query = QueryBuilder.select(SelectResult.expression(Meta.id))
            .from(DataSource.database(people))
            .where(Expression.string("Armani").in(values))
        #expect(try query.execute().map { $0.string(forKey: "id") } == ["1"])
    }

    /// The names of landmarks for which a condition holds.
    private func landmarks(_ condition: any ExpressionProtocol, limit: Int) throws -> [String] {
        let query =
            QueryBuilder
            .select(SelectResult.expression(Meta.id), SelectResult.property("country"), SelectResult.property("name"))
            .from(DataSource.database(database))
            .where(Expression.property("type").equalTo(Expression.string("landmark")).and(condition))
            .orderBy(Ordering.property("name"))
            .limit(limit)
        return try query.run().compactMap { $0.string(forKey: "name") }
    }

    @Test("like ignores case")
    func like() throws {
        let condition = Expression.property("name").like(Expression.string("Royal engineers museum"))
        #expect(try landmarks(condition, limit: 10) == ["Royal Engineers Museum"])
    }

    @Test("like supports wildcards")
    func wildcards() throws {
        #expect(try landmarks(Expression.property("name").like("eng%e%"), limit: 10) == ["Engine House"])
        #expect(try landmarks(Expression.property("name").like("%e%"), limit: 1) == ["Castle"])
    }

    @Test("like supports wildcards for single characters")
    func wildcardCharacters() throws {
        #expect(
            try landmarks(Expression.property("name").like("royal eng____rs museum"), limit: 10)
                == ["Royal Engineers Museum"]
        )
    }

    @Test("a regular expression finds landmarks")
    func regex() throws {
        #expect(try landmarks(Expression.property("name").regex("\\bEng.*e\\b"), limit: 10) == ["Engine House"])
    }

    @Test("routes from Riga are joined with their airlines")
    func join() throws {
        let query =
            QueryBuilder
            .select(
                SelectResult.expression(Expression.property("name").from("airline")),
                SelectResult.expression(Expression.property("callsign").from("airline")),
                SelectResult.expression(Expression.property("destinationairport").from("route")),
                SelectResult.expression(Expression.property("stops").from("route")),
                SelectResult.expression(Expression.property("airline").from("route"))
            )
            .from(DataSource.database(database).as("airline"))
            .join(
                Join.join(DataSource.database(database).as("route"))
                    .on(
                        Expression.meta().id.from("airline")
                            .equalTo(Expression.property("airlineid").from("route"))
                    )
            )
            .where(
                Expression.property("type").from("route").equalTo("route")
                    .and(Expression.property("type").from("airline").equalTo("airline"))
                    .and(Expression.property("sourceairport").from("route").equalTo("RIX"))
            )
        let rows = try query.run().map { "\($0.string(forKey: "name") ?? "") \($0.string(at: 2) ?? "")" }
        #expect(rows.sorted() == ["Air Baltic AMS", "Ryanair STN"])
    }

    @Test("airports are counted by country and time zone")
    func groups() throws {
        let query =
            QueryBuilder
            .select(SelectResult.expression(Function.count("*")), SelectResult.property("country"), SelectResult.property("tz"))
            .from(DataSource.database(database))
            .where(
                Expression.property("type").equalTo("airport")
                    .and(Expression.property("geo.alt").greaterThanOrEqualTo(300))
            )
            .groupBy(Expression.property("country"), Expression.property("tz"))
        var counts: [String: Int] = [:]
        for row in try query.run() {
            counts["\(row.string(forKey: "country") ?? "") \(row.string(forKey: "tz") ?? "")"] = row.int(forKey: "$1")
        }
        #expect(counts.count == 10)
        #expect(counts["France Europe/Paris"] == 138)
    }

    @Test("hotels are ordered by title")
    func order() throws {
        let query =
            QueryBuilder
            .select(SelectResult.expression(Meta.id), SelectResult.property("title"))
            .from(DataSource.database(database))
            .where(Expression.property("type").equalTo(Expression.string("hotel")))
            .orderBy(Ordering.property("title").ascending())
            .limit(Expression.int(10))
        let titles = try query.execute().compactMap { $0.string(forKey: "title") }
        #expect(titles.count == 10)
        #expect(titles == titles.sorted())
    }

    @Test("an index of type and name is created")
    func index() throws {
        let index = IndexBuilder.valueIndex(
            items: ValueIndexItem.expression(Expression.property("type")),
            ValueIndexItem.expression(Expression.property("name"))
        )
        try database.createIndex(index, withName: "TypeNameIndex")
        #expect(database.indexes.contains("TypeNameIndex"))
    }
}
