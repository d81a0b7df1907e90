internal import Foundation

/// The tokenizer's classification and folding of characters (Query 6.2).
///
/// Classes and folding are exactly those of SQLite's tokenizer `unicode61`, because the tokenizer of Couchbase Lite uses them: a text must
/// result in the same tokens in every program that writes to an index. Otherwise a program could not remove terms that another has added.
/// They are those of Unicode 6.1, with unassigned characters classified as letters.
///
/// Unsafe: the table is written once, when the first non-ASCII text is tokenized, then only read, and never freed.
struct TokenCharacters: Sendable {
    /// The class of a character and its folded form, in 32 bits.
    struct Entry {
        fileprivate(set) var bits: UInt32

        /// The character in the token. 0 if it is removed.
        var folded: UInt32 { bits & 0x1F_FFFF }
        /// Whether the character can start a token.
        var isLetter: Bool { bits & Entry.letter != 0 }
        /// Whether the character can continue a token.
        var continuesToken: Bool { bits & (Entry.letter | Entry.mark) != 0 }
        /// Whether the character belongs to a script written without spaces between words.
        var isUnspaced: Bool { bits & Entry.unspaced != 0 }

        fileprivate static let letter: UInt32 = 1 << 24
        fileprivate static let mark: UInt32 = 1 << 25
        fileprivate static let unspaced: UInt32 = 1 << 26
    }

    static let withDiacritics = TokenCharacters(removesDiacritics: false)
    static let withoutDiacritics = TokenCharacters(removesDiacritics: true)

    /// The folded form of each ASCII character. 0 if the character separates tokens. `nonisolated(unsafe)` is safe because the table is
    /// initialized once and only read afterwards.
    nonisolated(unsafe) static let ascii: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 128)
        for byte in UInt8(0)..<128 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): table[Int(byte)] = byte
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): table[Int(byte)] = byte | 0x20
            default: table[Int(byte)] = 0
            }
        }
        return UnsafePointer(table)
    }()

    /// The number of characters in the table; all alphabets in common use are in it. Other characters are looked up in the standard
    /// library.
    private static let tableSize: UInt32 = 0x3000

    private let removesDiacritics: Bool
    // Unsafe: written only in the initializer, before the instance is shared.
    private nonisolated(unsafe) let table: UnsafePointer<UInt32>

    private init(removesDiacritics: Bool) {
        self.removesDiacritics = removesDiacritics
        let table = UnsafeMutablePointer<UInt32>.allocate(capacity: Int(Self.tableSize))
        for code in 0..<Self.tableSize { table[Int(code)] = Self.entry(of: code, removesDiacritics: removesDiacritics).bits }
        self.table = UnsafePointer(table)
    }

    @inline(__always)
    subscript(code: UInt32) -> Entry {
        code < Self.tableSize ? Entry(bits: table[Int(code)]) : Self.entry(of: code, removesDiacritics: removesDiacritics)
    }

    private static func entry(of code: UInt32, removesDiacritics: Bool) -> Entry {
        if isMark(code) { return Entry(bits: Entry.mark | (removesDiacritics ? 0 : code)) }
        let unspaced = isUnspaced(code) ? Entry.unspaced : 0
        guard let scalar = Unicode.Scalar(code), isLetter(scalar) else { return Entry(bits: unspaced | code) }
        let folded = Self.folded(scalar)
        return Entry(bits: Entry.letter | unspaced | (removesDiacritics ? baseLetter(of: folded) : folded))
    }
}

// MARK: - Classes

extension TokenCharacters {
    /// Returns whether the character is a combining accent, which continues a token but cannot start one: these 25 and no others (Query
    /// 6.2).
    private static func isMark(_ code: UInt32) -> Bool {
        switch code {
        case 0x300...0x304, 0x306...0x30C, 0x30F, 0x311, 0x31B, 0x323...0x328, 0x32D, 0x32E, 0x330, 0x331: true
        default: false
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch scalar.value {
        // Characters that became letters, or are no longer letters, after Unicode 6.1.
        case 0x19B0...0x19C0, 0x19C8, 0x19C9, 0x1CF2, 0x1CF3: return false
        case 0x1885, 0x1886: return true
        default: break
        }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse, .unassigned:
            return true
        default:
            return isNewerThanTheTables(properties)
        }
    }

    private static func isNewerThanTheTables(_ properties: Unicode.Scalar.Properties) -> Bool {
        guard let age = properties.age else { return true }
        return (age.major, age.minor) > (6, 1)
    }

    /// Returns whether the character belongs to a script in which words are not separated by spaces.
    static func isUnspaced(_ code: UInt32) -> Bool {
        switch code {
        // Thai, Lao, Myanmar, Khmer.
        case 0xE01...0xE3A, 0xE40...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: true
        // Hiragana, katakana, ideographs.
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3041...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

// MARK: - Folding

extension TokenCharacters {
    /// Returns the lower-case form if it is a single character: the simple case folding of Unicode 6.1.
    private static func folded(_ scalar: Unicode.Scalar) -> UInt32 {
        if let other = otherForms[scalar.value] { return other }
        let properties = scalar.properties
        let lowerCase = properties.lowercaseMapping.unicodeScalars
        guard let first = lowerCase.first, first != scalar, lowerCase.count == 1,
            !isNewerThanTheTables(properties), !isNewerThanTheTables(first.properties)
        else { return scalar.value }
        return first.value
    }

    /// Lower-case letters that are variants of other letters, such as the final sigma.
    private static let otherForms: [UInt32: UInt32] = [
        0xB5: 0x3BC, 0x17F: 0x73, 0x3C2: 0x3C3, 0x3D0: 0x3B2, 0x3D1: 0x3B8, 0x3D5: 0x3C6, 0x3D6: 0x3C0,
        0x3F0: 0x3BA, 0x3F1: 0x3C1, 0x3F5: 0x3B5, 0x1E9B: 0x1E61, 0x1FBE: 0x3B9,
    ]

    /// Returns the ASCII letter without its accent. Letters with two accents and letters of other scripts are returned unchanged.
    private static func baseLetter(of code: UInt32) -> UInt32 {
        switch code {
        case 0xC0...0x24F, 0x1E00...0x1EFF: break
        default: return code
        }
        guard let scalar = Unicode.Scalar(code) else { return code }
        let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
        // One of them is a capital letter without simple lower-case form: İ.
        return parts.count == 2 && parts[0].isASCII ? parts[0].value | 0x20 : code
    }
}
