import DocumentStore
import Fleece
import QueryLanguage

/// Translates the constants of a predicate and the values it has captured.
enum PredicateConstant {
    /// Returns the literal for a value, in the form in which documents store it; MISSING for `nil`.
    static func tree(of value: Any, _ types: ModelTypes) throws(QueryError) -> QueryExpression { try stored(value, types).literal }

    /// Returns a value in the form in which documents store it.
    static func stored(_ value: Any, _ types: ModelTypes) throws(QueryError) -> StoredConstant {
        switch value {
        case let optional as any OptionalValue:
            guard let wrapped = optional.wrapped else { return StoredConstant(literal: .missing) }
            return try stored(wrapped, types)
        case let string as String: return StoredConstant(literal: .string(string))
        case let text as Substring: return StoredConstant(literal: .string(String(text)))
        case let encodable as any Encodable: return try encoded(encodable, types)
        default: throw QueryError.unsupportedPredicate("a value of type \(type(of: value)) cannot be stored in a document")
        }
    }

    /// Returns a value as a model's property would be stored.
    private static func encoded(_ value: some Encodable, _ types: ModelTypes) throws(QueryError) -> StoredConstant {
        do {
            let (body, dictionaries) = (BodyEncoder(), DictionaryPaths())
            // The encoded value lies in the memory of the encoder.
            let tree = try withExtendedLifetime(body) {
                let blobs = types.constantBlobs
                let encoded = try ModelEncoding.encode(Wrapper(value: value), with: body, types: types, blobs: blobs, noting: dictionaries)
                return encoded.withRoot { root, keys in
                    root.dictionary?.value(for: wrapperKey, sharedKeys: keys).map { literal($0, keys) }
                }
            }
            guard let tree else { throw QueryError.unsupportedPredicate("a value of type \(type(of: value)) does not encode anything") }
            return StoredConstant(literal: tree, dictionaries: dictionaries.paths, path: [.key(wrapperKey)])
        } catch let error as QueryError {
            throw error
        } catch {
            throw QueryError.unsupportedPredicate("a value of type \(type(of: value)) cannot be stored in a document")
        }
    }

    private static let wrapperKey = "value"

    private struct Wrapper<Content: Encodable>: Encodable {
        let value: Content
    }

    private static func literal(_ value: Value, _ keys: SharedKeys) -> QueryExpression {
        switch value.type {
        case .null, .undefined, .data: return .null
        case .boolean: return .boolean(value.boolean ?? false)
        case .number:
            if let bits = value.integerBits, !value.isUnsigned || bits >= 0 { return .integer(bits) }
            return .double(value.double ?? 0)
        case .string: return .string(value.string ?? "")
        case .array:
            var elements: [QueryExpression] = []
            if let array = value.array {
                for index in 0..<array.count {
                    if let element = array[index] { elements.append(literal(element, keys)) }
                }
            }
            return .array(elements)
        case .dictionary:
            var entries: [DictionaryEntry] = []
            value.dictionary?.forEach { key, value in
                guard let key = key.text(keys) else { return }
                entries.append(DictionaryEntry(key: key, value: literal(value, keys)))
            }
            return .dictionary(entries.sortedByKey)
        }
    }
}
