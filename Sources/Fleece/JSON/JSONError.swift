/// Why a text is not JSON (RFC 8259), or not JSON that can be stored, and where.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// The text ends inside a value, or holds none.
        case unexpectedEnd
        /// A character that cannot stand here.
        case unexpectedCharacter
        /// More text after the value.
        case trailingContent
        /// A number that breaks the grammar: a leading zero, a missing digit.
        case badNumber
        /// A number larger than every double.
        case numberOutOfRange
        /// A backslash followed by something that is no escape.
        case badEscape
        /// Half of a surrogate pair, which stands for no character.
        case loneSurrogate
        /// A control character inside a string, which would have to be escaped.
        case controlCharacter
        /// Bytes that are not UTF-8.
        case badUTF8
        /// Containers nested deeper than allowed: ``Limits/maximumDepth`` for what is stored.
        case tooDeep
        /// A key that its object has already.
        case duplicateKey
        /// A root that is neither object nor array, where fragments are not allowed (Storage format 9.1).
        case notAContainer
        /// The value is JSON but cannot be stored; see ``JSONError/cause``.
        case notStorable
    }

    package let reason: Reason
    /// How many bytes precede the place where it was noticed.
    package let offset: Int
    /// The line of that place, from 1; lines end with a line feed.
    package let line: Int
    /// The column of that place, from 1, counted in characters (Unicode scalars).
    package let column: Int
    /// Why the value could not be stored, if that is the reason.
    package let cause: FleeceError?

    init(_ failure: JSONFailure, in text: UnsafeRawBufferPointer, cause: FleeceError? = nil) {
        reason = failure.reason
        offset = failure.offset
        self.cause = cause
        var line = 1
        var column = 1
        for byte in text.prefix(failure.offset) {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }

    package var description: String {
        "JSON: \(what) at line \(line), column \(column) (byte \(offset))"
    }

    /// The description without the place.
    package var what: String {
        switch reason {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedCharacter: "unexpected character"
        case .trailingContent: "text after the value"
        case .badNumber: "malformed number"
        case .numberOutOfRange: "number out of range"
        case .badEscape: "invalid escape"
        case .loneSurrogate: "half a surrogate pair"
        case .controlCharacter: "unescaped control character in a string"
        case .badUTF8: "invalid UTF-8"
        case .tooDeep: "nested deeper than is allowed"
        case .duplicateKey: "key occurs twice in its object"
        case .notAContainer: "the value must be an object or array"
        case .notStorable: cause?.description ?? "value cannot be stored"
        }
    }
}

/// What the parser throws inside: small enough for registers. Line and column are counted only when it leaves.
struct JSONFailure: Error {
    let reason: JSONError.Reason
    let offset: Int
}
