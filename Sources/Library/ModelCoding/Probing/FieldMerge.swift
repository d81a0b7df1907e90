package import DocumentStore
package import Fleece

/// Combines the properties that a model has encoded with the properties of the stored document that the model's type does not have.
///
/// A key that the type has but did not encode is removed, because its property is `nil`. A property whose type is stored as a dictionary
/// with known keys is combined in the same way. All other values, such as arrays and Swift dictionaries, are replaced.
package struct FieldMerge {
    private let fields: ModelFields
    private let encodedKeys: SharedKeys
    private let storedKeys: SharedKeys
    private var budget: ValueBudget

    /// - Parameters:
    ///   - stored: The body of the stored document, which uses `storedKeys`.
    ///   - encodedKeys: The shared keys of the encoded body.
    package init(_ shape: ModelShape, encodedKeys: SharedKeys, stored: FleeceData, storedKeys: SharedKeys) {
        fields = shape.fields
        self.encodedKeys = encodedKeys
        self.storedKeys = storedKeys
        budget = ValueBudget(forBytes: stored.bytes.count, times: 2)
    }

    /// Returns whether the stored document has a property that is kept. Otherwise the encoded body is the result.
    package func keepsAnything(of stored: DictionaryValue, beside encoded: DictionaryValue) -> Bool {
        fields.model.map { keepsAnything(of: stored, beside: encoded, $0) } ?? false
    }

    /// Writes the combined dictionary.
    package mutating func write(_ encoded: DictionaryValue, keepingFrom stored: DictionaryValue, to encoder: inout Encoder) {
        write(encoded, keepingFrom: stored, fields.model ?? [], to: &encoder)
    }

    /// Returns whether the combined dictionary is equal to the stored one.
    package mutating func isUnchanged(_ encoded: DictionaryValue, keepingFrom stored: DictionaryValue, _ root: Value) throws -> Bool {
        var encoder = Encoder()
        write(encoded, keepingFrom: stored, to: &encoder)
        return try encoder.finishedData().withRoot { ValueComparison.areEqual($0, .empty, root, storedKeys) } ?? false
    }

    private func keepsAnything(of stored: DictionaryValue, beside encoded: DictionaryValue, _ nodes: [Int]) -> Bool {
        stored.pairs.contains { key, value in
            guard let key = key.text(storedKeys) else { return false }
            guard let new = encoded.value(for: key, sharedKeys: encodedKeys) else { return !fields.know(key, in: nodes) }
            return combinable(new, value, key, nodes).map { keepsAnything(of: $0.stored, beside: $0.encoded, $0.nodes) } ?? false
        }
    }

    private mutating func write(_ encoded: DictionaryValue, keepingFrom stored: DictionaryValue, _ nodes: [Int], to encoder: inout Encoder)
    {
        encoder.beginDictionary()
        for (key, value) in encoded.pairs {
            encoder.copyKey(key, from: .other(encodedKeys))
            guard let text = key.text(encodedKeys), let old = stored.value(for: text, sharedKeys: storedKeys),
                let parts = combinable(value, old, text, nodes)
            else {
                encoder.write(value, keys: .other(encodedKeys))
                continue
            }
            write(parts.encoded, keepingFrom: parts.stored, parts.nodes, to: &encoder)
        }
        for (key, value) in stored.pairs {
            guard let text = key.text(storedKeys), encoded.value(for: text, sharedKeys: encodedKeys) == nil, !fields.know(text, in: nodes)
            else { continue }
            encoder.copyKey(key, from: .other(storedKeys))
            encoder.write(value, keys: .other(storedKeys), budget: &budget)
        }
        encoder.endDictionary()
    }

    /// Returns the encoded and the stored value of `key` as dictionaries, and the nodes of the type of the property; `nil` if the encoded value
    /// replaces the stored one.
    private func combinable(
        _ encoded: Value,
        _ stored: Value,
        _ key: String,
        _ nodes: [Int]
    ) -> (encoded: DictionaryValue, stored: DictionaryValue, nodes: [Int])? {
        guard let new = encoded.dictionary, let old = stored.dictionary, let inner = fields.value(for: key, in: nodes),
            !BlobDictionary.isBlob(old, sharedKeys: storedKeys)
        else { return nil }
        return (new, old, inner)
    }
}

extension CollectionStore {
    /// Saves the body that a model has encoded, together with the properties of the stored document that the model's type does not have.
    package func save(
        _ save: DocumentSave,
        encoded body: EncodedBody,
        keepingFieldsUnknownTo shape: ModelShape,
        in writer: Writer
    ) throws -> DocumentSaveOutcome {
        let combined: DocumentSaveOutcome?? = try document(save.documentID).flatMap { stored in
            try stored.body.withRoot { old in
                try body.withRoot { new, keys in
                    var merge = FieldMerge(shape, encodedKeys: keys, stored: stored.body, storedKeys: stored.sharedKeys)
                    guard let old = old.dictionary, let new = new.dictionary, merge.keepsAnything(of: old, beside: new) else { return nil }
                    return try self.save(save, in: writer) { encoder in
                        merge.write(new, keepingFrom: old, to: &encoder)
                        return nil
                    }
                }
            }
        }
        if case let combined?? = combined { return combined }
        return try self.save(save, encoded: body, in: writer)
    }
}
