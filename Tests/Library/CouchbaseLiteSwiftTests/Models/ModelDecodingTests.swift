import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Decoding of models")
struct ModelDecodingTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    /// Reads the property `value` of a document with these properties as a type.
    private func read<T: Codable>(_ json: String, as type: T.Type) throws -> T {
        try collection.save(document: MutableDocument(id: "x", json: json))
        return try #require(try collection.document(id: "x", as: Box<T>.self)).value
    }

    private func error<T: Codable>(_ json: String, as type: T.Type) -> String? {
        let found = message { _ = try read(json, as: type) }
        #expect(found?.code == .decoding || found == nil)
        return found?.text
    }

    /// Calls `read` with the decoder of a document with these properties.
    private func decode(_ json: String, _ read: @escaping @Sendable (any Decoder) throws -> Void) throws {
        try collection.save(document: MutableDocument(id: "x", json: json))
        try Reading.$read.withValue(read) { _ = try collection.document(id: "x", as: Reading.self) }
    }

    // MARK: Wrong data

    struct Everything: Codable {
        struct Inner: Codable { var flag: Bool }
        var string = ""
        var bool = false
        var int = 0
        var byte: UInt8 = 0
        var double = 0.0
        var float: Float = 0
        var date = Date(timeIntervalSince1970: 0)
        var list = [1]
        var inner = Inner(flag: true)
        var maybe: Int? = 1
        var uuid = UUID()
    }

    @Test(
        "a value of a wrong type throws a decoding error that names its path",
        arguments: ["string", "bool", "int", "byte", "double", "float", "date", "list", "inner", "maybe", "uuid"]
    )
    func wrongTypes(property: String) throws {
        try collection.save(from: Box(Everything(), id: "good"))
        let values: [String: Any] = [
            "a string": "secret", "a boolean": true, "a number": 77, "an array": [[77]], "a dictionary": ["secret": 77],
            "null": NSNull(),
        ]
        let right = [
            "string": ["a string"], "bool": ["a boolean"], "int": ["a number"], "byte": ["a number"],
            "double": ["a number"], "float": ["a number"], "maybe": ["a number", "null"],
        ]
        for (name, value) in values where right[property]?.contains(name) != true {
            let document = try #require(try collection.document(id: "good")?.toMutable())
            document.dictionary(forKey: "value")?.setValue(value, forKey: property)
            try collection.save(document: document)
            let found = message { _ = try collection.document(id: "good", as: Box<Everything>.self) }
            #expect(found?.code == .decoding, "\(name)")
            #expect(found?.text.contains(" at value.\(property)") == true, "\(name): \(found?.text ?? "no error")")
            #expect(found?.text.contains("77") == false && found?.text.contains("secret") == false)
        }
    }

    @Test("missing and null properties throw a decoding error unless they are optional")
    func missing() throws {
        #expect(error("{}", as: Int.self) == #"The object cannot be decoded: there is no property "value""#)
        #expect(
            error(#"{"value":{}}"#, as: Everything.self)
                == #"The object cannot be decoded at value: there is no property "string""#
        )
        #expect(
            error(#"{"value":[1,null]}"#, as: [Int].self)
                == "The object cannot be decoded at value[1]: null instead of a value of type Int"
        )
        struct Optionals: Codable, Equatable {
            var number: Int?
            var list: [Date]?
            var blob: Blob?
        }
        #expect(try read(#"{"value":{}}"#, as: Optionals.self) == Optionals())
        #expect(try read(#"{"value":{"number":null,"list":null,"blob":null}}"#, as: Optionals.self) == Optionals())
        #expect(try read(#"{"value":null}"#, as: Int?.self) == nil)
        #expect(try read(#"{"value":[1,null]}"#, as: [Int?].self) == [1, nil])
    }

    @Test("a decoder distinguishes missing and null values")
    func nilAndMissing() throws {
        try decode(#"{"null":null,"one":1}"#) { decoder in
            let container = try decoder.container(keyedBy: AnyKey.self)
            #expect(container.contains("null") && container.contains("one") && !container.contains("missing"))
            #expect(try container.decodeNil(forKey: "null"))
            #expect(try !container.decodeNil(forKey: "one"))
            #expect(throws: DecodingError.self) { try container.decodeNil(forKey: "missing") }
            #expect(try container.decodeIfPresent(Int.self, forKey: "null") == nil)
            #expect(try container.decodeIfPresent(Int.self, forKey: "missing") == nil)
            #expect(try container.decodeIfPresent([Int].self, forKey: "missing") == nil)
            #expect(try container.decodeIfPresent(Int.self, forKey: "one") == 1)
            #expect(Set(container.allKeys.map(\.stringValue)) == ["null", "one"])
            #expect(container.codingPath.isEmpty && decoder.userInfo.isEmpty)
        }
    }

    // MARK: Numbers

    @Test("integers are decoded by any integer type with sufficient range")
    func integers() throws {
        #expect(try read(#"{"value":[-128,127]}"#, as: [Int8].self) == [-128, 127])
        #expect(try read(#"{"value":18446744073709551615}"#, as: UInt64.self) == .max)
        #expect(try read(#"{"value":3.0}"#, as: Int.self) == 3)
        #expect(try read(#"{"value":-9223372036854775808}"#, as: Int.self) == .min)
        for (json, found) in [
            ("128", error(#"{"value":128}"#, as: Int8.self)), ("-1", error(#"{"value":-1}"#, as: UInt.self)),
            ("max", error(#"{"value":18446744073709551615}"#, as: Int.self)),
            ("3.5", error(#"{"value":3.5}"#, as: Int.self)), ("1e300", error(#"{"value":1e300}"#, as: Int64.self)),
        ] {
            #expect(found?.contains(" at value: the number does not fit in ") == true, "\(json)")
        }
        #expect(error(#"{"value":1}"#, as: Int128.self)?.contains(" at value: integers of more than 64 bits") == true)
    }

    @Test("floating-point numbers are decoded from all numbers within their range")
    func floats() throws {
        #expect(try read(#"{"value":[1,-2.5,18446744073709551615]}"#, as: [Double].self) == [1, -2.5, 0x1p64])
        #expect(try read(#"{"value":0.1}"#, as: Float.self) == 0.1)
        #expect(error(#"{"value":1e300}"#, as: Float.self)?.contains("the number does not fit in Float") == true)
        #expect(error(#"{"value":true}"#, as: Double.self)?.contains("a boolean instead of") == true)
    }

    // MARK: Dates and data

    @Test("dates are decoded with and without fractions and zones, and other text throws an error")
    func dates() throws {
        let expected = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(try read(#"{"value":"2023-11-14T22:13:20Z"}"#, as: Date.self) == expected)
        #expect(try read(#"{"value":"2023-11-14T22:13:20.000Z"}"#, as: Date.self) == expected)
        #expect(try read(#"{"value":"2023-11-14T23:13:20+01:00"}"#, as: Date?.self) == expected)
        for text in ["", "yesterday", "22:13:20Z", "2023-13-14T22:13:20Z"] {
            #expect(
                error(#"{"value":"\#(text)"}"#, as: Date.self)?.hasSuffix(" at value: the string is not an ISO-8601 date")
                    == true
            )
        }
        #expect(error(#"{"value":5}"#, as: Date.self)?.hasSuffix(" at value: a number instead of a date") == true)
    }

    @Test("decoding binary data from a property throws an error")
    func data() {
        #expect(error(#"{"value":[1,2]}"#, as: Data.self)?.contains("use a Blob") == true)
        #expect(error(#"{"value":"AQI="}"#, as: Data?.self)?.contains("use a Blob") == true)
    }

    @Test("an unknown enumeration value throws an error with its path and without the value")
    func enumerations() {
        enum Color: String, Codable { case red }
        let found = error(#"{"value":["red","secret"]}"#, as: [Color].self)
        #expect(found == "The object cannot be decoded at value[1]: the value is not valid")
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    // MARK: By hand

    @Test("nested containers can be decoded item by item, and continue after an error")
    func containers() throws {
        try decode(#"{"list":[1,null,"three",[4],{"five":5}],"super":{"legs":4}}"#) { decoder in
            let root = try decoder.container(keyedBy: AnyKey.self)
            var list = try root.nestedUnkeyedContainer(forKey: "list")
            #expect(list.count == 5 && list.currentIndex == 0)
            #expect(try !list.decodeNil())
            #expect(throws: DecodingError.self) { try list.decode(String.self) }
            #expect(list.currentIndex == 0)
            #expect(try list.decode(Int.self) == 1)
            #expect(try list.decodeNil())
            #expect(try list.decodeIfPresent(String.self) == "three")
            var inner = try list.nestedUnkeyedContainer()
            #expect(inner.codingPath.map(\.stringValue) == ["list", "Index 3"])
            #expect(try inner.decode(Int.self) == 4 && inner.isAtEnd)
            #expect(throws: DecodingError.self) { try inner.decode(Int.self) }
            #expect(throws: DecodingError.self) { try inner.decodeNil() }
            #expect(try list.nestedContainer(keyedBy: AnyKey.self).decode(Int.self, forKey: "five") == 5)
            #expect(list.isAtEnd && list.currentIndex == 5)
            #expect(throws: DecodingError.self) { try list.superDecoder() }
            #expect(try root.superDecoder().container(keyedBy: AnyKey.self).decode(Int.self, forKey: "legs") == 4)
            let five = try root.superDecoder(forKey: "list").unkeyedContainer()
            #expect(five.count == 5)
            #expect(throws: DecodingError.self) { try root.superDecoder(forKey: "missing") }
            #expect(throws: DecodingError.self) { try decoder.unkeyedContainer() }
            #expect(throws: DecodingError.self) { try decoder.singleValueContainer().decode(String.self) }
            let single = try decoder.singleValueContainer()
            #expect(try single.decode([String: Anything].self).keys.sorted() == ["list", "super"])
            #expect(!single.decodeNil())
        }
    }

    @Test("a decoding container can be used after its document was purged")
    func escapedDecoder() throws {
        // Unsafe: used on this thread only.
        nonisolated(unsafe) var escaped: KeyedDecodingContainer<AnyKey>?
        try decode(#"{"text":"a string that is too long to be inline"}"#) {
            escaped = try $0.container(keyedBy: AnyKey.self)
        }
        try collection.purge(id: "x")
        #expect(try escaped?.decode(String.self, forKey: "text") == "a string that is too long to be inline")
    }

    @Test("a type that decodes itself endlessly throws an error")
    func endless() {
        struct Endless: Codable {
            init(from decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Endless.self) }
            func encode(to encoder: any Encoder) throws {}
        }
        #expect(error(#"{"value":1}"#, as: Endless.self)?.contains("nested deeper") == true)
    }

    @Test("an NSError thrown while decoding is passed through, and other errors become unexpected errors")
    func ownErrors() {
        #expect(
            thrown { try decode("{}") { _ in throw NSError(domain: "mine", code: 7) } }
                == ErrorCode(domain: "mine", code: 7)
        )
        struct Own: Error {}
        #expect(thrown { try decode("{}") { _ in throw Own() } } == .couchbaseLite(CBLError.unexpectedError))
    }

    @Test("a decoding error has the underlying DecodingError")
    func underlying() throws {
        try collection.save(document: MutableDocument(id: "x", json: "{}"))
        let error = #expect(throws: NSError.self) { _ = try collection.document(id: "x", as: Box<Int>.self) }
        let underlying = try #require(error?.userInfo[NSUnderlyingErrorKey] as? DecodingError)
        guard case .keyNotFound(let key, _) = underlying else { return #expect(Bool(false), "\(underlying)") }
        #expect(key.stringValue == "value")
    }
}
