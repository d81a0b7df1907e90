import SQLiteEngine
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("SQL functions")
struct FunctionTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
    }

    @Test("an SQL function gets its arguments and can return every type of result")
    func results() throws {
        try connection.registerFunction(name: "give", argumentCount: 2, flags: .deterministic) {
            context,
            count,
            values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            let value = arguments[1]
            switch arguments[0].text {
            case "null": context.resultNull()
            case "int64": context.resultInt64(value.int64)
            case "double": context.resultDouble(value.double)
            case "bool": context.resultBool(value.int64 != 0)
            case "text": context.resultText(value.text)
            case "bytes": context.resultText(value.textBytes)
            case "blob": context.resultBlob(value.blobBytes)
            case "empty": context.resultEmptyBlob()
            case "value": context.resultValue(value)
            case "numeric": context.resultBool(value.isNumeric)
            case "type": context.resultInt64(Int64(value.type.rawValue))
            case "memory": context.resultNoMemory()
            case "big": context.resultTooBig()
            default: context.resultError("no such kind: \(arguments[0].text)")
            }
        }
        func give(_ arguments: String) throws -> String? {
            try connection.scalarText("SELECT quote(give(\(arguments)))")
        }
        #expect(try give("'null', 1") == "NULL")
        #expect(try give("'int64', -9223372036854775808") == "-9223372036854775808")
        #expect(try give("'double', 0.25") == "0.25")
        #expect(try give("'bool', 7") == "1")
        #expect(try give("'text', 'grün'") == "'grün'")
        #expect(try give("'text', ''") == "''")
        #expect(try give("'bytes', 'grün'") == "'grün'")
        #expect(try give("'bytes', ''") == "''")
        #expect(try give("'bytes', NULL") == "''")
        #expect(try give("'blob', x'00ff'") == "X'00FF'")
        #expect(try give("'blob', x''") == "X''")
        #expect(try give("'empty', 1") == "X''")
        #expect(try give("'value', 1.5") == "1.5")
        #expect(try give("'numeric', '12'") == "1")
        #expect(try give("'numeric', 'x12'") == "0")
        #expect(try give("'numeric', NULL") == "0")
        #expect(
            try connection.column("SELECT give('type', column1) FROM (VALUES (1), (1.5), ('a'), (x'00'), (NULL))")
                == ["1", "2", "3", "4", "5"]
        )
        #expect(try sqliteError { _ = try give("'memory', 1") }.code == 7)
        #expect(try sqliteError { _ = try give("'big', 1") }.code == 18)
        let error = try sqliteError { _ = try give("'ünknown', 1") }
        #expect(error.message == "no such kind: ünknown")
        #expect(try sqliteError { _ = try give("1") }.message.contains("wrong number of arguments"))
    }

    @Test("an SQL function can take any number of arguments, or none")
    func anyNumber() throws {
        try connection.registerFunction(name: "argument_count", argumentCount: -1) { context, count, values in
            FunctionContext(context).resultInt64(count == 0 ? 0 : Int64(FunctionArguments(count, values).count))
        }
        #expect(try connection.scalar("SELECT argument_count()") == 0)
        #expect(try connection.scalar("SELECT argument_count(1, 2, 3)") == 3)
    }

    @Test("auxiliary data of a constant argument is created once for all rows")
    func auxiliaryData() throws {
        let made = Counter()
        try connection.registerFunction(name: "parsed", argumentCount: 2, userData: made) { context, count, values in
            let context = FunctionContext(context)
            if let kept = context.auxiliaryData(at: 1) {
                context.resultInt64(kept.load(as: Int64.self))
                return
            }
            context.userData(as: Counter.self)?.count += 1
            guard let parsed = malloc(8) else { return context.resultNoMemory() }
            let value = FunctionArguments(count, values)[1].int64
            parsed.storeBytes(of: value, as: Int64.self)
            context.resultInt64(value)
            context.setAuxiliaryData(parsed, at: 1) { free($0) }
        }
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3), (4)")
        #expect(try connection.column("SELECT parsed(x, 9) FROM t") == ["9", "9", "9", "9"])
        #expect(made.count == 1)
        #expect(try connection.column("SELECT parsed(0, x) FROM t") == ["1", "2", "3", "4"])
        #expect(made.count == 5)
    }

    @Test("a subtype is passed from the result of one function to the argument of another")
    func subtypes() throws {
        try connection.registerFunction(name: "mark", argumentCount: 1, flags: .resultSubtype) {
            context,
            count,
            values in
            let context = FunctionContext(context)
            context.resultValue(FunctionArguments(count, values)[0])
            context.setSubtype(0x66)
        }
        try connection.registerFunction(name: "mark_of", argumentCount: 1, flags: .subtype) { context, count, values in
            FunctionContext(context).resultInt64(Int64(FunctionArguments(count, values)[0].subtype))
        }
        #expect(try connection.scalar("SELECT mark_of(mark(5))") == 0x66)
        #expect(try connection.scalar("SELECT mark_of(5)") == 0)
    }

    @Test("a deterministic function can be used in an index, a non-deterministic one cannot")
    func expressionIndex() throws {
        let tenfold: SQLFunction = { context, count, values in
            FunctionContext(context).resultInt64(FunctionArguments(count, values)[0].int64 * 10)
        }
        let flags: FunctionFlags = [.deterministic, .innocuous]
        try connection.registerFunction(name: "tenfold", argumentCount: 1, flags: flags, function: tenfold)
        try connection.registerFunction(name: "moody", argumentCount: 1, function: tenfold)
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
        try connection.execute("CREATE INDEX by_tenfold ON t (tenfold(x))")
        #expect(try connection.column("SELECT x FROM t WHERE tenfold(x) = 20") == ["2"])
        let plan = try connection.prepare("EXPLAIN QUERY PLAN SELECT x FROM t WHERE tenfold(x) = 20")
        #expect(try plan.step())
        #expect(plan.text(at: 3) == "SEARCH t USING INDEX by_tenfold (<expr>=?)")
        let error = try sqliteError { try connection.execute("CREATE INDEX by_mood ON t (moody(x))") }
        #expect(error.message.contains("non-deterministic"))
    }

    @Test("user data of a function is released when the function is replaced or the connection is closed")
    func userDataLifetime() throws {
        weak var first: Counter?
        weak var second: Counter?
        func register(_ counter: Counter) throws {
            try connection.registerFunction(name: "f", argumentCount: 0, userData: counter) { context, _, _ in
                context.map { FunctionContext($0).userData(as: Counter.self)?.count += 1 }
            }
        }
        do {
            let counter = Counter()
            first = counter
            try register(counter)
        }
        try connection.execute("SELECT f()")
        #expect(first?.count == 1)
        do {
            let counter = Counter()
            second = counter
            try register(counter)
        }
        #expect(first == nil)
        #expect(second != nil)
        #expect(throws: SQLiteError.self) {
            try connection.registerFunction(name: "f", argumentCount: 40_000, userData: Counter()) { _, _, _ in }
        }
        try connection.close()
        #expect(second == nil)
    }

    @Test("a function whose user data owns a statement does not prevent its connection from closing")
    func userDataWithStatement() throws {
        final class Owner {
            let statement: Statement
            init(_ statement: Statement) { self.statement = statement }
        }
        try connection.registerFunction(name: "f", argumentCount: 0, userData: Owner(connection.prepare("SELECT 1"))) {
            _,
            _,
            _ in
        }
        try connection.close()
        #expect(connection.isClosed)
    }

    @Test("a connection that is closed by a function of a running statement keeps its attachment until it is closed completely")
    func closingByFunction() throws {
        final class Closer {
            weak var connection: Connection?
            var error: SQLiteError?
            var hasAttachment = false
        }
        let closer = Closer()
        closer.connection = connection
        connection.attachment = Counter()
        try connection.registerFunction(name: "close_connection", argumentCount: 0, userData: closer) { context, _, _ in
            guard let closer = FunctionContext(context).userData(as: Closer.self), let connection = closer.connection else { return }
            do throws(SQLiteError) {
                try connection.close()
            } catch {
                closer.error = error
            }
            closer.hasAttachment = connection.attachment != nil
        }
        try connection.execute("SELECT close_connection()")
        #expect(closer.error?.isBusy == true)
        #expect(closer.hasAttachment)
        #expect(connection.isClosed)
        try connection.close()
        #expect(connection.attachment == nil)
    }

    @Test("an aggregate function keeps its state per group, and returns a result without rows")
    func aggregate() throws {
        try connection.registerAggregate(name: "sum_of_squares", argumentCount: 1) { context, count, values in
            let context = FunctionContext(context)
            guard let state = context.aggregateContext(byteCount: 8) else { return context.resultNoMemory() }
            let value = FunctionArguments(count, values)[0].int64
            state.assumingMemoryBound(to: Int64.self).pointee += value * value
        } final: { context in
            let context = FunctionContext(context)
            context.resultInt64(context.existingAggregateContext?.load(as: Int64.self) ?? -1)
        }
        try connection.execute("CREATE TABLE t (g, x); INSERT INTO t VALUES ('a', 1), ('b', 2), ('a', 3), ('b', 4)")
        #expect(try connection.column("SELECT sum_of_squares(x) FROM t GROUP BY g ORDER BY g") == ["10", "20"])
        #expect(try connection.column("SELECT sum_of_squares(x) FROM t WHERE 0") == ["-1"])
    }
}

@Suite("Collations")
struct CollationTests {
    @Test("a collation determines order and equality")
    func ordering() throws {
        let connection = try Connection.inMemory()
        try connection.registerCollation(name: "by_length") { $0.count - $1.count }
        try connection.execute("CREATE TABLE t (x COLLATE by_length); INSERT INTO t VALUES ('ccc'), (''), ('bb'), ('a')")
        #expect(try connection.column("SELECT x FROM t ORDER BY x") == ["", "a", "bb", "ccc"])
        #expect(try connection.column("SELECT x FROM t WHERE x = 'zz'") == ["bb"])
    }

    @Test("a collation's comparison may return any integer")
    func extremes() throws {
        let connection = try Connection.inMemory()
        try connection.registerCollation(name: "extreme") { first, second in
            first.count == second.count ? 0 : first.count < second.count ? Int.min : Int.max
        }
        #expect(
            try connection.column("SELECT column1 FROM (VALUES ('ccc'), ('a'), ('bb')) ORDER BY 1 COLLATE extreme")
                == ["a", "bb", "ccc"]
        )
    }

    @Test("a missing collation is requested once, by name")
    func collationNeeded() throws {
        let connection = try Connection.inMemory()
        var asked: [String] = []
        try connection.onCollationNeeded { connection, name in
            asked.append(name)
            if name == "backwards" {
                try? connection.registerCollation(name: name) { first, second in
                    first.elementsEqual(second) ? 0 : first.lexicographicallyPrecedes(second) ? 1 : -1
                }
            }
        }
        let sql = "SELECT column1 FROM (VALUES ('a'), ('c'), ('b')) ORDER BY 1 COLLATE "
        #expect(try connection.column(sql + "backwards") == ["c", "b", "a"])
        #expect(try connection.column(sql + "backwards DESC") == ["a", "b", "c"])
        let error = try sqliteError { _ = try connection.column(sql + "unheard_of") }
        #expect(error.message.contains("no such collation sequence: unheard_of"))
        #expect(asked == ["backwards", "unheard_of"])
    }
}
