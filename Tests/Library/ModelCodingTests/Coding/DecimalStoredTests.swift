import Fleece
import Foundation
import ModelCoding
import Testing

@Suite("The stored form of decimal numbers")
struct DecimalStoredTests {
    private func stored(_ text: String) throws -> String {
        switch try #require(Decimal(string: text)).stored {
        case .integer(let number): "integer \(number)"
        case .unsigned(let number): "unsigned \(number)"
        case .double(let number): "double \(number)"
        case .string(let text): "text \(text)"
        case let other: "\(String(describing: other))"
        }
    }

    @Test("whole numbers of 64 bits are integers")
    func integers() throws {
        #expect(try stored("0") == "integer 0")
        #expect(try stored("-0.0") == "integer 0")
        #expect(try stored("10.00") == "integer 10")
        #expect(try stored("1e18") == "integer 1000000000000000000")
        #expect(try stored("-9223372036854775808") == "integer -9223372036854775808")
        #expect(try stored("9007199254740993") == "integer 9007199254740993")
        #expect(try stored("18446744073709551615") == "unsigned 18446744073709551615")
    }

    @Test("numbers whose digits are the shortest form of a floating-point number are floating-point numbers")
    func doubles() throws {
        #expect(try stored("9.99") == "double 9.99")
        #expect(try stored("-0.1") == "double -0.1")
        #expect(try stored("123456.789012345") == "double 123456.789012345")
        #expect(try stored("0.1234567890123456") == "double 0.1234567890123456")
        #expect(try stored("1e20") == "double 1e+20")
        #expect(try stored("-1.5e-100") == "double -1.5e-100")
    }

    @Test("numbers with other digits are text, the same for equal numbers")
    func texts() throws {
        #expect(try stored("0.12345678901234567") == "text 0.12345678901234567")
        #expect(try stored("12345678901234567890.50") == "text 12345678901234567890.5")
        #expect(try stored("18446744073709551617") == "text 18446744073709551617")
        if case .some = Decimal.nan.stored { Issue.record("NaN has a stored form") }
    }
}
