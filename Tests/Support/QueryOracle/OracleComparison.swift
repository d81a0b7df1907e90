/// The comparison of strings (Query 3.5).
struct OracleCollation: Equatable {
    var isUnicode = false
    var isCaseSensitive = true
    var isDiacriticSensitive = true

    static let binary = OracleCollation()

    var isBinary: Bool { !isUnicode && isCaseSensitive }

    func compare(_ left: String, _ right: String) throws -> Int {
        guard isUnicode else { return Self.compareBytes(Array(left.utf8).map(fold), Array(right.utf8).map(fold)) }
        let (a, b) = (Array(left.utf8), Array(right.utf8))
        guard (a + b).allSatisfy({ $0 < 0x80 }) else { throw Unspecified("collation of text that is not ASCII") }
        // Other control characters are ignored.
        let (letters, others) = (a.filter { Self.rank($0) != nil }, b.filter { Self.rank($0) != nil })
        for (x, y) in zip(letters, others) {
            if let rankX = Self.rank(x), let rankY = Self.rank(y), rankX != rankY { return rankX < rankY ? -1 : 1 }
        }
        if letters.count != others.count { return letters.count < others.count ? -1 : 1 }
        guard isCaseSensitive, let (x, y) = zip(letters, others).first(where: { $0 != $1 }) else { return 0 }
        return x > y ? -1 : 1
    }

    private func fold(_ byte: UInt8) -> UInt8 {
        !isCaseSensitive && (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }

    private static func compareBytes(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
    }

    private static let order = Array("\t\n\u{B}\u{C}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    private static func rank(_ byte: UInt8) -> Int? {
        order.firstIndex(of: (0x41...0x5A).contains(byte) ? byte + 0x20 : byte)
    }
}

extension OracleValue {
    /// Compares two values in the total order (Query 3.4). MISSING is the smallest.
    static func compare(_ left: OracleValue, _ right: OracleValue, _ collation: OracleCollation = .binary) throws -> Int {
        if left.rank != right.rank { return left.rank < right.rank ? -1 : 1 }
        switch (left, right) {
        case (.missing, _), (.null, _): return 0
        case (.string(let a), .string(let b)): return try collation.compare(a, b)
        case (.array, _), (.dictionary, _):
            if try areIdentical(left, right) { return 0 }
            throw Unspecified("order of containers")
        default:
            guard let a = left.number, let b = right.number else { return 0 }
            return OracleNumber.compare(a, b)
        }
    }

    /// Returns whether two values are equal by `=`. Neither may be MISSING.
    static func areEqual(_ left: OracleValue, _ right: OracleValue, _ collation: OracleCollation = .binary) throws
        -> Bool
    {
        if left.rank == 4, right.rank == 4 { return try areIdentical(left, right) }
        return try compare(left, right, collation) == 0
    }

    /// Returns whether two values have the same encoding, including the same types of numbers.
    static func areIdentical(_ left: OracleValue, _ right: OracleValue) throws -> Bool {
        switch (left, right) {
        case (.null, .null), (.missing, .missing): return true
        case (.boolean(let a), .boolean(let b)): return a == b
        case (.integer(let a), .integer(let b)): return a == b
        case (.unsigned(let a), .unsigned(let b)): return a == b
        case (.double(let a), .double(let b)):
            if a == 0, b == 0, a.sign != b.sign { throw Unspecified("encodings of the two zeros") }
            return a == b
        case (.string(let a), .string(let b)): return a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)):
            guard a.count == b.count else { return false }
            for (x, y) in zip(a, b) where try !areIdenticalInside(x, y) { return false }
            return true
        case (.dictionary(let a), .dictionary(let b)):
            guard a.count == b.count else { return false }
            if a.count > 1 { throw Unspecified("encodings of keys that were first used in some order") }
            for (key, x) in a {
                guard let y = b[key], try areIdenticalInside(x, y) else { return false }
            }
            return true
        default: return false
        }
    }

    /// Like ``areIdentical(_:_:)``, inside a container: there a longer number that is written has another encoding than one that is
    /// copied from a document (Storage format 5.7).
    private static func areIdenticalInside(_ left: OracleValue, _ right: OracleValue) throws -> Bool {
        if case .integer(let a) = left, case .integer(let b) = right, a == b, !(-2048...2047).contains(a) {
            throw Unspecified("encodings of a number beyond 12 bits in a container")
        }
        if case .unsigned(let a) = left, case .unsigned(let b) = right, a == b {
            throw Unspecified("encodings of a number beyond 12 bits in a container")
        }
        return try areIdentical(left, right)
    }

    /// Returns whether the result of a query is the expected value.
    ///
    /// - Parameter isLoose: Whether values that are equal in the language match: 1, 1.0 and true.
    func matches(_ expected: OracleValue, isLoose: Bool) -> Bool {
        switch (self, expected) {
        case (.double(let a), .double(let b)): Self.areClose(a, b, isLoose: isLoose)
        case (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.matches($1, isLoose: isLoose) }
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count && a.allSatisfy { key, x in b[key].map { x.matches($0, isLoose: isLoose) } ?? false }
        default:
            if isLoose, let a = number, let b = expected.number {
                OracleNumber.compare(a, b) == 0 || Self.areClose(a.double, b.double, isLoose: true)
            } else {
                (try? Self.areIdentical(self, expected)) ?? true
            }
        }
    }

    /// Returns whether two numbers are equal up to rounding, because sums depend on the order of the rows.
    private static func areClose(_ a: Double, _ b: Double, isLoose: Bool) -> Bool {
        a == b || abs(a - b) <= (isLoose ? 1e-9 : 1e-14) * max(abs(a), abs(b))
    }
}

extension OracleValue: CustomStringConvertible {
    /// The value as JSON with sorted keys, or `MISSING`.
    package var description: String {
        switch self {
        case .missing: "MISSING"
        case .null: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): Self.quoted(text)
        case .array(let items): "[\(items.map(\.description).joined(separator: ","))]"
        case .dictionary(let entries):
            "{\(entries.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
