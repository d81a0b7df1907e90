import CouchbaseLiteSwift

/// The path of a property, such as `geo.alt`. A dot that is part of a key is written `\.`.
struct PropertyPath {
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
    func set(_ value: Any?, in document: MutableDocument) {
        Self.set(value, at: keys[...], in: document)
    }

    private static func set(_ value: Any?, at keys: ArraySlice<String>, in dictionary: some MutableDictionaryProtocol) {
        guard let key = keys.first else { return }
        if keys.count > 1 {
            let inner = dictionary.dictionary(forKey: key) ?? blobDictionary(dictionary, key) ?? MutableDictionaryObject()
            set(value, at: keys.dropFirst(), in: inner)
            dictionary.setValue(inner, forKey: key)
        } else if let value {
            dictionary.setValue(value, forKey: key)
        } else {
            dictionary.removeValue(forKey: key)
        }
    }

    /// Returns the properties of a stored blob, which can be changed like those of a dictionary; `nil` if there is none.
    private static func blobDictionary(_ dictionary: some MutableDictionaryProtocol, _ key: String) -> MutableDictionaryObject? {
        guard let blob = dictionary.blob(forKey: key), blob.digest != nil else { return nil }
        return try? MutableDictionaryObject(json: blob.toJSON())
    }
}
