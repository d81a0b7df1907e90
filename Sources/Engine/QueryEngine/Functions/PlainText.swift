/// Recognizes texts in which each character is sorted independently of the others: precomposed letters, ideographs, syllables, digits,
/// punctuation and symbols. Nothing in such a text is ignored, is attached to the character before it, or belongs to an unfinished sequence.
///
/// For two such texts, ICU's comparison is known to give the order of their sort keys (Query 3.5).
enum PlainText {
    /// Returns whether a text in UTF-8 is plain. Invalid UTF-8 is not.
    static func isOne(_ utf8: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        let count = utf8.count
        while position < count {
            // At the end, the last eight bytes are looked at, some of them once more.
            if count >= 8, isPrintableASCII(utf8.loadUnaligned(fromByteOffset: min(position, count - 8), as: UInt64.self)) {
                position += 8
            } else if utf8[position] &- 0x20 < 0x5F {
                position += 1
            } else if let next = after(position, in: utf8) {
                position = next
            } else {
                return false
            }
        }
        return true
    }

    /// Whether all eight bytes are from 0x20 to 0x7E.
    private static func isPrintableASCII(_ bytes: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // The sums carry into the next byte only if a byte has its highest bit, or is less than 0x20. Both are found in any case.
        return (bytes | (bytes &- ones &* 0x20) | (bytes &+ ones)) & (ones &* 0x80) == 0
    }

    /// Returns the position after the character at a position; `nil` if it is not plain.
    private static func after(_ position: Int, in utf8: UnsafeRawBufferPointer) -> Int? {
        let lead = utf8[position]
        let value: Int
        let length: Int
        if lead < 0x80 {
            (value, length) = (Int(lead), 1)
        } else if lead >= 0xC2, lead < 0xE0, position + 1 < utf8.count {
            guard let low = tail(utf8[position + 1]) else { return nil }
            (value, length) = (Int(lead & 0x1F) << 6 | low, 2)
        } else if lead >= 0xE0, lead < 0xF0, position + 2 < utf8.count {
            guard let middle = tail(utf8[position + 1]), let low = tail(utf8[position + 2]) else { return nil }
            (value, length) = (Int(lead & 0x0F) << 12 | middle << 6 | low, 3)
            guard value >= 0x800 else { return nil }
        } else {
            return nil
        }
        return characters[value >> 6] & 1 << UInt64(value & 63) != 0 ? position + length : nil
    }

    private static func tail(_ byte: UInt8) -> Int? { byte & 0xC0 == 0x80 ? Int(byte & 0x3F) : nil }

    /// The plain characters up to U+FFFF, a bit for each. Scripts whose vowels are written before or around their consonants are left out,
    /// as are parts of Korean syllables and Japanese marks that repeat or lengthen a sound.
    private static let characters: [UInt64] = {
        let ranges: [ClosedRange<UInt32>] = [
            0x09...0x0D, 0x20...0x7E, 0xA1...0x24F, 0x386...0x52F, 0x531...0x587, 0x5D0...0x5EA, 0x620...0x64A, 0x671...0x6D3,
            0x10A0...0x10FF, 0x1E00...0x1FFF, 0x2010...0x205E, 0x20A0...0x20BF, 0x2100...0x214F, 0x3001...0x3029, 0x3041...0x3096,
            0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF5E,
        ]
        var characters = [UInt64](repeating: 0, count: 1024)
        for scalar in ranges.joined().compactMap(Unicode.Scalar.init) where scalar.isASCII || scalar.standsAlone {
            characters[Int(scalar.value >> 6)] |= 1 << UInt64(scalar.value & 63)
        }
        return characters
    }()
}

extension Unicode.Scalar {
    fileprivate var standsAlone: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .modifierLetter, .modifierSymbol, .lineSeparator, .paragraphSeparator, .format,
            .control, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
