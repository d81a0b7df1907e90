import Foundation

/// A collation of the family `LCUnicode_<case><diacritics>_<locale>` (Query 3.5).
struct UnicodeCollation: Sendable {
    let isCaseInsensitive: Bool
    let isDiacriticInsensitive: Bool
    private let locale: Locale
    private let options: String.CompareOptions

    /// Nil when the name is not of the family.
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
        locale = Locale(identifier: identifier)
        options = [
            isCaseInsensitive ? .caseInsensitive : [], isDiacriticInsensitive ? .diacriticInsensitive : [],
        ]
    }

    /// Orders two texts in UTF-8.
    func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        if let order = compareASCII(left, right) { return order }
        let leftText = String(decoding: left, as: UTF8.self)
        let order = leftText.compare(
            String(decoding: right, as: UTF8.self),
            options: options,
            range: nil,
            locale: locale
        )
        return order.rawValue
    }

    /// Orders two texts of ASCII characters alone; nil when there are others before it is decided.
    private func compareASCII(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int? {
        var tieBreaker = 0
        let shared = min(left.count, right.count)
        for index in 0..<shared {
            let (a, b) = (left[index], right[index])
            if (a | b) & 0x80 != 0 { return nil }
            if a == b { continue }
            let (rankA, rankB) = (Self.ranks[Int(a)], Self.ranks[Int(b)])
            if rankA != rankB {
                // An accent further on could not change this, but a combining one right behind could.
                return hasOnlyASCII(left, from: index) && hasOnlyASCII(right, from: index) ? rankA - rankB : nil
            }
            // The same letter in the other case. Lower case has the larger code, and comes first.
            if tieBreaker == 0 { tieBreaker = Int(b) - Int(a) }
        }
        guard hasOnlyASCII(left, from: shared), hasOnlyASCII(right, from: shared) else { return nil }
        if left.count != right.count { return left.count - right.count }
        return isCaseInsensitive ? 0 : tieBreaker
    }

    private func hasOnlyASCII(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
        for index in start..<text.count where text[index] & 0x80 != 0 { return false }
        return true
    }

    /// The place of each ASCII character in the order; both cases of a letter have the same (Query 3.5).
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
