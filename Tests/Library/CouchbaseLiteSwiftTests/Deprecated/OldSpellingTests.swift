import CouchbaseLiteSwift
import Testing

@Suite("Deprecated spellings of the developer builds")
struct OldSpellingTests {
    private let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.database()
        for number in 1...4 {
            let document = MutableDocument(withID: "\(number)")
            document.properties = [
                "n": number, "name": "name \(number)", "even": number % 2 == 0, "list": Array(1...number),
                "inner": ["n": number],
            ]
            if number == 4 { document.setValue(nil, forKey: "n") }
            try database.save(document)
        }
    }

    private func ids(_ condition: any ExpressionProtocol) throws -> [String] {
        try Query.select().from(DataSource.database(database)).where(condition)
            .orderBy(OrderBy.expression(Expression.meta().id).ascending()).run().map(\.documentID)
    }

    @Test("negated operators take plain values and expressions")
    func negated() throws {
        let (n, name) = (Expression.property("n"), Expression.property("name"))
        let two = Expression.int(2)
        #expect(try ids(n.notLessThan(2)) == ["2", "3", "4"])
        #expect(try ids(n.notLessThan(two).and(n.notNull())) == ["2", "3"])
        #expect(try ids(n.notLessThanOrEqualTo(2).and(n.notNull())) == ["3"])
        #expect(try ids(n.notLessThanOrEqualTo(two).and(n.notNull())) == ["3"])
        #expect(try ids(n.notGreaterThan(2)) == ["1", "2"])
        #expect(try ids(n.notGreaterThan(two)) == ["1", "2"])
        #expect(try ids(n.notGreaterThanOrEqualTo(2)) == ["1"])
        #expect(try ids(n.notGreaterThanOrEqualTo(two)) == ["1"])
        #expect(try ids(name.notLike("%3")) == ["1", "2", "4"])
        #expect(try ids(name.notRegex("[12]$")) == ["3", "4"])
        #expect(try ids(n.notBetween(2, and: 3).and(n.notNull())) == ["1"])
        #expect(try ids(n.notBetween(two, and: two).and(n.notNull())) == ["1", "3"])
        #expect(try ids(name.notIn(["name 1", "name 2"])) == ["3", "4"])
        #expect(try ids(name.notIn([Expression.string("name 1")])) == ["2", "3", "4"])
        #expect(try ids(n.isNull()) == ["4"])
    }

    @Test("arithmetic, ranges and lists take plain values")
    func literals() throws {
        let n = Expression.property("n")
        #expect(try ids(n.multiply(2).equalTo(4)) == ["2"])
        #expect(try ids(n.divide(2).equalTo(1)) == ["2", "3"])
        #expect(try ids(n.modulo(2).equalTo(1)) == ["1", "3"])
        #expect(try ids(n.subtract(1).equalTo(0)) == ["1"])
        #expect(try ids(n.is(3)) == ["3"])
        #expect(try ids(n.isNot(3)) == ["1", "2", "4"])
        #expect(try ids(n.between(2, and: 3)) == ["2", "3"])
        #expect(try ids(n.in([1, 3])) == ["1", "3"])
        #expect(try ids(n.in([])) == [])
    }

    @Test("quantifiers and functions of arrays and types give the expected matches")
    func arrays() throws {
        let list = Expression.property("list")
        let variable = Expression.variable("v")
        #expect(try ids(Expression.any("v").in(list).satisfies(variable.greaterThan(2))) == ["3", "4"])
        #expect(try ids(Expression.every("v").in(list).satisfies(variable.lessThan(3))) == ["1", "2"])
        #expect(try ids(Expression.anyAndEvery("v").in(list).satisfies(variable.lessThan(2))) == ["1"])
        #expect(try ids(Function.arrayContains(list, value: 4)) == ["4"])
        #expect(try ids(Function.arrayContains(list, value: Expression.property("n"))) == ["1", "2", "3"])
        #expect(try ids(Function.arrayLength(list).equalTo(2)) == ["2"])
        #expect(try ids(Function.isArray(list)) == ["1", "2", "3", "4"])
        #expect(try ids(Function.isNumber(Expression.property("n"))) == ["1", "2", "3"])
        #expect(try ids(Function.isString(list)) == [])
        #expect(try ids(Function.isDictionary(Expression.property("inner"))) == ["1", "2", "3", "4"])
    }

    @Test("queries may be grouped by property names and ordered, and their columns are typed")
    func rows() throws {
        let query = Query.select(
            SelectResult.expression(Expression.property("even")),
            SelectResult.expression(Function.count("*")),
            SelectResult.expression(Function.max(Expression.property("name")))
        )
        .from(DataSource.database(database))
        .groupBy("even")
        .orderBy(OrderBy.property("even").descending())
        let rows = try query.run().allResults()
        #expect(rows.map { $0[0] as Bool } == [true, false])
        #expect(rows.map { $0[1] as Int } == [2, 2])
        #expect(rows.map { $0[1] as Int64 } == [2, 2])
        #expect(rows.map { $0[1] as Double } == [2, 2])
        #expect(rows.map { $0[1] as Float } == [2, 2])
        #expect(rows.map { $0[2] as String? } == ["name 4", "name 3"])
        #expect(rows.map { $0[2] as Date? } == [nil, nil])
        let fragment = rows[0][2]
        #expect(fragment.string == "name 4")
        let filtered = Query.select(SelectResult.expression(Function.count("*"))).from(DataSource.database(database))
            .where(Expression.property("n").notNull()).groupBy("even")
        #expect(try filtered.run().map { $0[0] as Int }.sorted() == [1, 2])
        #expect(try Query.selectDistinct().from(DataSource.database(database)).run().allResults().count == 4)
        let names = Query.selectDistinct(SelectResult.property("even")).from(DataSource.database(database))
        #expect(try names.run().allResults().count == 2)
    }

    @Test("indexes on different expressions have different names, and the names of older indexes are kept")
    func indexNames() throws {
        let lists = [
            ["a", "b"], ["'a,b'"], ["\"it's\""], ["'it\"s'"], ["'text:a'"], ["name + \"'\""], ["name + '\"'"], ["name + 'x'"],
        ]
        for list in lists { try database.createIndex(list) }
        try database.createIndex(["a"], options: .fullTextIndex(language: nil, ignoreDiacritics: false))
        let names = database.indexes
        #expect(names.count == lists.count + 1)
        #expect(Set(names).isSuperset(of: ["a,b", "it's", "text:a", "['||',['.name'],'x']"]))
        for list in lists { try database.deleteIndex(on: list, type: .valueIndex) }
        #expect(database.indexes == ["text:a"])
    }
}
