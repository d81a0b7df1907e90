import TestSupport

/// Generates random values and documents of all kinds, small enough for manual inspection.
struct DocumentGenerator {
    var random: SeededGenerator
    /// Whether all text is ASCII.
    let isASCII: Bool

    static let keys = ["a", "b", "c", "d", "e", "n", "s", "t", "o", "we.ird", "$m"]

    private static let asciiTexts = [
        "", "a", "A", "ab", "aB", "Ab", "aab", "b", "B", "abc", "abcabc", "12", "12abc", "-3.5x", "1e2", "0", "true",
        " z ",
        "x_y", "a%b", "a\\b", "2018-03-31T12:30:00Z", "1999-12-31", "d1", "d2", "Zebra", "zebra", "it's", "say \"hi\"",
    ]
    private static let otherTexts = [
        "é", "É", "e\u{301}", "straße", "日本語", "😀", "aé", "ß", "\u{3000}w\u{A0}", "Ω", "ǆ", "İzmir", "ŉ",
    ]

    private static let largeIntegers: [Int64] = [
        .max, .min, .max - 1, 9_007_199_254_740_992, 9_007_199_254_740_993, -9_007_199_254_740_993, 4_000_000_000,
    ]
    private static let specialDoubles: [Double] = [-0.0, 0, 1e300, -1e300, 1e-300, 9_007_199_254_740_992, 9.2e18]

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func text() -> String {
        isASCII || chance(70) ? pick(Self.asciiTexts) : pick(Self.otherTexts)
    }

    mutating func integer() -> Int64 {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: pick(Self.largeIntegers)
        case 1: Int64.random(in: -100_000...100_000, using: &random)
        default: Int64.random(in: -3...5, using: &random)
        }
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: pick(Self.specialDoubles)
        default: Double(Int.random(in: -20...20, using: &random)) / Double(pick([1, 2, 4, 10]))
        }
    }

    mutating func value(depth: Int = 2) -> OracleValue {
        switch Int.random(in: 0..<(depth > 0 ? 20 : 15), using: &random) {
        case 0 where chance(15):
            .unsigned(chance(50) ? .max - UInt64.random(in: 0...9, using: &random) : (1 << 63) + UInt64.random(in: 0...9, using: &random))
        case 0...4: .integer(integer())
        case 5...6: .double(double())
        case 7...8: .boolean(chance(50))
        case 9: .null
        case 10...14: .string(text())
        case 15...17: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1) })
        default: dictionary(depth: depth - 1)
        }
    }

    mutating func dictionary(depth: Int) -> OracleValue {
        var entries: [String: OracleValue] = [:]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            entries[pick(["x", "y", "a", "b"])] = value(depth: depth)
        }
        return .dictionary(entries)
    }

    /// Returns a body: some keys have values of any type, others mostly of one type, and each key may be absent.
    mutating func body() -> [String: OracleValue] {
        var body: [String: OracleValue] = [:]
        for key in Self.keys where chance(80) {
            switch key {
            case "n": body[key] = chance(90) ? .integer(Int64.random(in: 0...6, using: &random)) : value()
            case "s": body[key] = chance(90) ? .string(text()) : value()
            case "t":
                let count = Int.random(in: 0...4, using: &random)
                body[key] =
                    chance(90) ? .array((0..<count).map { _ in chance(80) ? .string(text()) : value() }) : value()
            case "o":
                let count = Int.random(in: 0...2, using: &random)
                body[key] = chance(50) ? dictionary(depth: 2) : .array((0..<count).map { _ in dictionary(depth: 1) })
            default: body[key] = value()
            }
        }
        if chance(5) { body["a"] = .unsigned(.max - UInt64.random(in: 0...9, using: &random)) }
        return body
    }
}
