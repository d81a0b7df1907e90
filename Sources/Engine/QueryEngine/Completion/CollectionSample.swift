import Base
package import DocumentStore
import Fleece
import QueryLanguage

/// The properties that are found in a sample of a collection's documents. A database has no schema of its own.
package struct CollectionSample {
    /// A property that at least one document of the sample has.
    package struct Property {
        /// The path, as `geo.lat` or `tags[]`.
        package let path: String
        /// The number of documents in the sample that have the property.
        package fileprivate(set) var documents = 0
        /// The types of its values, with the number of documents for each.
        package fileprivate(set) var types: [(name: String, count: Int)] = []
        /// One of the values as JSON, of which at most 200 characters are kept.
        package fileprivate(set) var example: String?

        fileprivate mutating func add(_ type: String) {
            if let index = types.firstIndex(where: { $0.name == type }) { types[index].count += 1 } else { types.append((type, 1)) }
        }
    }

    /// The number of documents that were read.
    package private(set) var documents = 0
    /// The properties in the order in which they were found.
    package private(set) var properties: [Property] = []
    private var indexes: [ExactString: Int] = [:]

    /// More properties are left out: documents can use names as data.
    private static let maximumProperties = 1_000
    private static let maximumDepth = 8

    private static let maximumExample = 200

    /// Reads the sample from all parts of the collection.
    ///
    /// - Parameter count: The approximate number of documents to read. Default: 1,000.
    /// - Throws: `StoreError` if the collection cannot be read.
    /// - Complexity: O(`count` · log *n*), where *n* is the number of documents in the collection.
    package init(_ collection: CollectionStore, documents count: Int = 1_000) throws {
        try collection.forEachSampledDocument(count) { record in
            documents += 1
            var seen: Set<ExactString> = []
            try record.body.withRoot { root throws(FleeceError) in
                if let dictionary = root.dictionary { add(dictionary, under: "", record.sharedKeys, depth: 0, &seen) }
            }
            return true
        }
    }

    private mutating func add(
        _ dictionary: DictionaryValue,
        under prefix: String,
        _ keys: SharedKeys,
        depth: Int,
        _ seen: inout Set<ExactString>
    ) {
        for (key, value) in dictionary.pairs {
            guard let name = key.text(keys) else { continue }
            add(value, at: prefix + SQLPlusPlus.identifier(name), keys, depth: depth, &seen)
        }
    }

    private mutating func add(_ value: Value, at path: String, _ keys: SharedKeys, depth: Int, _ seen: inout Set<ExactString>) {
        note(value, at: path, keys, &seen)
        guard depth < Self.maximumDepth else { return }
        if let dictionary = value.dictionary {
            add(dictionary, under: path + ".", keys, depth: depth + 1, &seen)
        } else if let array = value.array {
            // The first elements are enough for a sample.
            for index in 0..<min(array.count, 10) {
                if let element = array[index] { add(element, at: path + "[]", keys, depth: depth + 1, &seen) }
            }
        }
    }

    private mutating func note(_ value: Value, at path: String, _ keys: SharedKeys, _ seen: inout Set<ExactString>) {
        guard seen.insert(ExactString(path)).inserted else { return }
        if indexes[ExactString(path)] == nil {
            guard properties.count < Self.maximumProperties else { return }
            indexes[ExactString(path)] = properties.count
            properties.append(Property(path: path))
        }
        guard let index = indexes[ExactString(path)] else { return }
        properties[index].documents += 1
        properties[index].add(Self.name(of: value, keys))
        if properties[index].example == nil, value.type != .null, let text = try? JSON.string(value, sharedKeys: keys) {
            properties[index].example = String(text.prefix(Self.maximumExample))
        }
    }

    private static func name(of value: Value, _ keys: SharedKeys) -> String {
        switch value.type {
        case .null: "null"
        case .boolean: "boolean"
        case .number: value.isInteger ? "integer" : "number"
        case .string: "string"
        case .data: "binary"
        case .array: "array"
        case .undefined: "missing"
        case .dictionary:
            value.dictionary?.value(for: BlobDictionary.typeKey, sharedKeys: keys)?.string == BlobDictionary.typeValue ? "blob" : "object"
        }
    }
}
