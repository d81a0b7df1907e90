import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Forms in which earlier versions have stored models")
struct FormerFormTests {
    let test: TestDatabase
    let collection: Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.database.defaultCollection()
    }

    private func read<Value: Codable>(_ json: String, as type: Value.Type = Value.self) throws -> Value? {
        try collection.save(document: MutableDocument(id: "it", json: #"{"value":\#(json)}"#))
        return try collection.document(id: "it", as: Box<Value>.self)?.value
    }

    private func refusal<Value: Codable>(_ json: String, as type: Value.Type) -> String? {
        let found = message { _ = try read(json, as: type) }
        #expect(found?.code == .decoding)
        return found?.text.range(of: " at value").map { String(found?.text[$0.upperBound...] ?? "") }
    }

    private func decimal(_ exponent: String = "-2", _ length: String = "1", _ mantissa: String = "[999,0,0,0,0,0,0,0]") -> String {
        #"{"exponent":\#(exponent),"isCompact":false,"isNegative":true,"length":\#(length),"mantissa":\#(mantissa)}"#
    }

    @Test("the parts of a decimal number, of a URL and of a duration are read")
    func reads() throws {
        #expect(try read(decimal(), as: Decimal.self) == Decimal(string: "-9.99"))
        #expect(try read("[\(decimal())]", as: [Decimal].self) == [try #require(Decimal(string: "-9.99"))])
        #expect(try read(#"{"base":null,"relative":"https://example.com/a"}"#, as: URL.self) == URL(string: "https://example.com/a"))
        let url = try read(#"{"base":{"base":null,"relative":"https://example.com/"},"relative":"a"}"#, as: URL.self)
        #expect(url?.absoluteString == "https://example.com/a")
        #expect(try read("[0,1500000000000000000]", as: Duration.self) == .milliseconds(1500))
        #expect(try read("[-1,13446744073709551616]", as: Duration.self) == .seconds(-5))
        #expect(try read(#""2020-01-01T00:00:00.000Z""#, as: Date?.self) == Date(timeIntervalSince1970: 1_577_836_800))
    }

    @Test("a model that was read in a former form is saved in the present one, and is found then")
    func rewritten() throws {
        try collection.save(document: MutableDocument(id: "it", json: #"{"value":\#(decimal())}"#))
        let models = collection.models(Box<Decimal>.self)
        #expect(try models.query(where: #Predicate { $0.value < 0 }).count() == 0)
        #expect(try models.query().update { $0.value += 1 } == 1)
        #expect(try collection.document(id: "it")?.toJSON() == #"{"value":-8.99}"#)
        #expect(try models.query(where: #Predicate { $0.value < 0 }).count() == 1)
    }

    @Test("malformed forms are refused with the path and the reason, and end no process")
    func malformed() throws {
        let parts = ": the parts of the decimal number are not valid"
        #expect(refusal(decimal("-2", "9"), as: Decimal.self) == parts)
        #expect(refusal(decimal("-2", "1", "[999]"), as: Decimal.self) == parts)
        #expect(refusal(decimal("-2", "0"), as: Decimal.self) == parts)
        #expect(refusal(decimal("1000"), as: Decimal.self) == ".exponent: the number does not fit in Int8")
        #expect(refusal(#"{"relative":1}"#, as: URL.self)?.hasSuffix(": a number instead of a value of type String") == true)
        #expect(refusal("[1]", as: Duration.self) != nil)
        #expect(refusal("{}", as: Duration.self) == ": a dictionary instead of an array")
        #expect(refusal("[]", as: UUID.self) == ": an array instead of a UUID")
        #expect(refusal("{}", as: Date.self) == ": a dictionary instead of a date")
    }

    @Test("values of other forms are refused with what is expected")
    func refused() throws {
        for text in ["", "12abc", " 1", "1,5", "0x10", "1.2.3", "+1", "NaN", ".5", "1.", "1e", "-", "1e9999", "\u{661}"] {
            #expect(refusal("\"\(text)\"", as: Decimal.self) == ": the string is not a decimal number", "\(text)")
        }
        #expect(refusal("\"\(String(repeating: "1", count: 300))\"", as: Decimal.self) == ": the string is not a decimal number")
        #expect(refusal("true", as: Decimal.self) == ": a boolean instead of a decimal number")
        #expect(refusal("1e300", as: Decimal.self) == ": the number does not fit in Decimal")
        #expect(refusal("1e30", as: Duration.self) == ": the number does not fit in Duration")
        #expect(refusal("\"x\"", as: Duration.self) == ": the string is not a number of seconds")
        #expect(refusal("\"\"", as: URL.self) == ": the string is not a URL")
        #expect(refusal("5", as: URL.self) == ": a number instead of a URL")
        #expect(refusal("\"x\"", as: UUID.self) == ": the string is not a UUID")
        #expect(refusal("\"x\"", as: Date.self) == ": the string is not an ISO-8601 date")
    }
}
