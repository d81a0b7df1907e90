/// An error in a JSON text (RFC 8259), or a value that cannot be stored, with its location.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason of the error. The raw values are the texts for descriptions.
    public enum Reason: String, Sendable {
        /// The text is empty, or ends inside a value.
        case unexpectedEnd = "the text ends too early"
        /// A character that is not allowed where it is.
        case unexpectedCharacter = "unexpected character"
        /// Something other than white space after the value.
        case trailingContent = "text after the value"
        /// A number that JSON does not allow, such as `01` or `1.`.
        case badNumber = "malformed number"
        /// A number that is greater than the greatest `Double`, unless the parser accepts infinity.
        case numberOutOfRange = "number out of range"
        /// A backslash that no escape of JSON follows.
        case badEscape = "invalid escape"
        /// An escape `\u` for one half of a surrogate pair without the other half.
        case loneSurrogate = "unpaired surrogate"
        /// A character below U+0020 in a string, which JSON requires to be escaped.
        case controlCharacter = "unescaped control character in a string"
        /// A string that contains invalid UTF-8.
        case badUTF8 = "invalid UTF-8"
        /// For stored values the maximum is ``Limits/maximumDepth``.
        case tooDeep = "nested deeper than allowed"
        /// A key that occurs twice in an object.
        case duplicateKey = "duplicate key in the object"
        /// A root that is neither an object nor an array, if fragments are not allowed (Storage format 9.1).
        case notAContainer = "the value must be an object or array"
        /// The value is valid JSON but cannot be stored; see ``JSONError/cause``.
        case notStorable = "value cannot be stored"
    }

    /// What is wrong with the text.
    public let reason: Reason
    /// The byte offset of the error in the text.
    public let offset: Int
    /// The line of the error, starting from 1. Lines end with a line feed.
    public let line: Int
    /// The column of the error, starting from 1, in Unicode scalars.
    public let column: Int
    /// The reason why the value cannot be stored. `nil` for other errors.
    public let cause: FleeceError?

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

    public var description: String {
        "JSON: \(what) at line \(line), column \(column) (byte \(offset))"
    }

    /// The description without the location.
    public var what: String { cause?.description ?? reason.rawValue }
}

/// The parser's internal error, small enough to be returned in registers. Line and column are only computed when it is converted to a
/// ``JSONError``.
struct JSONFailure: Error {
    let reason: JSONError.Reason
    let offset: Int
}
