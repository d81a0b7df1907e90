/// The place of an error in a text that may have many lines.
struct TextExcerpt {
    /// The number of the line, from 1.
    let line: Int
    /// The number of the character in the line, from 1.
    let column: Int
    /// The part of the line around the place, and a second line with a mark under it.
    let text: String

    /// The maximum numbers of characters shown before and after the place.
    private static let shown = (before: 60, after: 40)

    /// - Parameter offset: The place in bytes of UTF-8.
    init(of whole: String, at offset: Int) {
        let bytes = whole.utf8
        let place = bytes.index(bytes.startIndex, offsetBy: offset, limitedBy: bytes.endIndex) ?? bytes.endIndex
        let lineFeed = UInt8(ascii: "\n")
        let before = bytes[..<place]
        let start = before.lastIndex(of: lineFeed).map(bytes.index(after:)) ?? bytes.startIndex
        let left = String(decoding: bytes[start..<place], as: UTF8.self)
        // The line may be very long, so only as many bytes are decoded as the characters shown may have.
        let right = String(decoding: bytes[place...].prefix { $0 != lineFeed }.prefix(Self.shown.after * 8), as: UTF8.self)
        line = before.count { $0 == lineFeed } + 1
        column = left.count + 1
        let (head, tail) = (left.suffix(Self.shown.before), right.prefix(Self.shown.after))
        let isCut = (head: head.startIndex > left.startIndex, tail: tail.endIndex < right.endIndex)
        let shown = (head + tail).map(\.withoutControl).joined()
        text = "\(isCut.head ? "…" : "")\(shown)\(isCut.tail ? "…" : "")\n\(isCut.head ? " " : "")\(head.map(\.blank).joined())^"
    }
}

extension Character {
    /// The character; a space for control characters except a tab, which could move the mark or the rest of the line.
    fileprivate var withoutControl: String {
        self != "\t" && unicodeScalars.allSatisfy { $0.properties.generalCategory == .control } ? " " : String(self)
    }

    /// White space as wide as the character, in a font whose characters have one width. Those of East Asia and emoji are twice as wide.
    fileprivate var blank: String {
        if self == "\t" { return "\t" }
        guard let first = unicodeScalars.first else { return "" }
        let isWide =
            switch first.value {
            case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
                0xFFE0...0xFFE6, 0x20000...0x3FFFD:
                true
            default: first.properties.isEmojiPresentation
            }
        return isWide ? "  " : " "
    }
}
