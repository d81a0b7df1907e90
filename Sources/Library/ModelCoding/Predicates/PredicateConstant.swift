import DocumentStore
import Fleece
import QueryLanguage

/// Translates the constants of a predicate and the values it has captured.
enum PredicateConstant {
    /// Returns the literal for a value, in the form in which documents store it; MISSING for `nil`.
    static func tree(of value: Any, _ types: ModelTypes) throws(QueryError) -> QueryExpression {
        switch value {
        case let optional as any OptionalValue:
            guard let wrapped = optional.wrapped else { return .missing }
            return try tree(of: wrapped, types)
        case let string as String: return .string(string)
        case let text as Substring: return .string(String(text))
        case let encodable as any Encodable: return try stored(encodable, types)
        default: throw QueryError.unsupportedPredicate("a value of type \(type(of: value)) cannot be stored in a document")
        }
    }

    /// Returns the literal for the value as which a model's property would be stored.
    private static func stored(_ value: some Encodable, _ types: ModelTypes) throws(QueryError) -> QueryExpression {
        do {
            let body = BodyEncoder()
            // The encoded value lies in the memory of the encoder.
            let tree = try withExtendedLifetime(body) {
                let encoded = try ModelEncoding.encode(Wrapper(value: value), with: body, types: types, blobs: types.constantBlobs)
                return encoded.withRoot { root, keys in
                    root.dictionary?.value(for: "value", sharedKeys: keys).map { literal($0, keys) }
                }
            }
            guard let tree else { throw QueryError.unsupportedPredicate("a value of type \(type(of: value)) does not encode anything") }
            return tree
        } catch let error as QueryError {
            throw error
        } catch {
            throw QueryError.unsupportedPredicate("a value of type \(type(of: value)) cannot be stored in a document")
        }
    }

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
