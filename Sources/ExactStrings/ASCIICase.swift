// Swift's `uppercased()` and `lowercased()` also change other letters, and some of them into ASCII letters: "ﬂ" becomes "FL".

extension StringProtocol {
    /// The text with its ASCII letters in upper case, as SQLite compares keywords.
    package var asciiUppercased: String { String(decoding: utf8.map(\.asciiUppercased), as: UTF8.self) }

    /// The text with its ASCII letters in lower case, as SQLite compares the names of tables, and HTTP those of header fields.
    package var asciiLowercased: String { String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) }
}

extension UInt8 {
    package var asciiUppercased: UInt8 { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") ? self & 0xDF : self }

    package var asciiLowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}
