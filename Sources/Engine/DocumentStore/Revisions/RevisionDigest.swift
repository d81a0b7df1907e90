/// The two binary forms of the digest of a revision ID (Storage format 3.5).
///
/// Usually the bytes are those that lowercase hexadecimal digits stand for. Clients of CouchDB's protocol may choose other digits, an odd number of
/// them or uppercase ones, and must get them back: then the bytes are a mark, and the digits as text.
enum RevisionDigest {
    /// The mark. No digest that is a hash begins with it, except with a probability of 2⁻⁴⁸.
    private static let mark: StaticString = "\u{01}text\u{01}"

    /// Returns the binary form of digits; `nil` if there are none, or others than hexadecimal ones.
    static func binary(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard !digits.isEmpty, digits.allSatisfy({ value(of: $0) != nil }) else { return nil }
        if let bytes = decoded(digits), bytes.withUnsafeBytes({ text(in: $0) == nil }) { return bytes }
        return mark.withUTF8Buffer { Array($0) } + digits
    }

    /// Writes the digits of a digest, and returns their number. There must be space for two digits for each byte.
    static func write(_ digest: UnsafeRawBufferPointer, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let text = Self.text(in: digest) {
            buffer.copyMemory(from: text)
            return text.count
        }
        var end = 0
        for byte in digest {
            buffer[end] = digit(byte >> 4)
            buffer[end + 1] = digit(byte & 0x0F)
            end += 2
        }
        return end
    }

    /// Returns the digits after the mark; `nil` if the digest has the usual form. Digits that have the usual form do not follow a mark, unless
    /// their bytes begin with it, so that each ID has one form.
    private static func text(in digest: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let length = mark.utf8CodeUnitCount
        guard digest.count > length, mark.withUTF8Buffer({ digest.starts(with: $0) }) else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: digest[length...])
        guard text.allSatisfy({ value(of: $0) != nil }) else { return nil }
        guard let bytes = decoded(text) else { return text }
        return bytes.withUnsafeBytes { self.text(in: $0) == nil } ? nil : text
    }

    /// Returns the bytes of digits that have the usual form; `nil` if they do not.
    private static func decoded(_ digits: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(of: digit), !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
}
