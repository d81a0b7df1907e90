import Foundation
import ModelCoding
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Encoding of models")
struct ModelEncodingTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    /// The document created from an object, as JSON with sorted keys.
    private func json(_ object: some DocumentEncodable) throws -> String {
        try collection.save(from: object)
        let document = try collection.document(id: try ModelTypes.ofAPI.wrapper(of: object).id ?? "")
        return try canonical(try #require(document).toDictionary())
    }

    /// Like ``json(_:)``, for an object that encodes itself.
    private func json(_ encode: @escaping (any Encoder) throws -> Void) throws -> String {
        try json(Custom(encode))
    }

    @Test("a model is stored with the same bytes as a document with the same values")
    func sameBytes() throws {
        let hotel = Hotel("Ritz, a long enough name", id: "model")
        hotel.opened = Date(timeIntervalSince1970: 1_700_000_000.125)
        hotel.note = "a"
        let document = MutableDocument(id: "document")
            .setString("Ritz, a long enough name", forKey: "name")
            .setInt(3, forKey: "stars")
            .setDouble(4.5, forKey: "rating")
            .setFloat(0.1, forKey: "share")
            .setBoolean(true, forKey: "isOpen")
            .setString("hotel", forKey: "kind")
            .setDictionary(MutableDictionaryObject().setString("Main St", forKey: "street").setInt(94040, forKey: "zip"), forKey: "address")
            .setArray(MutableArrayObject().addString("a").addString("b"), forKey: "tags")
            .setDictionary(MutableDictionaryObject().setInt(80, forKey: "single"), forKey: "prices")
            .setDate(hotel.opened, forKey: "opened")
            .setString("a", forKey: "note")
        try collection.save(from: hotel)
        try collection.save(document: document)
        let saved = try #require(try collection.document(id: "model"))
        let expected = try #require(try collection.document(id: "document"))
        #expect(saved.storedBytes == expected.storedBytes)
        #expect(saved.revisionID == expected.revisionID)
        // Also in a new file, where the model determines the numbers of the keys.
        let other = try folder.open("other").defaultCollection()
        try other.save(from: Hotel("x"))
        try other.save(
            from: { () -> Hotel in
                let copy = Hotel(hotel.name, id: "model")
                (copy.opened, copy.note) = (hotel.opened, hotel.note)
                return copy
            }()
        )
        #expect(try other.document(id: "model")?.toJSON().count == expected.toJSON().count)
    }

    @Test("integers of all widths keep their bounds in models")
    func integers() throws {
        struct All: Codable, Equatable {
            var a = [Int8.min, .max]
            var b = [Int16.min, .max]
            var c = [Int32.min, .max]
            var d = [Int64.min, .max]
            var e = [Int.min, .max]
            var f = [UInt8.min, .max]
            var g = [UInt16.min, .max]
            var h = [UInt32.min, .max]
            var i = [UInt64.min, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
            var j = [UInt.min, .max]
        }
        try collection.save(from: Box(All(), id: "x"))
        #expect(try collection.document(id: "x", as: Box<All>.self)?.value == All())
        let document = try #require(try collection.document(id: "x"))
        #expect(document["value"]["i"][3].number?.uint64Value == .max)
    }

    @Test("floating-point numbers keep their type, and those that are not finite are refused with their path")
    func floats() throws {
        let numbers = [0, -0.0, 0.1, 1e300, -.leastNormalMagnitude, .greatestFiniteMagnitude, 5]
        try collection.save(from: Box(numbers, id: "x"))
        #expect(try collection.document(id: "x", as: Box<[Double]>.self)?.value == numbers)
        try collection.save(from: Box([Float(0.1), .greatestFiniteMagnitude], id: "y"))
        #expect(try collection.document(id: "y", as: Box<[Float]>.self)?.value == [0.1, .greatestFiniteMagnitude])
        try collection.purge(id: "x")
        try collection.purge(id: "y")
        for number in [Double.nan, .infinity, -.infinity] {
            let found = message { try collection.save(from: Box(["a": [1, number]])) }
            #expect(found?.code == .encoding)
            #expect(found?.text.contains("at value.a[1]: \(number) cannot be stored") == true)
        }
        #expect(message { try collection.save(from: Box(Float.nan)) }?.code == .encoding)
        #expect(collection.count == 0)
    }

    @Test("128-bit integers and binary data are refused with their path")
    func refusedTypes() {
        for (name, found) in [
            ("Int128", message { try collection.save(from: Box([Int128(1)])) }),
            ("UInt128", message { try collection.save(from: Box([UInt128(1)])) }),
            ("Data", message { try collection.save(from: Box([Data([1])])) }),
            ("Data?", message { try collection.save(from: Box([Data([1]) as Data?])) }),
        ] {
            #expect(found?.code == .encoding, "\(name)")
            #expect(found?.text.contains(" at value[0]: ") == true, "\(found?.text ?? "")")
        }
        #expect(message { try collection.save(from: Box(Int128(1))) }?.text.contains(" at value: integers") == true)
        #expect(message { try collection.save(from: Box(Data())) }?.text.contains("use a Blob") == true)
        #expect(collection.count == 0)
    }

    @Test("dates in models are stored as text with milliseconds")
    func dates() throws {
        struct Dates: Codable {
            var one = Date(timeIntervalSince1970: 0.0004)
            var some = [Date(timeIntervalSince1970: 1.9996)]
            var maybe: Date? = Date(timeIntervalSince1970: 0.123)
        }
        #expect(
            try json(Box(Dates()))
                == """
                {"value":{"maybe":"1970-01-01T00:00:00.123Z","one":"1970-01-01T00:00:00.000Z",\
                "some":["1970-01-01T00:00:02.000Z"]}}
                """
        )
    }

    @Test("Foundation types are stored in the form that their encode(to:) writes")
    func foundationTypes() throws {
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try json(Box(uuid)) == #"{"value":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}"#)
        let url = try #require(URL(string: "https://example.com/a"))
        let decimal = try #require(Decimal(string: "-12.50"))
        try collection.save(from: Box(url, id: "url"))
        try collection.save(from: Box(decimal, id: "decimal"))
        try collection.save(from: Box(uuid, id: "uuid"))
        #expect(try collection.document(id: "url", as: Box<URL>.self)?.value == url)
        #expect(try collection.document(id: "decimal", as: Box<Decimal>.self)?.value == decimal)
        #expect(try collection.document(id: "uuid", as: Box<UUID>.self)?.value == uuid)
    }

    @Test("dictionaries may have strings, integers and other types as keys")
    func dictionaries() throws {
        enum Color: String, Codable, CodingKeyRepresentable { case red, blue }
        struct Point: Codable, Hashable { var x: Int }
        #expect(try json(Box(["": 1, "a key with ümläuts and more": 2])).contains(#""":1"#))
        #expect(try json(Box([5: "five"])) == #"{"value":{"5":"five"}}"#)
        #expect(try json(Box([Color.red: 1])) == #"{"value":{"red":1}}"#)
        #expect(try json(Box([Point(x: 1): "p"])) == #"{"value":[{"x":1},"p"]}"#)
        let box = Box([5: [Color.blue: [Point(x: 2): Set([1])]]], id: "x")
        try collection.save(from: box)
        #expect(try collection.document(id: "x", as: Box<[Int: [Color: [Point: Set<Int>]]]>.self)?.value == box.value)
    }

    @Test("enumerations with associated values can be stored")
    func enumerations() throws {
        enum Shape: Codable, Equatable {
            case none
            case circle(radius: Double)
            indirect case pair(Shape, Shape, label: String?)
        }
        let shape = Shape.pair(.circle(radius: 1.5), .pair(.none, .none, label: nil), label: "x")
        #expect(
            try json(Box(shape))
                == """
                {"value":{"pair":{"_0":{"circle":{"radius":1.5}},"_1":{"pair":{"_0":{"none":{}},"_1":{"none":{}},"label":null}},\
                "label":"x"}}}
                """
        )
        try collection.save(from: Box(shape, id: "x"))
        #expect(try collection.document(id: "x", as: Box<Shape>.self)?.value == shape)
    }

    @Test("nil properties and elements are stored as null, of every type")
    func nilAndMissing() throws {
        struct Optionals: Codable {
            var left: Int?
            var items: [Int?] = [1, nil]
        }
        struct Everything: Codable {
            var a: Bool?, b: String?, c: Double?, d: Float?, e: Int8?, f: UInt64?, g: Date?, h: [Int]?, i: [String: Int]?, j: Optionals?
        }
        #expect(try json(Box(Optionals())) == #"{"value":{"items":[1,null],"left":null}}"#)
        let all = #"{"a":null,"b":null,"c":null,"d":null,"e":null,"f":null,"g":null,"h":null,"i":null,"j":null}"#
        #expect(try json(Box(Everything())) == #"{"value":\#(all)}"#)
        #expect(
            try json { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encodeNil(forKey: "null")
                try container.encode(Int?.none, forKey: "optional")
                try container.encodeIfPresent(Int?.none, forKey: "missing")
            } == #"{"missing":null,"null":null,"optional":null}"#
        )
    }

    @Test("an object without properties is stored as an empty document")
    func empty() throws {
        final class Empty: Codable {
            @DocumentID var id: String?
            init() {}
        }
        #expect(try json(Empty()) == "{}")
    }

    @Test("the ID of a nested object is stored as a property")
    func nestedID() throws {
        let object = Box([Box(1, id: "inner"), Box(2)], id: "outer")
        #expect(try json(object) == #"{"value":[{"id":"inner","value":1},{"id":null,"value":2}]}"#)
        let read = try #require(try collection.document(id: "outer", as: Box<[Box<Int>]>.self))
        #expect(read.id == "outer")
        #expect(read.value.map(\.id) == ["inner", nil])
        // The object does not represent a document that was read.
        read.value[0].id = "other"
    }

    // MARK: Containers by hand

    @Test("a superclass is stored under super or with the properties of its subclass")
    func inheritance() throws {
        class Animal: Codable {
            var legs: Int
            init(legs: Int) { self.legs = legs }
        }
        final class Dog: Animal {
            @DocumentID var id: String?
            var name: String
            init(name: String) {
                self.name = name
                super.init(legs: 4)
            }
            enum Keys: String, CodingKey { case id, name }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                name = try container.decode(String.self, forKey: .name)
                try super.init(from: container.superDecoder())
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                let parent = container.superEncoder()
                try container.encode(_id, forKey: .id)
                try super.encode(to: parent)
                try container.encode(name, forKey: .name)
            }
        }
        final class Flat: Animal {
            @DocumentID var id: String?
            init() { super.init(legs: 2) }
            enum Keys: String, CodingKey { case wings }
            required init(from decoder: any Decoder) throws { try super.init(from: decoder) }
            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(2, forKey: .wings)
            }
        }
        let dog = Dog(name: "Rex")
        #expect(try json(dog) == #"{"name":"Rex","super":{"legs":4}}"#)
        let id = try #require(dog.id)
        let read = try #require(try collection.document(id: id, as: Dog.self))
        #expect(read.name == "Rex" && read.legs == 4 && read.id == id)
        #expect(try json(Flat()) == #"{"legs":2,"wings":2}"#)
    }

    @Test("nested containers can be written in any order and interleaved")
    func nestedContainers() throws {
        let found = try json { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            var first = root.nestedContainer(keyedBy: AnyKey.self, forKey: "first")
            var list = root.nestedUnkeyedContainer(forKey: "list")
            _ = root.superEncoder()
            var empty = root.nestedUnkeyedContainer(forKey: "empty")
            try list.encode(1)
            var inner = list.nestedContainer(keyedBy: AnyKey.self)
            var innerList = list.nestedUnkeyedContainer()
            try list.encode("four")
            try first.encode(true, forKey: "b")
            try root.encode("x", forKey: "c")
            try innerList.encode(3)
            try inner.encode(2, forKey: "two")
            try first.encode(["deep": [1.5]], forKey: "a")
            try innerList.encodeNil()
            var last = list.superEncoder().singleValueContainer()
            try last.encode("five")
            #expect(list.count == 5 && empty.count == 0 && innerList.count == 2)
            #expect(inner.codingPath.map(\.stringValue) == ["list", "Index 1"])
            _ = empty.nestedUnkeyedContainer()
            var single = root.superEncoder(forKey: "named").singleValueContainer()
            try single.encode(Date(timeIntervalSince1970: 0))
        }
        #expect(
            found
                == """
                {"c":"x","empty":[[]],"first":{"a":{"deep":[1.5]},"b":true},\
                "list":[1,{"two":2},[3,null],"four","five"],"named":"1970-01-01T00:00:00.000Z","super":{}}
                """
        )
    }

    @Test("a value may encode another one with its own encoder")
    func delegation() throws {
        struct Inner: Encodable { var a = 1 }
        #expect(try json { try Inner().encode(to: $0) } == #"{"a":1}"#)
        #expect(
            try json { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(Custom { try Inner().encode(to: $0) }, forKey: "x")
                try container.encode(
                    Custom {
                        var single = $0.singleValueContainer()
                        try single.encode(Inner())
                    },
                    forKey: "y"
                )
            } == #"{"x":{"a":1},"y":{"a":1}}"#
        )
    }
}
