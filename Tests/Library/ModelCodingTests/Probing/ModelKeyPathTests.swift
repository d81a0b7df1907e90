import Foundation
import ModelCoding
import QueryLanguage
import Testing

@Suite("Document keys of model properties")
struct ModelKeyPathTests {
    /// The condition of the query for a predicate, as JSON.
    private func condition<Model: Decodable>(_ predicate: Predicate<Model>) throws -> String {
        let select = try SelectStatement(where: predicate)
        return QueryJSON.text(of: try #require(select.condition))
    }

    /// The reason why a predicate is refused; `nil` if it is not refused as an invalid query.
    private func refusal<Model: Decodable>(_ predicate: Predicate<Model>) -> String? {
        let error = #expect(throws: QueryError.self) { try condition(predicate) }
        return error?.kind == .invalidQuery ? error?.message : nil
    }

    class Base: Decodable {
        var plain = 0
        var renamed = ""
        var flag = false

        enum CodingKeys: String, CodingKey {
            case plain
            case renamed = "other.name"
            case flag
        }
    }

    final class Derived: Base {
        var own = 0

        enum OwnKeys: String, CodingKey { case own = "mine" }

        required init(from decoder: any Decoder) throws {
            own = try decoder.container(keyedBy: OwnKeys.self).decode(Int.self, forKey: .own)
            try super.init(from: decoder)
        }
    }

    @Test("properties have the names of their coding keys, also in classes that are not final")
    func codingKeys() throws {
        #expect(try condition(#Predicate<Base> { $0.plain == 1 }) == #"["=",[".doc.plain"],1]"#)
        #expect(try condition(#Predicate<Base> { $0.renamed == "" }) == #"["=",[".doc.other\\.name"],""]"#)
        #expect(try condition(#Predicate<Base> { $0.flag }) == #"[".doc.flag"]"#)
        #expect(
            try condition(#Predicate<Derived> { $0.own == 1 && $0.plain == 2 })
                == #"["AND",["=",[".doc.mine"],1],["=",[".doc.plain"],2]]"#
        )
    }

    struct Flat: Decodable {
        var city: String
        var street: String
        var count: Int

        enum Keys: CodingKey { case address, list }
        enum AddressKeys: CodingKey { case city, street }

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: Keys.self)
            let address = try keys.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
            city = try address.decode(String.self, forKey: .city)
            street = try address.decode(String.self, forKey: .street).uppercased()
            count = try keys.decode([Int].self, forKey: .list).count
        }
    }

    @Test("properties are found where init(from:) reads them, unless their values are changed by it")
    func customDecoding() throws {
        #expect(try condition(#Predicate<Flat> { $0.city == "" }) == #"["=",[".doc.address.city"],""]"#)
        for predicate in [#Predicate<Flat> { $0.street == "" }, #Predicate<Flat> { $0.count == 1 }] {
            #expect(refusal(predicate) != nil)
        }
    }

    struct Computed: Decodable {
        var first: String
        var last: String
        var age: Int
        var title: String { first }
        var loud: String { first + "!" }
        var name: String { "\(first) \(last)" }
        var isAdult: Bool { age >= 18 }
        var constant: Int { 3 }
    }

    @Test("computed properties are refused unless they only return a stored one")
    func computed() throws {
        #expect(try condition(#Predicate<Computed> { $0.title == "" }) == #"["=",[".doc.first"],""]"#)
        for predicate in [
            #Predicate<Computed> { $0.loud == "" }, #Predicate<Computed> { $0.name == "" },
            #Predicate<Computed> { $0.isAdult }, #Predicate<Computed> { $0.constant == 3 },
        ] { #expect(refusal(predicate) != nil) }
    }

    @propertyWrapper
    struct Wrapped: Decodable {
        var wrappedValue: Int
    }

    @propertyWrapper
    struct Plain: Decodable {
        var wrappedValue: String

        init(from decoder: any Decoder) throws {
            wrappedValue = try decoder.singleValueContainer().decode(String.self)
        }
    }

    struct Node: Decodable {
        @Wrapped var wrapped: Int
        @Plain var plain: String
        var children: [Node]
        var matrix: [[Int]]
        var byNumber: [Int: String]
        var inner: Inner?

        struct Inner: Decodable, Equatable {
            var only: Double
        }
    }

    @Test("properties may be wrapped, nested and recursive")
    func wrappers() throws {
        #expect(try condition(#Predicate<Node> { $0.wrapped == 1 }) == #"["=",[".doc.wrapped.wrappedValue"],1]"#)
        #expect(try condition(#Predicate<Node> { $0.plain == "" }) == #"["=",[".doc.plain"],""]"#)
        #expect(
            try condition(#Predicate<Node> { $0.children.contains { $0.wrapped == 1 } })
                == #"["ANY","v1",[".doc.children"],["=",["?v1.wrapped.wrappedValue"],1]]"#
        )
        #expect(try condition(#Predicate<Node> { $0.inner?.only == 1.5 }) == #"["IS",[".doc.inner.only"],1.5]"#)
        #expect(try condition(#Predicate<Node> { $0.inner == nil }) == #"["NOT",["IS VALUED",[".doc.inner"]]]"#)
        #expect(try condition(#Predicate<Node> { $0.byNumber[7] == "" }) == #"["IS",[".doc.byNumber.7"],""]"#)
        #expect(try condition(#Predicate<Node> { $0.matrix[0][1] == 2 }) == #"["=",[".doc.matrix[0][1]"],2]"#)
    }

    final class Person: Decodable {
        var name: String
        var age: Int
        var mother: Person?
        var father: Person?
        var friend: Person?
    }

    @Test("a model may refer to itself in several properties")
    func severalReferences() throws {
        #expect(try condition(#Predicate<Person> { $0.name == "" }) == #"["=",[".doc.name"],""]"#)
        #expect(try condition(#Predicate<Person> { $0.mother?.age == 1 }) == #"["IS",[".doc.mother.age"],1]"#)
    }

    private struct NumberedKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    struct Huge: Decodable {
        var sum = 0

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: NumberedKey.self)
            for number in 0..<3000 { sum += try keys.decode(Int.self, forKey: NumberedKey(stringValue: "n\(number)")) }
        }
    }

    @Test("a model with too many values to find its properties is refused")
    func tooLarge() throws {
        #expect(refusal(#Predicate<Huge> { $0.sum == 1 })?.contains("Huge has more than 1024 values") == true)
    }

    enum Strict: String, Codable { case one, two }

    struct Refusing: Decodable {
        var kind: Strict
        var name: String
        var renamed: Int

        enum CodingKeys: String, CodingKey {
            case kind, name
            case renamed = "number"
        }
    }

    struct Optionals: Decodable {
        var kind: Strict?
        var name: String
    }

    class Silent: Decodable, KeyProviding {
        var kind: Strict
        var gate: String
        var number: Int

        static var documentKeys: [AnyKeyPath: String] { [\Silent.gate: "place.gate", \Silent.kind: "kind"] }
    }

    @Test("types that reject placeholder values use property names or provide their document keys")
    func refusingTypes() throws {
        #expect(try condition(#Predicate<Refusing> { $0.name == "" }) == #"["=",[".doc.name"],""]"#)
        let kind = Strict.one
        #expect(try condition(#Predicate<Refusing> { $0.kind == kind }) == #"["=",[".doc.kind"],"one"]"#)
        #expect(try condition(#Predicate<Optionals> { $0.kind == kind }) == #"["IS",[".doc.kind"],"one"]"#)
        #expect(try condition(#Predicate<Silent> { $0.gate == "" }) == #"["=",[".doc.place.gate"],""]"#)
        #expect(refusal(#Predicate<Refusing> { $0.renamed == 1 })?.contains("renamed of Refusing is not found") == true)
        #expect(refusal(#Predicate<Silent> { $0.number == 1 }) != nil)
    }

    enum Grade: Int, Codable { case good = 7, bad = 9 }

    struct Graded: Decodable {
        @TestID var id: String?
        var grade: Grade
        var renamed: Int

        enum CodingKeys: String, CodingKey {
            case id
            case grade = "g"
            case renamed = "number"
        }
    }

    struct Defaulted: Codable, DefaultedType {
        @TestID var id: String? = nil
        var list = [Inner()]
        var renamed = 0

        struct Inner: Codable {
            var kind = Strict.two
            var other = 1
        }

        enum CodingKeys: String, CodingKey {
            case id, list
            case renamed = "number"
        }

        static var defaultValue: Defaulted { Defaulted() }
    }

    @Test("the properties of a model are found if its enumerations have integers, or cases in its default value")
    func knownCases() throws {
        #expect(try condition(#Predicate<Graded> { $0.id == "a" }) == #"["IS",[".doc._id"],"a"]"#)
        #expect(try condition(#Predicate<Graded> { $0.renamed == 1 }) == #"["=",[".doc.number"],1]"#)
        let grade = Grade.bad
        #expect(try condition(#Predicate<Graded> { $0.grade == grade }) == #"["=",[".doc.g"],9]"#)
        #expect(try condition(#Predicate<Defaulted> { $0.id == "a" }) == #"["IS",[".doc._id"],"a"]"#)
        #expect(try condition(#Predicate<Defaulted> { $0.renamed == 1 }).contains(#"[".doc.number"]"#))
    }

    struct Hidden: Decodable {
        @TestID var id: String?
        var kind: Strict
    }

    @Test("the error of a property that is not found names the enumeration of which no case is known")
    func unknownCases() throws {
        let reason = refusal(#Predicate<Hidden> { $0.id == "a" })
        #expect(reason?.contains("because no case of Strict is known; declare it CaseIterable") == true, "\(reason as Any)")
    }

    struct Pictured: Decodable {
        @TestID var id: String?
        var picture: TestBlob
        var count: Int
    }

    @Test("the ID of a document and its blobs are recognized by their types")
    func specialTypes() throws {
        #expect(try condition(#Predicate<Pictured> { $0.id == "a" }) == #"["IS",[".doc._id"],"a"]"#)
        #expect(try condition(#Predicate<Pictured> { $0.count == 1 }) == #"["=",[".doc.count"],1]"#)
        let blob = TestBlob(contentType: "a", data: Data())
        #expect(refusal(#Predicate<Pictured> { $0.picture == blob })?.contains("a blob cannot be compared") == true)
    }
}
