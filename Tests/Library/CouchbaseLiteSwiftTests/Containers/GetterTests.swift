import CouchbaseLiteSwift
import Testing

@Suite("Typed getters")
struct GetterTests {
    /// A value and the expected result of every getter (API 1.4).
    ///
    /// Unchecked because the values are immutable ones.
    struct Row: CustomTestStringConvertible, @unchecked Sendable {
        let name: String
        let value: Any?
        var int = 0
        var double = 0.0
        var boolean = false
        var number: NSNumber?
        var string: String?
        var date: Date?
        var kind = ""

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "null", value: nil),
        Row(name: "NSNull", value: NSNull()),
        Row(name: "true", value: true, int: 1, double: 1, boolean: true, number: true),
        Row(name: "false", value: false, number: false),
        Row(name: "zero", value: 0, number: 0),
        Row(name: "integer", value: 42, int: 42, double: 42, boolean: true, number: 42),
        Row(name: "negative fraction", value: -1.9, int: -1, double: -1.9, boolean: true, number: -1.9),
        Row(name: "1.1", value: 1.1, int: 1, double: 1.1, boolean: true, number: 1.1),
        Row(name: "float", value: Float(2.5), int: 2, double: 2.5, boolean: true, number: 2.5),
        Row(name: "string", value: "12", boolean: true, string: "12"),
        Row(name: "empty string", value: "", boolean: true, string: ""),
        Row(
            name: "date",
            value: Date(timeIntervalSince1970: 1.5),
            boolean: true,
            string: "1970-01-01T00:00:01.500Z",
            date: Date(timeIntervalSince1970: 1.5)
        ),
        Row(name: "array", value: [1, 2], boolean: true, kind: "array"),
        Row(name: "dictionary", value: ["a": 1], boolean: true, kind: "dictionary"),
        Row(name: "blob", value: ["@type": "blob", "digest": "sha1-x"], boolean: true, kind: "blob"),
    ]

    private func check(_ row: Row, _ dictionary: any DictionaryProtocol) {
        #expect(dictionary.int(forKey: "v") == row.int)
        #expect(dictionary.int64(forKey: "v") == Int64(row.int))
        #expect(dictionary.double(forKey: "v") == row.double)
        #expect(dictionary.float(forKey: "v") == Float(row.double))
        #expect(dictionary.boolean(forKey: "v") == row.boolean)
        #expect(dictionary.number(forKey: "v") == row.number)
        #expect(dictionary.string(forKey: "v") == row.string)
        #expect(dictionary.date(forKey: "v") == row.date)
        #expect((dictionary.array(forKey: "v") != nil) == (row.kind == "array"))
        #expect((dictionary.dictionary(forKey: "v") != nil) == (row.kind == "dictionary"))
        #expect((dictionary.blob(forKey: "v") != nil) == (row.kind == "blob"))
        #expect(dictionary.contains(key: "v"))
    }

    private func check(_ row: Row, _ array: any ArrayProtocol) {
        #expect(array.int(at: 0) == row.int)
        #expect(array.int64(at: 0) == Int64(row.int))
        #expect(array.double(at: 0) == row.double)
        #expect(array.float(at: 0) == Float(row.double))
        #expect(array.boolean(at: 0) == row.boolean)
        #expect(array.number(at: 0) == row.number)
        #expect(array.string(at: 0) == row.string)
        #expect(array.date(at: 0) == row.date)
        #expect((array.array(at: 0) != nil) == (row.kind == "array"))
        #expect((array.dictionary(at: 0) != nil) == (row.kind == "dictionary"))
        #expect((array.blob(at: 0) != nil) == (row.kind == "blob"))
    }

    @Test("typed getters convert values that were set", arguments: rows)
    func set(_ row: Row) {
        check(row, MutableDocument().setValue(row.value, forKey: "v"))
        check(row, MutableDictionaryObject().setValue(row.value, forKey: "v"))
        check(row, MutableArrayObject().addValue(row.value))
    }

    @Test("typed getters convert values that were stored", arguments: rows.filter { $0.kind != "blob" })
    func stored(_ row: Row) throws {
        let document = try stored(["v": row.value as Any, "d": ["v": row.value as Any], "a": [row.value as Any]])
        check(row, document)
        check(row, try #require(document.dictionary(forKey: "d")))
        check(row, try #require(document.array(forKey: "a")))
        let copy = document.toMutable()
        check(row, copy)
        check(row, try #require(copy.dictionary(forKey: "d")))
        check(row, try #require(copy.array(forKey: "a")))
    }

    private func stored(_ data: [String: Any]) throws -> Document {
        try CouchbaseLiteSwiftTests.stored(data)
    }

    @Test("typed getters return nil, zero or false for a missing key")
    func absent() throws {
        for dictionary in [try stored([:]), MutableDocument()] as [any DictionaryProtocol] {
            #expect(dictionary.value(forKey: "v") == nil)
            #expect(dictionary.int(forKey: "v") == 0)
            #expect(dictionary.double(forKey: "v") == 0)
            #expect(!dictionary.boolean(forKey: "v"))
            #expect(dictionary.number(forKey: "v") == nil)
            #expect(dictionary.string(forKey: "v") == nil)
            #expect(dictionary.date(forKey: "v") == nil)
            #expect(dictionary.array(forKey: "v") == nil)
            #expect(dictionary.dictionary(forKey: "v") == nil)
            #expect(dictionary.blob(forKey: "v") == nil)
            #expect(!dictionary.contains(key: "v"))
        }
    }

    @Test("value(forKey:) returns strings, NSNumber, NSNull and objects")
    func values() throws {
        let data: [String: Any] = ["s": "x", "i": 5, "b": true, "d": 1.5, "n": NSNull(), "a": [1], "o": ["k": 1]]
        for document in [try stored(data), MutableDocument(data: data)] {
            #expect(document.value(forKey: "s") as? String == "x")
            #expect(document.value(forKey: "i") is NSNumber)
            #expect(document.value(forKey: "i") as? Int64 == 5)
            #expect(document.value(forKey: "i") as? Double == 5)
            #expect(document.value(forKey: "b") as? NSNumber === NSNumber(value: true))
            #expect(document.value(forKey: "d") as? Float == 1.5)
            #expect(document.value(forKey: "n") is NSNull)
            #expect(document.value(forKey: "a") is ArrayObject)
            #expect(document.value(forKey: "o") is DictionaryObject)
            #expect((document.value(forKey: "a") is MutableArrayObject) == (document is MutableDocument))
            #expect((document.value(forKey: "o") is MutableDictionaryObject) == (document is MutableDocument))
        }
    }
}
