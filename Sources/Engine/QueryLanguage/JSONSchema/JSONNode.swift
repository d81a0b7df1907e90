import Fleece

/// A JSON value in the text of a query. Integers and doubles are separate cases.
indirect enum JSONNode {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONNode])
    /// The entries, sorted by the bytes of their keys.
    case object([Entry])

    struct Entry {
        let key: String
        let value: JSONNode
    }

    /// Parses JSON text.
    ///
    /// - Throws: ``QueryError`` with the position if the text is not valid JSON or is nested too deeply.
    init(parsing text: String) throws(QueryError) {
        var text = text
        let result: Result<JSONNode, QueryError> = text.withUTF8 { bytes in
            var encoder = Encoder(capacity: bytes.count)
            do {
                try JSON.parse(
                    UnsafeRawBufferPointer(bytes),
                    into: &encoder,
                    allowingFragments: true,
                    maximumDepth: QueryJSON.maximumNesting,
                    allowingInfinity: true
                )
                return .success(try encoder.finishedData().withRoot { JSONNode($0) } ?? .null)
            } catch let error as JSONError {
                let place = "at line \(error.line), column \(error.column)"
                let message =
                    error.reason == .tooDeep
                    ? "the query is nested too deeply" : "the query is not valid JSON: \(error.what) \(place)"
                return .failure(QueryError(.invalidQuery, message, offset: error.offset))
            } catch {
                return .failure(QueryError.invalidQuery("the query is not valid JSON: \(error)"))
            }
        }
        self = try result.get()
    }

    /// Converts a value that the JSON parser has written, which limits its depth.
    private init(_ value: Value) {
        switch value.type {
        case .null, .undefined, .data: self = .null
        case .boolean: self = .boolean(value.boolean == true)
        case .number:
            if let bits = value.integerBits, !value.isUnsigned || bits >= 0 {
                self = .integer(bits)
            } else {
                self = .double(value.double ?? 0)
            }
        case .string: self = .string(value.string ?? "")
        case .array:
            let array = value.array
            self = .array((0..<(array?.count ?? 0)).compactMap { array?[$0].map { JSONNode($0) } })
        case .dictionary:
            let entries = (value.dictionary?.pairs ?? []).map { pair in
                Entry(key: pair.key.text(.empty) ?? "", value: JSONNode(pair.value))
            }
            self = .object(entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        }
    }

    /// The text if this is a string.
    var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The items if this is an array.
    var items: [JSONNode]? { if case .array(let items) = self { items } else { nil } }

    /// The entries if this is an object.
    var entries: [Entry]? { if case .object(let entries) = self { entries } else { nil } }

    /// Whether the value is true: a boolean, or a number other than 0; `nil` if it is neither a boolean nor a number.
    var flag: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .integer(let number): number != 0
        case .double(let number): number != 0
        default: nil
        }
    }
}

extension JSONNode: CustomStringConvertible {
    /// The value as quoted in error messages.
    var description: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): JSONText.number(number)
        case .string(let text): text
        case .array: "an array"
        case .object: "an object"
        }
    }
}
