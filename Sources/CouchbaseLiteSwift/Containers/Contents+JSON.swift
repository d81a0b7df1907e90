import DatabaseRuntime
import Fleece

extension DictionaryContents {
    /// Creates contents from a JSON object. Its values are read in place from the parser's output.
    init(json: String) throws {
        let source = try FleeceSource(json: json, root: .dictionary)
        self.init(source: source, base: source.data.root, isMutable: true)
    }

    /// The stored values as JSON; changes are not included.
    var json: String { source?.json(base) ?? "{}" }
}

extension ArrayContents {
    /// Creates contents from a JSON array. Its values are read in place from the parser's output.
    init(json: String) throws {
        let source = try FleeceSource(json: json, root: .array)
        self.init(source: source, base: source.data.root, isMutable: true)
    }

    /// The stored values as JSON; changes are not included.
    var json: String { source?.json(base) ?? "[]" }
}

extension FleeceSource {
    /// Creates a source from a JSON text.
    ///
    /// - Throws: `invalidJSON` if the text is invalid or its value does not have the type `root`.
    fileprivate init(json: String, root: ValueType) throws {
        do {
            self.init(data: try JSON.fleece(json), sharedKeys: .empty)
        } catch {
            throw error.publicError
        }
        guard data.root?.type == root else {
            throw NSError.couchbaseLite(CBLError.invalidJSON, "The JSON text is not \(root == .array ? "an array" : "an object")")
        }
    }

    /// Returns a part of the data as JSON; `nil`, and logs a warning, if it is damaged.
    func json(_ value: Value?) -> String? { value?.loggedJSON(sharedKeys: sharedKeys) }
}
