// Code as written for the previews: types without annotations for concurrency, and no `any` before protocols.
import CouchbaseLiteSwift
import TestSupport
import Testing

class LinesSink: LogSinkProtocol, Logger {
    var level = LogLevel.info
    var lines: [String] = []

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        lines.append(message)
    }

    func log(level: LogLevel, domain: LogDomain, message: String) {
        lines.append(message)
    }
}

class CountingResolver: SaveConflictResolver {
    var count = 0

    func resolve(conflict: SaveConflict) -> [String: Any]? {
        count += 1
        return conflict.mine.toDictionary()
    }
}

@Suite("A client of the previews in Swift 5 mode")
struct DeprecatedClientTests {
    let directory: TemporaryDirectory
    let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        let options = DatabaseOptions()
        options.directory = directory.url.path
        database = try Database(name: "tasks", options: options)
    }

    @Test("a client in Swift 5 mode can use conflict resolvers with mutable state")
    func resolver() throws {
        let resolver = CountingResolver()
        database.conflictResolver = resolver
        let document = database.document()
        document["n"] = 1
        try document.save()
        let other = database.document(withID: document.id)!.toMutable()
        other["n"] = 2
        try other.save()
        document["n"] = 3
        try document.save()
        #expect(resolver.count == 1)
        #expect(database[document.id]["n"].int == 3)
    }

    @Test("a client in Swift 5 mode can use log sinks with mutable state")
    func sinks() {
        let lines = LinesSink()
        let sink = CustomLogSink(level: .info, domains: [.database, .query], logSink: lines)
        sink.logSink.writeLog(level: .info, domain: .query, message: "one")
        let logger: Logger = lines
        logger.log(level: .info, domain: .query, message: "two")
        #expect(lines.lines == ["one", "two"])
    }

    @Test("a client in Swift 5 mode can keep conditions, rows and fragments in variables")
    func queries() throws {
        let document = database.document()
        document.properties = ["type": "task", "tags": ["a", "b"], "owner": ["name": "Ann"]]
        try document.save()
        let isTask: ExpressionProtocol = Expression.property("type").equalTo("task")
        let isAnns = isTask.and(Expression.property("owner.name").like("ann"))
        let row = try Query.select().from(DataSource.database(database)).where(isAnns).limit(1).run().next()
        let found = row!.document
        let owner = found["owner"]
        #expect(owner["name"].string == "Ann")
        #expect(found["tags"][1].string == "b")
        let mutable = found.toMutable()
        let tags = mutable["tags"]
        tags[0].string = "c"
        mutable["owner"]["name"].value = "Bob"
        #expect(mutable.array(forKey: "tags")?.toArray() as? [String] == ["c", "b"])
        if let name: String = mutable.dictionary(forKey: "owner")?["name"] { #expect(name == "Bob") }
    }

    @Test("a client in Swift 5 mode can keep the parts of predicate queries in variables")
    func predicateQueries() throws {
        let document = database.document()
        document.properties = ["type": "task", "priority": 2]
        try document.save()
        let condition: String? = "type == $type"
        let orderBy: [String]? = ["-priority"]
        let query: PredicateQuery = database.createQuery(
            where: condition,
            groupBy: nil,
            having: nil,
            returning: ["priority"],
            distinct: false,
            orderBy: orderBy
        )
        query.parameters["type"] = "task"
        query.offset = 0
        query.limit = 10
        let rows: QueryIterator = try query.run()
        let row: QueryRow? = rows.next()
        let priority: Int = row![0]
        #expect(priority == 2)
        let value: Any? = row!.value(at: 0)
        #expect(value as? NSNumber == 2)
        let sequence: UInt64 = row!.sequence
        #expect(sequence == row!.document.sequence)
    }
}
