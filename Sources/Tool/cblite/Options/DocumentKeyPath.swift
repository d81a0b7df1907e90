import CouchbaseLiteSwift

/// The path of a property, such as `geo.alt`. A dot that is part of a key is written `\.`.
struct DocumentKeyPath {
    let keys: [String]

    /// Splits a path at its dots; `nil` if a part is empty, or the path ends with a backslash.
    init?(_ text: String) {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        guard !isEscaped, !parts.contains("") else { return nil }
        keys = parts
    }

    /// Sets the property, and creates missing dictionaries on the path; `nil` removes the property.
    ///
    /// - Parameter json: Returns the JSON of the value with the given keys in the document as it was before any change. It is needed for a
    ///   dictionary that represents a blob, because a ``Blob`` does not show the other keys of its dictionary.
    func set(_ value: Any?, in document: MutableDocument, json: ([String]) throws -> String?) throws {
        try set(value, depth: 0, in: document, json)
    }

    private func set(
        _ value: Any?,
        depth: Int,
        in dictionary: some MutableDictionaryProtocol,
        _ json: ([String]) throws -> String?
    ) throws {
        let key = keys[depth]
        if depth + 1 < keys.count {
            let inner =
                try dictionary.dictionary(forKey: key) ?? blobDictionary(dictionary, depth, json) ?? MutableDictionaryObject()
            try set(value, depth: depth + 1, in: inner, json)
            dictionary.setValue(inner, forKey: key)
        } else if let value {
            dictionary.setValue(value, forKey: key)
        } else {
            dictionary.removeValue(forKey: key)
        }
    }

    /// Returns the whole dictionary of a stored blob, which can be changed like any other; `nil` if there is none.
    private func blobDictionary(
        _ dictionary: some MutableDictionaryProtocol,
        _ depth: Int,
        _ json: ([String]) throws -> String?
    ) throws -> MutableDictionaryObject? {
        guard let blob = dictionary.blob(forKey: keys[depth]), blob.digest != nil else { return nil }
        return try MutableDictionaryObject(json: json(Array(keys[...depth])) ?? blob.toJSON())
    }
}
