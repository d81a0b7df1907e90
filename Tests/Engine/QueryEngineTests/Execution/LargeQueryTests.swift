import DocumentStore
import QueryEngine
import QueryLanguage
import Testing

@Suite("Very large queries and documents")
struct LargeQueryTests {
    private func database(_ documents: String...) throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (number, json) in documents.enumerated() { try database.save("d\(number)", json) }
        return database
    }

    @Test("a condition with 5000 terms is evaluated correctly", arguments: ["AND", "OR"])
    func manyTerms(symbol: String) throws {
        let comparison = symbol == "OR" ? "=" : "!="
        let condition = (0..<5000).map { "n \(comparison) \($0)" }.joined(separator: " \(symbol) ")
        let rows = try database(#"{"n":4321}"#, #"{"n":5000}"#).rows("SELECT n FROM _ WHERE \(condition)")
        #expect(rows == [symbol == "OR" ? "4321" : "5000"])
    }

    @Test("IN accepts 10,000 alternatives as literals and as a parameter")
    func manyAlternatives() throws {
        let database = try database(#"{"n":9999}"#, #"{"n":-1}"#)
        let list = (0..<10_000).map(String.init).joined(separator: ",")
        #expect(try database.rows("SELECT n FROM _ WHERE n IN (\(list))") == ["9999"])
        let parameters = try QueryParameters(json: "{\"list\":[\(list)]}")
        #expect(try database.rows("SELECT n FROM _ WHERE n IN $list", parameters) == ["9999"])
    }

    @Test("an array literal of constants can have any length, and one with other elements at most 127")
    func longLiterals() throws {
        let database = try database(#"{"n":1}"#)
        let items = Array(repeating: "-1, 2.5, 'x', NULL, MISSING, TRUE, [1, {'k': FALSE}]", count: 50).joined(separator: ",")
        #expect(try database.value("array_length([\(items)])") == "300")
        #expect(try database.value("[\(items)][5]") == #"[1,{"k":false}]"#)
        let short = "[-1, 2.5, 'x', NULL, MISSING, TRUE, [1, {'k': FALSE}]]"
        #expect(try database.value("[\(items)][4] || \(short)") == #""true[-1,2.5,\"x\",null,true,[1,{\"k\":false}]]""#)
        let error = #expect(throws: QueryError.self) { try database.value("array_length([\(items), n])") }
        #expect(error?.message.contains("more than 127 elements") == true)
    }

    @Test("a dictionary literal of constants can have any length, and one with other values at most 63 entries")
    func longDictionaries() throws {
        let database = try database(#"{"n":1}"#)
        func entries(_ count: Int, _ value: String) -> String { (0..<count).map { "'k\($0)':\(value)" }.joined(separator: ",") }
        #expect(try database.value("{\(entries(63, "n"))}.k62") == "1")
        #expect(try database.value("{\(entries(500, "[TRUE]"))}.k499") == "[true]")
        let error = #expect(throws: QueryError.self) { try database.value("{\(entries(64, "n"))}") }
        #expect(error?.message == "a dictionary literal of more than 63 entries may contain only literals")
        let twice = #expect(throws: QueryError.self) { try database.value("{\(entries(64, "1")),'k0':2}") }
        #expect(twice?.description.contains("duplicate key 'k0' in a dictionary literal") == true)
    }

    @Test("a function takes at most 127 arguments, and || any number of operands")
    func manyArguments() throws {
        let database = try database(#"{"n":1}"#)
        func list(_ count: Int, _ separator: String = ",") -> String { Array(repeating: "n", count: count).joined(separator: separator) }
        for name in ["concat", "array_of", "greatest", "ifmissing", "ifnull"] {
            #expect(try database.value("length(tostring(\(name)(\(list(127)))))") != "0")
            let error = #expect(throws: QueryError.self) { try database.value("\(name)(\(list(128)))") }
            #expect(error?.message == "function '\(name)' takes at most 127 arguments")
        }
        for count in [127, 128, 300] { #expect(try database.value("length(\(list(count, " || ")))") == "\(count)") }
        #expect(try database.value("\(list(200, " || ")) || nope") == "-")
    }

    @Test("a query can have a thousand columns, and 3000 columns are an error")
    func manyColumns() throws {
        let database = try database(#"{"n":1}"#)
        let rows = try database.rows("SELECT \((0..<1000).map { "n + \($0)" }.joined(separator: ", ")) FROM _")
        #expect(rows == [(1...1000).map(String.init).joined(separator: " ")])
        let error = #expect(throws: QueryError.self) {
            try database.rows("SELECT \((0..<3000).map { "n + \($0)" }.joined(separator: ", ")) FROM _")
        }
        #expect(error?.message.hasPrefix("the query is too large for SQLite: it has too many columns") == true)
    }

    @Test("functions and comparisons accept strings of 10 MiB")
    func longStrings() throws {
        let text = String(repeating: "0123456789", count: 1 << 20)
        let database = try database(#"{"s":"\#(text)"}"#)
        #expect(try database.value("length(s)") == "10485760")
        #expect(try database.value("length(upper(s) || s)") == "20971520")
        #expect(try database.value("contains(s, '90x')") == "false")
        #expect(try database.value("s LIKE '%8_0%x'") == "0")
        #expect(
            try database.rows("SELECT length(s) FROM _ WHERE s = $s", QueryParameters(json: #"{"s":"\#(text)"}"#)).count
                == 1
        )
    }

    @Test("a chain of 2000 operands throws an error that says the query is too large")
    func longChain() throws {
        let chain = Array(repeating: "n", count: 2000).joined(separator: " + ")
        let error = #expect(throws: QueryError.self) { try database(#"{"n":1}"#).value(chain) }
        #expect(error?.kind == .invalidQuery)
        #expect(error?.message.contains("too large") == true)
    }
}
