import DatabaseRuntime
package import Foundation

/// The reason why a value was refused, without any value of the document. Descriptions of errors from other code may
/// contain values, so they are not included in messages.
struct CodingRefusal: Error {
    let reason: String
}

extension EncodingError {
    /// Returns an error for a value at `path` that cannot be stored in a document.
    static func refusal(_ value: Any, at path: [any CodingKey], _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: reason, underlyingError: CodingRefusal(reason: reason)))
    }

    /// What is wrong with which property, without its value.
    package var modelMessage: String {
        guard case .invalidValue(_, let context) = self else { return "The object cannot be encoded" }
        let reason = (context.underlyingError as? CodingRefusal)?.reason ?? "the value is not valid"
        return "The object cannot be encoded\(CodingMessage.place(context.codingPath)): \(reason)"
    }
}

extension DecodingError {
    /// Returns an error for data at `path` that cannot be decoded.
    static func refusal(at path: [any CodingKey], _ reason: String) -> DecodingError { .dataCorrupted(.init(at: path, reason)) }

    /// What is wrong with which property, without its value.
    package var modelMessage: String {
        func message(_ context: Context, _ reason: String) -> String {
            "The object cannot be decoded\(CodingMessage.place(context.codingPath)): \(reason)"
        }
        switch self {
        case .keyNotFound(let key, let context): return message(context, "there is no property \"\(key.stringValue)\"")
        case .valueNotFound(let type, let context): return message(context, "null instead of a value of type \(type)")
        case .typeMismatch(let type, let context):
            return message(context, (context.underlyingError as? CodingRefusal)?.reason ?? "the value is not of type \(type)")
        case .dataCorrupted(let context):
            return message(context, (context.underlyingError as? CodingRefusal)?.reason ?? "the value is not valid")
        @unknown default: return "The object cannot be decoded"
        }
    }
}

extension DecodingError.Context {
    init(at path: [any CodingKey], _ reason: String) {
        self.init(codingPath: path, debugDescription: reason, underlyingError: CodingRefusal(reason: reason))
    }
}

extension EncodingError: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(LibraryError.Code.encodingError, modelMessage, underlying: self) }
}

extension DecodingError: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(LibraryError.Code.decodingError, modelMessage, underlying: self) }
}

private enum CodingMessage {
    /// Returns the path as text, such as ` at address.lines[2]`; an empty string for the object itself.
    static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        return path.reduce(" at ") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            return text == " at " ? text + key.stringValue : "\(text).\(key.stringValue)"
        }
    }
}

/// The index of an array item in a coding path.
struct ArrayIndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { return nil }

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
}

/// The key for the values that a superclass encodes with `superEncoder()`.
enum SuperKey: CodingKey {
    case `super`
}
