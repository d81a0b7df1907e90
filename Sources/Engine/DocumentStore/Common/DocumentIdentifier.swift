/// The rules of document IDs (Storage format 3.10).
package enum DocumentIdentifier {
    static let maximumLength = 240

    /// Returns whether `id` has 1 to 240 bytes, no control characters, and does not begin with an underscore.
    package static func isValid(_ id: String) -> Bool {
        var id = id
        return id.withUTF8 { utf8 in
            guard let first = utf8.first, first != UInt8(ascii: "_"), utf8.count <= maximumLength else { return false }
            for byte in utf8 where byte < 0x20 || byte == 0x7F { return false }
            return true
        }
    }

    /// Returns a new random ID: a dash and 22 characters of URL-safe base64 with 128 random bits.
    package static func generate() -> String {
        var generator = SystemRandomNumberGenerator()
        var high = generator.next()
        var low = generator.next()
        return String(unsafeUninitializedCapacity: 23) { buffer in
            buffer.initializeElement(at: 0, to: UInt8(ascii: "-"))
            for index in 1...22 {
                buffer.initializeElement(at: index, to: alphabet(UInt8(truncatingIfNeeded: low & 63)))
                low = low >> 6 | high << 58
                high >>= 6
            }
            return 23
        }
    }

    private static func alphabet(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }
}
