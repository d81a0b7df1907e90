internal import Foundation

/// Finds the words of scripts that are written without spaces, such as Chinese, Japanese and Thai, with the dictionaries of the system's
/// Unicode library.
enum WordBreaker {
    /// Matches word boundaries by the rules of Unicode (UAX 29). Foundation on Linux only offers them through regular expressions.
    private static let boundary: NSRegularExpression? = try? NSRegularExpression(pattern: "\\b", options: .useUnicodeWordBoundaries)

    /// Returns the ends of the words, in bytes from the start of the text. The last one is the end of the text.
    ///
    /// Takes about a microsecond per character.
    static func wordEnds(in utf8: UnsafeRawBufferPointer) -> [Int] {
        let text = String(decoding: utf8, as: UTF8.self)
        // In a text with invalid UTF-8, the offsets would be those of the replacement characters.
        guard let boundary, text.utf8.count == utf8.count else { return [utf8.count] }
        var ends: [Int] = []
        var scalars = text.unicodeScalars.makeIterator()
        var (unit, byte) = (0, 0)
        boundary.enumerateMatches(in: text, range: NSRange(location: 0, length: text.utf16.count)) { match, _, _ in
            guard let match else { return }
            while unit < match.range.location, let scalar = scalars.next() {
                unit += UTF16.width(scalar)
                byte += UTF8.width(scalar)
            }
            if byte > 0, byte < utf8.count { ends.append(byte) }
        }
        ends.append(utf8.count)
        return ends
    }
}
