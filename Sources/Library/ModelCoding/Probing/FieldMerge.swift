package import DocumentStore
package import Fleece

/// Combines the properties that a model has encoded with the properties of the stored document that the model's type does not have.
///
/// A key that the type has but did not encode is removed, because its property is `nil`. A property whose type is stored as a dictionary
/// with known keys is combined in the same way. All other values, such as arrays and Swift dictionaries, are replaced.
package struct FieldMerge {
    private let fields: ModelFields?
    private let encodedKeys: SharedKeys
    private let storedKeys: SharedKeys
    private let counters: CounterOverlay?
    private var budget: ValueBudget

    /// - Parameters:
    ///   - shape: What is known of the type; `nil` if all other properties are removed.
    ///   - stored: The body of the stored document, which uses `storedKeys`.
    ///   - encodedKeys: The shared keys of the encoded body.
    ///   - counters: The counters of the model, which are written instead of what it has encoded. By default none.
    package init(
        _ shape: ModelShape?,
        encodedKeys: SharedKeys,
        stored: FleeceData,
        storedKeys: SharedKeys,
        counters: CounterOverlay? = nil
    ) {
        fields = shape?.fields
        (self.encodedKeys, self.storedKeys, self.counters) = (encodedKeys, storedKeys, counters)
        budget = ValueBudget(forBytes: stored.bytes.count, times: 2)
    }

    /// Returns whether the stored document has a property that is kept. Otherwise the encoded body, with the counters, is the result.
    package func keepsAnything(of stored: DictionaryValue, beside encoded: DictionaryValue) -> Bool {
        fields?.model.map { keepsAnything(of: stored, beside: encoded, $0) } ?? false
    }

    /// Writes the combined dictionary.
    package mutating func write(_ encoded: DictionaryValue, keepingFrom stored: DictionaryValue, to encoder: inout Encoder) {
        write(encoded, keepingFrom: stored, fields?.model, counters, to: &encoder)
    }

    /// Returns whether the combined dictionary is equal to the stored one.
    package mutating func isUnchanged(_ encoded: DictionaryValue, keepingFrom stored: DictionaryValue, _ root: Value) throws -> Bool {
        var encoder = Encoder()
        write(encoded, keepingFrom: stored, to: &encoder)
        return try encoder.finishedData().withRoot { ValueComparison.areEqual($0, .empty, root, storedKeys) } ?? false
    }

    private func keepsAnything(of stored: DictionaryValue, beside encoded: DictionaryValue, _ nodes: [Int]) -> Bool {
        stored.pairs.contains { key, value in
            guard let key = key.text(storedKeys), let fields else { return false }
            guard let new = encoded.value(for: key, sharedKeys: encodedKeys) else { return !fields.know(key, in: nodes) }
            return combinable(new, value, key, nodes).map { keepsAnything(of: $0.stored, beside: $0.encoded, $0.nodes) } ?? false
        }
    }

    private mutating func write(
        _ encoded: DictionaryValue,
        keepingFrom stored: DictionaryValue,
        _ nodes: [Int]?,
        _ counters: CounterOverlay? = nil,
        to encoder: inout Encoder
    ) {
        encoder.beginDictionary()
        for (key, value) in encoded.pairs {
            let name = key.text(encodedKeys)
            if let name, let counters, counters.has(name) { continue }
            encoder.copyKey(key, from: .other(encodedKeys))
            guard let text = name, let nodes, let old = stored.value(for: text, sharedKeys: storedKeys),
                let parts = combinable(value, old, text, nodes)
            else {
                encoder.write(value, keys: .other(encodedKeys))
                continue
            }
            write(parts.encoded, keepingFrom: parts.stored, parts.nodes, to: &encoder)
        }
        if let nodes, let fields {
            for (key, value) in stored.pairs {
                guard let text = key.text(storedKeys), encoded.value(for: text, sharedKeys: encodedKeys) == nil,
                    !fields.know(text, in: nodes), counters?.has(text) != true
                else { continue }
                encoder.copyKey(key, from: .other(storedKeys))
                encoder.write(value, keys: .other(storedKeys), budget: &budget)
            }
        }
        counters?.write(into: &encoder)
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
        guard let new = encoded.dictionary, let old = stored.dictionary, let inner = fields?.value(for: key, in: nodes),
            !BlobDictionary.isBlob(old, sharedKeys: storedKeys)
        else { return nil }
        return (new, old, inner)
    }
}

extension ModelShape {
    /// Encodes a model, and returns its properties together with those of a merged document that its type does not have, and with the changes of
    /// its counters. The keys are texts.
    ///
    /// - Parameters:
    ///   - merged: A dictionary whose keys are texts.
    ///   - revision: The revision that gets the changes of counters which no tally has.
    ///   - device: The name of this database in the tallies of counters.
    /// - Throws: `EncodingError` if the model cannot be stored; the errors of its `encode(to:)` and of `blobs`.
    package func combine(
        _ model: some Encodable,
        with merged: FleeceData,
        _ revision: RevisionID,
        on device: String,
        _ blobs: any BlobWriting
    ) throws -> FleeceData {
        let (body, counters) = (BodyEncoder(), EncodedCounters())
        // The encoded model lies in the memory of the encoder.
        defer { withExtendedLifetime((body, merged)) {} }
        let encoded = try ModelEncoding.encode(model, with: body, types: types, blobs: blobs, omitting: idKey, counting: counters)
        let combined = try encoded.withRoot { new, keys in
            guard let old = merged.root?.dictionary, let new = new.dictionary else { return nil as FleeceData? }
            let overlay = try counters.isEmpty ? nil : CounterOverlay(counters, on: device, over: old, .empty, revision)
            var merge = FieldMerge(self, encodedKeys: keys, stored: merged, storedKeys: .empty, counters: overlay)
            var encoder = Encoder()
            merge.write(new, keepingFrom: old, to: &encoder)
            return try encoder.finishedData()
        }
        guard let result = combined else { throw FleeceError(.badRoot) }
        return result
    }
}

extension CollectionStore {
    /// Saves the body that a model has encoded, together with the properties of the stored document that the model's type does not have, and
    /// with the changes of its counters.
    ///
    /// - Parameters:
    ///   - shape: What is known of the type; `nil` if all other properties of the stored document are removed.
    ///   - counters: The counters of the model, with the name of this database in their tallies; `nil` if it has none.
    package func save(
        _ save: DocumentSave,
        encoded body: EncodedBody,
        keepingFieldsUnknownTo shape: ModelShape?,
        _ counters: (all: EncodedCounters, device: String)?,
        in writer: Writer
    ) throws -> DocumentSaveOutcome {
        guard shape != nil || counters != nil else { return try self.save(save, encoded: body, in: writer) }
        let record = try document(save.documentID)
        let combined: DocumentSaveOutcome?? = try (record?.body ?? .emptyDictionary).withRoot { old in
            try body.withRoot { new, keys in
                guard let old = old.dictionary, let new = new.dictionary else { return nil }
                let storedKeys = record?.sharedKeys ?? .empty
                let overlay = try counters.map {
                    try CounterOverlay($0.all, on: $0.device, over: record == nil ? nil : old, storedKeys, record?.revision)
                }
                var merge = FieldMerge(
                    shape,
                    encodedKeys: keys,
                    stored: record?.body ?? .emptyDictionary,
                    storedKeys: storedKeys,
                    counters: overlay
                )
                guard overlay != nil || merge.keepsAnything(of: old, beside: new) else { return nil }
                return try self.save(save, in: writer) { encoder in
                    merge.write(new, keepingFrom: old, to: &encoder)
                    return nil
                }
            }
        }
        if case let combined?? = combined { return combined }
        return try self.save(save, encoded: body, in: writer)
    }
}
