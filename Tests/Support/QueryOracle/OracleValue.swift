import Foundation

/// The specification does not define the value of an expression, so nothing can be compared.
struct Unspecified: Error {
    let what: String

    init(_ what: String) { self.what = what }
}

/// A value of the query language in plain Swift, written only from the specification (Query 3.1).
package indirect enum OracleValue: Sendable {
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number above the range of `Int64`.
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case array([OracleValue])
    case dictionary([String: OracleValue])
}

extension OracleValue {
    var isMissing: Bool { if case .missing = self { true } else { false } }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The rank of the value's type in the total order (Query 3.4).
    var rank: Int {
        switch self {
        case .missing: 0
        case .boolean, .integer, .unsigned, .double: 1
        case .string: 2
        case .null: 3
        case .array, .dictionary: 4
        }
    }

    /// The number for arithmetic and comparisons; `nil` if the value is not a number. Booleans are 0 and 1, and a number above the range of
    /// `Int64` counts as the nearest floating-point number (Query 3.1).
    var number: OracleNumber? {
        switch self {
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .double(Double(number))
        case .double(let number): .double(number)
        default: nil
        }
    }

    /// The value as a condition; `nil` for unknown (Query 3.3).
    var truth: Bool? {
        switch self {
        case .missing: nil
        case .null, .array, .dictionary: false
        case .string(let text): OracleNumber(prefixOf: text).double != 0
        default: number.map { $0.double != 0 }
        }
    }

    /// The value as an operand of arithmetic; `nil` for MISSING (Query 3.7).
    var reading: OracleNumber? {
        switch self {
        case .missing: nil
        case .null, .array, .dictionary: .integer(0)
        case .string(let text): OracleNumber(prefixOf: text)
        default: number
        }
    }

    /// The value as SQLite's own functions return it: a number above the range of `Int64` is a floating-point number.
    var asComputed: OracleValue { if case .unsigned(let number) = self { .double(Double(number)) } else { self } }

    /// Creates the result of a test, which is a number in most places (Query 3.3).
    init(_ truth: Bool?) {
        self = truth.map { .integer($0 ? 1 : 0) } ?? .missing
    }
}

/// An integer or a double.
enum OracleNumber {
    case integer(Int64)
    case double(Double)

    var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        }
    }

    /// The number truncated to an integer, and clamped to the range of `Int64`.
    var truncated: Int64 {
        switch self {
        case .integer(let number): number
        case .double(let number):
            number >= 0x1p63 ? .max : number <= -0x1p63 ? .min : Int64(number)
        }
    }

    var value: OracleValue {
        switch self {
        case .integer(let number): .integer(number)
        // NaN is MISSING.
        case .double(let number): number.isNaN ? .missing : .double(number)
        }
    }

    /// Parses the longest prefix of a text that is a number: an integer if it is integral and fits, 0 if there is no number.
    init(prefixOf text: String) {
        var rest = Array(text.utf8)[...]
        rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        var digits = ""
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        if let sign = rest.first, sign == 0x2B || sign == 0x2D {
            if sign == 0x2D { digits = "-" }
            rest = rest.dropFirst()
        }
        var integral = true
        var count = 0
        func consume() {
            digits.unicodeScalars.append(Unicode.Scalar(rest.removeFirst()))
        }
        while isDigit(rest.first) {
            consume()
            count += 1
        }
        if rest.first == 0x2E, count > 0 || isDigit(rest.dropFirst().first) {
            if count == 0 { digits += "0" }
            rest = rest.dropFirst()
            integral = false
            digits += "."
            if !isDigit(rest.first) { digits += "0" }
            while isDigit(rest.first) {
                consume()
                count += 1
            }
        }
        guard count > 0 else {
            self = .integer(0)
            return
        }
        if let exponent = rest.first, exponent | 0x20 == 0x65 {
            var tail = rest.dropFirst()
            var sign = ""
            if let next = tail.first, next == 0x2B || next == 0x2D {
                if next == 0x2D { sign = "-" }
                tail = tail.dropFirst()
            }
            if isDigit(tail.first) {
                integral = false
                rest = tail
                digits += "e" + sign
                while isDigit(rest.first) { consume() }
            }
        }
        if integral, let number = Int64(digits) {
            self = .integer(number)
        } else {
            self = .double(Double(digits) ?? 0)
        }
    }

    /// Compares two numbers by their mathematical values.
    static func compare(_ left: OracleNumber, _ right: OracleNumber) -> Int {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.integer, .double): return -compare(right, left)
        case (.double(let a), .integer(let b)):
            if a >= 9.3e18 { return 1 }
            if a <= -9.3e18 { return -1 }
            // Decimal has 38 digits, so both are exact here.
            let whole = Decimal(a.rounded(.down))
            let other = Decimal(b)
            if whole != other { return whole < other ? -1 : 1 }
            return a > a.rounded(.down) ? 1 : 0
        }
    }
}
