#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A string read as a number (Query 3.11, `tonumber`).
enum NumberText {
    case integer(Int64)
    case double(Double)
    /// A NaN, spelled out.
    case notANumber

    /// An integer, with white space around it or not, is one; otherwise what begins the text counts as C's `strtod` reads it:
    /// `12abc` is 12, `0x10` is 16, and without any digits it is 0.
    init(_ utf8: UnsafeRawBufferPointer) {
        var text = utf8[...]
        while let first = text.first, Self.isSpace(first) { text.removeFirst() }
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        // `strtod` reads to a NUL. No number that a double tells from another has more characters.
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
