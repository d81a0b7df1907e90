/// Shows what would control a terminal, instead of sending it: the only place that decides what a terminal gets of a text from outside.
///
/// Escaped are control characters (C0, DEL, C1), marks of direction, line and paragraph separators, characters that are invisible by
/// themselves, and bytes that are not UTF-8. The text can be passed in pieces that end within a character.
struct TerminalEscapes {
    /// How the text is written.
    enum Form {
        /// A text on one line: `\u{1b}`, and `\x9b` for a byte that is not UTF-8.
        case text
        /// A text with lines of its own: as ``text``, but line feeds and tabs are sent.
        case lines
        /// JSON, which stays JSON: `\u001b`. Line feeds and tabs are sent: JSON has them between its values only.
        case json
    }

    private let form: Form
    /// The beginning of a character whose other bytes have not been passed.
    private var pending: [UInt8] = []
    /// Whether the last characters are a black flag with tags, which select the flag of a region.
    private var isInFlag = false

    init(_ form: Form) { self.form = form }

    /// Returns a text as it can be sent.
    static func escaped(_ text: String, _ form: Form) -> String {
        // Most texts need nothing.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var escapes = TerminalEscapes(form)
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 32)
        var text = text
        text.withUTF8 { escapes.append(UnsafeRawBufferPointer($0), to: &result) }
        escapes.finish(to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Appends the next bytes of the text, as they can be sent, to `result`.
    mutating func append(_ bytes: UnsafeRawBufferPointer, to result: inout [UInt8]) {
        for byte in bytes {
            if pending.isEmpty, byte >= 0x20, byte < 0x7F {
                isInFlag = false
                result.append(byte)
            } else {
                append(byte, to: &result)
            }
        }
    }

    /// Appends what is left of a character that is not complete. Must be called at the end of the text.
    mutating func finish(to result: inout [UInt8]) {
        for byte in pending { Self.appendInvalid(byte, form, to: &result) }
        pending.removeAll(keepingCapacity: true)
        isInFlag = false
    }

    private mutating func append(_ byte: UInt8, to result: inout [UInt8]) {
        pending.append(byte)
        while let first = pending.first {
            let length = Self.length(first)
            if length > 0, pending.count < length, Self.isPossible(pending) { return }
            guard length > 0, pending.count >= length, let scalar = Self.scalar(pending[..<length]) else {
                // The bytes that follow may begin another character.
                Self.appendInvalid(first, form, to: &result)
                pending.removeFirst()
                isInFlag = false
                continue
            }
            append(scalar, pending[..<length], to: &result)
            pending.removeFirst(length)
        }
    }

    /// Returns the number of bytes of the character that begins with a byte; 0 if no character does.
    private static func length(_ first: UInt8) -> Int {
        switch first {
        case 0..<0x80: 1
        case 0xC2..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0..<0xF5: 4
        default: 0
        }
    }

    /// Returns whether a character can begin with these bytes, of which there are too few.
    private static func isPossible(_ bytes: [UInt8]) -> Bool { bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 } }

    private static func scalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        String(validating: bytes, as: UTF8.self)?.unicodeScalars.first
    }

    private mutating func append(_ scalar: Unicode.Scalar, _ bytes: ArraySlice<UInt8>, to result: inout [UInt8]) {
        let isFlag = scalar.value == Self.blackFlag
        let isTag = Self.tags.contains(scalar.value)
        defer { isInFlag = isFlag || isTag && isInFlag }
        if !controlsTerminal(scalar) || isTag && isInFlag {
            result.append(contentsOf: bytes)
        } else if form == .json {
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
            }
        } else {
            result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
        }
    }

    private static func appendInvalid(_ byte: UInt8, _ form: Form, to result: inout [UInt8]) {
        // JSON has no escapes for bytes.
        result.append(contentsOf: (form == .json ? "\\ufffd" : "\\x\(String(byte, radix: 16))").utf8)
    }

    private static let blackFlag: UInt32 = 0x1F3F4
    private static let tags: ClosedRange<UInt32> = 0xE0020...0xE007F

    private func controlsTerminal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: form == .text
        // C0, DEL and C1.
        case 0..<0x20, 0x7F..<0xA0: true
        // Marks of direction; line and paragraph separators.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        // Invisible characters. The joiners U+200C and U+200D are parts of words and emoji.
        case 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }
}
