package import Fleece
package import Foundation

extension Decimal {
    /// The number that documents contain, or the digits as text if no number of a document has them (API 9); `nil` if this is not a number.
    ///
    /// Numbers are the integers of 64 bits, and those that are the shortest decimal form of a `Double`: all with up to 15 digits.
    package var stored: ScalarValue? { stored(ifMadeBy: { Decimal($0) }) }

    /// Returns the stored form of this number, which may be what `convert` makes of a `Double`. Such a conversion adds digits that nobody has
    /// written: Foundation makes 19.989999999999995904 of the literal 19.99, which is stored as 19.99.
    func stored(ifMadeBy convert: (Double) -> Decimal) -> ScalarValue? {
        guard !isNaN else { return nil }
        let text = digits
        if let integer = Int64(text) { return .integer(integer) }
        if let integer = UInt64(text) { return .unsigned(integer) }
        guard let nearest = Double(text), nearest.isFinite else { return .string(text) }
        if Decimal(shortest: nearest) == self { return .double(nearest) }
        let origin = Self.origins(near: nearest).first { convert($0) == self && Decimal(shortest: $0) != nil }
        return origin.map { .double($0) } ?? .string(text)
    }

    /// Returns the numbers of which a number close to `number` may be made, those with few digits first. A conversion is wrong by up to four times
    /// the distance of two numbers, and several numbers may be converted to the same one.
    private static func origins(near number: Double) -> [Double] {
        [15, 16].compactMap { Double(String(format: "%.\($0)g", number)) } + (-4...4).map { number + Double($0) * number.ulp }
    }

    /// The number without an exponent and without zeros at the end of a fraction, so that equal numbers have equal texts.
    var digits: String {
        var compact = self
        NSDecimalCompact(&compact)
        return compact.description
    }

    /// Creates the number that the shortest decimal form of a floating-point number is, as JSON shows it; `nil` if it is out of range.
    ///
    /// Foundation's own conversion adds digits.
    private init?(shortest number: some BinaryFloatingPoint & LosslessStringConvertible) { self.init(digits: number.description) }

    /// Parses a decimal number, which may have an exponent; `nil` for any other text.
    private init?(digits text: String) {
        // Foundation reads what a text begins with.
        guard text.utf8.count <= Self.maximumLength, Self.isNumber(text) else { return nil }
        self.init(string: text)
    }

    /// A number with all 38 digits and the least exponent has 168 characters.
    private static let maximumLength = 256

    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func skip(_ characters: [UInt8]) -> Bool {
            guard let first = rest.first, characters.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func skipDigits() -> Bool {
            let count = rest.count
            rest = rest.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return rest.count < count
        }
        _ = skip([UInt8(ascii: "-")])
        guard skipDigits() else { return false }
        if skip([UInt8(ascii: ".")]), !skipDigits() { return false }
        if skip([UInt8(ascii: "e"), UInt8(ascii: "E")]) {
            _ = skip([UInt8(ascii: "+"), UInt8(ascii: "-")])
            guard skipDigits() else { return false }
        }
        return rest.isEmpty
    }
}

extension Decimal: AdaptedScalar {
    var adapted: ScalarValue { stored ?? .double(.nan) }

    init?(adapted value: Value) {
        switch ScalarValue(value) {
        case .integer(let number): self.init(number)
        case .unsigned(let number): self.init(number)
        case .float(let number): self.init(shortest: number)
        case .double(let number): self.init(shortest: number)
        case .string(let text): self.init(digits: text)
        default: return nil
        }
    }

    init(former decoder: ValueDecoder) throws {
        guard try FormerDecimal(from: decoder).isValid else {
            throw DecodingError.refusal(at: decoder.codingPath, "the parts of the decimal number are not valid")
        }
        try self.init(from: decoder)
    }

    static var expected: String { "a decimal number" }
    static var readsNumbers: Bool { true }
}

/// The parts of a number in memory, as which `Decimal` encodes itself. Its own decoding does not check all of them.
private struct FormerDecimal: Decodable {
    let exponent: Int8
    let length: UInt8
    let isNegative: Bool
    let isCompact: Bool
    let mantissa: [UInt16]

    /// Whether these are the parts of a number.
    var isValid: Bool { length <= 8 && mantissa.count == 8 && mantissa.dropFirst(Int(length)).allSatisfy { $0 == 0 } }
}
