#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A string parsed as a number (Query 3.11, `tonumber`).
enum NumberText {
    case integer(Int64)
    case double(Double)
    /// The text spells a NaN.
    case notANumber

    /// Parses text as an integer if it is one, with or without surrounding white space. Otherwise it takes the prefix that C's `strtod`
    /// reads: `12abc` is 12, `0x10` is 16, and a text without digits is 0.
    init(_ utf8: UnsafeRawBufferPointer) {
        var text = utf8[...]
        while let first = text.first, Self.isSpace(first) { text.removeFirst() }
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        // `strtod` reads up to a NUL. The text is truncated, because more characters than this do not change the double.
        var characters = text.prefix(Self.longest).map { CChar(truncatingIfNeeded: $0) }
        if let number = Int64(String(decoding: text.prefix(Self.longest), as: UTF8.self)), text.count <= Self.longest {
            self = .integer(number)
            return
        }
        characters.append(0)
        let number = strtod(characters, nil)
        self = number.isNaN ? .notANumber : .double(number)
    }

    private static let longest = 4096

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
