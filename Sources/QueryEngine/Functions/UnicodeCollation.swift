/// A collation of the family `LCUnicode_<case><diacritics>_<locale>`, parsed from its name (Query 3.5).
struct UnicodeCollation: Sendable {
    let isCaseInsensitive: Bool
    let isDiacriticInsensitive: Bool
    let locale: String

    /// Parses the name of a collation; returns `nil` if it is not of the family.
    init?(name: String) {
        let prefix = "LCUnicode_"
        guard name.hasPrefix(prefix) else { return nil }
        let marks = Array(name.dropFirst(prefix.count).unicodeScalars)
        guard marks.count >= 3, marks[2] == "_", marks[0] == "_" || marks[0] == "C", marks[1] == "_" || marks[1] == "D"
        else { return nil }
        isCaseInsensitive = marks[0] == "C"
        isDiacriticInsensitive = marks[1] == "D"
        var identifier = ""
        identifier.unicodeScalars.append(contentsOf: marks.dropFirst(3))
        locale = identifier
    }

    /// Returns a function that compares two UTF-8 texts.
    func makeComparison() -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int {
        let collator = UnicodeCollator(self)
        return { left, right in
            compareASCII(left, right) ?? collator.compare(left, right)
        }
    }

    /// Compares two texts as far as their ASCII characters decide the order; returns `nil` if it reaches a non-ASCII character first.
    ///
    /// As in the original, the text after the first difference is not examined, nor is the rest of the longer text. A letter with a
    /// combining accent is therefore greater than the letter alone even under a collation that ignores accents.
    private func compareASCII(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int? {
        var tieBreaker = 0
        for index in 0..<min(left.count, right.count) {
            let (a, b) = (left[index], right[index])
            if (a | b) & 0x80 != 0 { return nil }
            if a == b { continue }
            let (rankA, rankB) = (Self.ranks[Int(a)], Self.ranks[Int(b)])
            if rankA != rankB { return rankA - rankB }
            // The same letter in the other case. Lower case has the larger code, and sorts first.
            if tieBreaker == 0 { tieBreaker = Int(b) - Int(a) }
        }
        if left.count != right.count { return left.count - right.count }
        return isCaseInsensitive ? 0 : tieBreaker
    }

    /// The rank of each ASCII character in the sort order; both cases of a letter have the same rank (Query 3.5).
    private static let ranks: [Int] = {
        var ranks = Array(repeating: 0, count: 128)
        var next = 1
        for byte in "\t\n\r `^_-,;:!?.'\"()[]{}@*/\\&#%+<=>|~$0123456789".utf8 {
            ranks[Int(byte)] = next
            next += 1
        }
        for letter in UInt8(ascii: "a")...UInt8(ascii: "z") {
            ranks[Int(letter)] = next
            ranks[Int(letter & 0xDF)] = next
            next += 1
        }
        for byte in 0..<128 where ranks[byte] == 0 {
            ranks[byte] = next
            next += 1
        }
        return ranks
    }()
}
