/// Says why a value was refused, in words that hold nothing of the document. What other code says may hold values, and is not
/// repeated in messages.
struct CodingRefusal: Error {
    let reason: String
}

extension EncodingError: PublicErrorConvertible {
    /// A value at `path` that cannot stand in a document.
    static func refusal(_ value: Any, at path: [any CodingKey], _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: reason, underlyingError: CodingRefusal(reason: reason)))
    }

    var publicError: NSError {
        var message = "The object cannot be encoded"
        if case .invalidValue(_, let context) = self {
            message += CodingMessage.place(context.codingPath)
            let reason = (context.underlyingError as? CodingRefusal)?.reason
            message += ": \(reason ?? "the value is not valid")"
        }
        return .couchbaseLite(code: CBLError.encodingError, message: message, underlying: self)
    }
}

extension DecodingError: PublicErrorConvertible {
    /// Data at `path` that cannot be read.
    static func refusal(at path: [any CodingKey], _ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: reason, underlyingError: CodingRefusal(reason: reason)))
    }

    var publicError: NSError { publicError(code: CBLError.decodingError) }

    func publicError(code: Int) -> NSError {
        .couchbaseLite(code: code, message: message, underlying: self)
    }

    private var message: String {
        func message(_ context: Context, _ reason: String) -> String {
            "The object cannot be decoded\(CodingMessage.place(context.codingPath)): \(reason)"
        }
        switch self {
        case .keyNotFound(let key, let context): return message(context, "there is no property \"\(key.stringValue)\"")
        case .valueNotFound(let type, let context): return message(context, "null instead of a value of type \(type)")
        case .typeMismatch(let type, let context):
            return message(context, (context.underlyingError as? CodingRefusal)?.reason ?? "the value is no \(type)")
        case .dataCorrupted(let context):
            return message(context, (context.underlyingError as? CodingRefusal)?.reason ?? "the value is not valid")
        @unknown default: return "The object cannot be decoded"
        }
    }
}

private enum CodingMessage {
    /// ` at address.lines[2]`; nothing for the object itself.
    static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        return path.reduce(" at ") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            return text == " at " ? text + key.stringValue : "\(text).\(key.stringValue)"
        }
    }
}

/// The place of an item of an array in a coding path.
struct IndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { return nil }

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
}

/// The key under which a class keeps what its superclass encodes with `superEncoder()`.
struct SuperKey: CodingKey {
    init() {}
    init?(intValue: Int) { return nil }
    init?(stringValue: String) { return nil }

    var intValue: Int? { nil }
    var stringValue: String { "super" }
}
