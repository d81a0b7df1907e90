import CouchbaseLiteSwift
import DocumentStore
import ExactStrings
import Fleece
import QueryEngine

/// The properties that are found in a sample of a collection's documents. A database has no schema of its own.
struct CollectionSample {
    struct Property {
        /// The path, as `geo.lat` or `tags[]`.
        let path: String
        /// The number of documents in the sample that have the property.
        fileprivate(set) var documents = 0
        /// The types of its values, with the number of documents for each.
        fileprivate(set) var types: [(name: String, count: Int)] = []
        /// One of the values as JSON, cut to a moderate length.
        fileprivate(set) var example: String?

        fileprivate mutating func add(_ type: String) {
            if let index = types.firstIndex(where: { $0.name == type }) { types[index].count += 1 } else { types.append((type, 1)) }
        }
    }

    /// The number of documents that were read.
    private(set) var documents = 0
    /// The properties in the order in which they were found.
    private(set) var properties: [Property] = []
    private var indexes: [ExactString: Int] = [:]

    /// More properties are left out: documents can use names as data.
    private static let maximumProperties = 1_000
    private static let maximumDepth = 8

    init(_ collection: DocumentCollection, documents count: Int = 1_000) throws {
        try collection.store.forEachSampledDocument(count) { record in
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
            add(value, at: prefix + QueryNames.quoted(name), keys, depth: depth, &seen)
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
            properties[index].example = DisplayWidth.cut(text, to: 60)
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
        case .dictionary: value.dictionary?.value(for: Blob.typeProperty, sharedKeys: keys)?.string == Blob.blobType ? "blob" : "object"
        }
    }
}

/// The words of the query language, for completion.
enum QueryNames {
    /// The reserved words, and those that are reserved in some places only.
    static let keywords =
        QueryKeyword.allCases.map(\.rawValue) + [
            "ARRAY", "DELETE", "INSERT", "INTO", "KEY", "RETURNING", "SET", "UNSET", "UPDATE", "UPSERT", "VALUE", "VALUES",
        ]

    /// The names of the functions, with the parenthesis that follows.
    static let functions = QueryFunction.all.map { $0.name + "(" } + ["meta()", "match(", "rank("]

    /// Returns the name as it is written in a query: between backticks if it is no identifier.
    static func quoted(_ name: String) -> String {
        let isIdentifier =
            name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
            && name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
        if isIdentifier, QueryKeyword(rawValue: name.uppercased()) == nil { return name }
        return "`" + name.replacing("`", with: "``") + "`"
    }
}
