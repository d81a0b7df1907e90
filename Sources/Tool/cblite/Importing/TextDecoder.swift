/// An encoding of text files.
enum TextEncoding: String, CaseIterable {
    case utf8, utf16, utf16le, utf16be, latin1, windows1252

    /// Parses a name in any case, with or without hyphens.
    init?(name: String) { self.init(rawValue: name.lowercased().replacing("-", with: "")) }
}

/// Converts a text to UTF-8, piece by piece. What is no character in the encoding becomes a byte that is not valid in UTF-8, so that the reader
/// of the text reports it with its position.
struct TextDecoder {
    private let encoding: TextEncoding
    /// The bytes of an incomplete character.
    private var rest: [UInt8] = []
    /// The order of the bytes in UTF-16; `nil` before the byte order mark was read.
    private var isLittleEndian: Bool?

    private static let invalid: UInt8 = 0xFF

    init(_ encoding: TextEncoding) {
        self.encoding = encoding
        if encoding == .utf16le { isLittleEndian = true }
        if encoding == .utf16be { isLittleEndian = false }
    }

    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        switch encoding {
        case .utf8: bytes
        case .latin1: Self.singleBytes(bytes) { UInt16($0) }
        case .windows1252: Self.singleBytes(bytes) { $0 & 0xE0 == 0x80 ? Self.windowsCharacters[Int($0 & 0x1F)] : UInt16($0) }
        case .utf16, .utf16le, .utf16be: utf16(bytes)
        }
    }

    /// Returns what remains at the end of the text.
    func finish() -> [UInt8] { rest.isEmpty ? [] : [Self.invalid] }

    private static func singleBytes(_ bytes: [UInt8], _ character: (UInt8) -> UInt16) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            if byte < 0x80 { text.append(byte) } else { append(Unicode.Scalar(character(byte)), to: &text) }
        }
        return text
    }

    private static func append(_ scalar: Unicode.Scalar?, to text: inout [UInt8]) {
        if let scalar { text.append(contentsOf: UTF8.encode(scalar) ?? .init()) } else { text.append(invalid) }
    }

    private mutating func utf16(_ bytes: [UInt8]) -> [UInt8] {
        let all = rest + bytes
        var text: [UInt8] = []
        var index = 0
        func unit(_ index: Int, _ isLittleEndian: Bool) -> UInt16 {
            let (first, second) = (UInt16(all[index]), UInt16(all[index + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        while index + 1 < all.count {
            guard let isLittleEndian else {
                // Without a mark, it is the order of nearly all files.
                isLittleEndian = unit(0, true) != 0xFFFE
                continue
            }
            let first = unit(index, isLittleEndian)
            guard UTF16.isLeadSurrogate(first) else {
                Self.append(Unicode.Scalar(first), to: &text)
                index += 2
                continue
            }
            guard index + 3 < all.count else { break }
            let second = unit(index + 2, isLittleEndian)
            let isPair = UTF16.isTrailSurrogate(second)
            let value = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
            Self.append(isPair ? Unicode.Scalar(value) : nil, to: &text)
            index += isPair ? 4 : 2
        }
        rest = Array(all[index...])
        return text
    }

    /// The characters of the bytes 0x80 to 0x9F in Windows-1252; those that it leaves open are control characters.
    private static let windowsCharacters: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
    ]
}
