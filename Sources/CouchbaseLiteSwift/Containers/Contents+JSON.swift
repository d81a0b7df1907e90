import Fleece

extension DictionaryContents {
    /// The values of a JSON object, which are read from there on where the parser put them.
    init(json: String) throws {
        let source = try FleeceSource(json: json, root: .dictionary)
        self.init(source: source, base: source.data.root, isMutable: true)
    }

    /// What is stored, as JSON.
    var json: String { source?.json(base) ?? "{}" }
}

extension ArrayContents {
    /// The values of a JSON array, which are read from there on where the parser put them.
    init(json: String) throws {
        let source = try FleeceSource(json: json, root: .array)
        self.init(source: source, base: source.data.root, isMutable: true)
    }

    /// What is stored, as JSON.
    var json: String { source?.json(base) ?? "[]" }
}

extension FleeceSource {
    /// The value that a JSON text says. Throws `invalidJSON` when its kind is not `root`.
    fileprivate init(json: String, root: ValueType) throws {
        do {
            self.init(data: try JSON.fleece(json), sharedKeys: .empty)
        } catch {
            throw error.publicError
        }
        guard data.root?.type == root else {
            throw NSError.couchbaseLite(
                code: CBLError.invalidJSON,
                message: "The JSON text is not \(root == .array ? "an array" : "an object")"
            )
        }
    }

    /// A part of the data as JSON. Nil, with a warning, when it is damaged.
    func json(_ value: Value?) -> String? {
        guard let value else { return nil }
        do {
            return try JSON.string(value, sharedKeys: sharedKeys)
        } catch {
            warn("A value cannot be written as JSON: \(error)")
            return nil
        }
    }
}
