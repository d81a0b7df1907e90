#if Replication
import DocumentStore
import Base
import Fleece
import Foundation

/// Determines the channels of the documents of a collection: those that are fixed, and the strings in a property.
struct ChannelRule: Codable, Sendable {
    /// The channels that all documents are in.
    var channels: [String] = []
    /// The keys of the path to a property with a string, or with an array of strings; `nil` if only ``channels`` counts. Arrays on the path
    /// stand for all of their elements.
    var property: [String]?
    /// The text that precedes each string of the property in the name of the channel.
    var prefix = ""

    /// The rule of collections without a mapping: the property `channels`.
    static let standard = ChannelRule(property: ["channels"])

    /// A text that is the same for two rules only if the rules are equal, byte for byte.
    var fingerprint: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings and arrays of strings can always be encoded.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns the channels of a document, each once.
    func channels(of body: FleeceData, _ keys: SharedKeys) -> [String] {
        let all = channels + strings(in: body, keys).map { prefix + $0 }
        guard all.count > 1 else { return all }
        var seen: Set<ExactString> = []
        return all.filter { seen.insert(ExactString($0)).inserted }
    }

    /// Returns the body with which a tombstone is stored, so that the readers of the deleted document learn about the deletion: the one that
    /// was sent if its property names channels, otherwise the same with the strings of the current revision in the property.
    func tombstone(_ new: OwnedBody, over current: (body: FleeceData, keys: SharedKeys)) throws -> OwnedBody {
        guard let property, strings(in: new.data, new.keys).isEmpty else { return new }
        let strings = self.strings(in: current.body, current.keys)
        guard !strings.isEmpty else { return new }
        let encoder = BodyEncoder()
        let isWritten: Void? = new.data.withRoot { root in
            Self.write(strings, at: property[...], of: root, new.keys, into: &encoder.encoder)
        }
        if isWritten == nil { Self.write(strings, at: property[...], of: nil, new.keys, into: &encoder.encoder) }
        return try encoder.finishOwned()
    }

    /// Writes a value with other strings at a path. Dictionaries on the path keep their other properties.
    private static func write(
        _ strings: [String],
        at path: ArraySlice<String>,
        of value: Value?,
        _ keys: SharedKeys,
        into encoder: inout Encoder
    ) {
        guard let name = path.first else {
            encoder.beginArray()
            for string in strings { encoder.write(string) }
            return encoder.endArray()
        }
        let dictionary = value?.dictionary
        encoder.beginDictionary()
        for (key, value) in dictionary?.pairs ?? [] where key.text(keys)?.isExactly(name) != true {
            encoder.copyKey(key, from: .other(keys))
            encoder.write(value, keys: .other(keys))
        }
        encoder.writeKey(name)
        write(strings, at: path.dropFirst(), of: dictionary?.value(for: name, sharedKeys: keys), keys, into: &encoder)
        encoder.endDictionary()
    }

    /// Returns the strings in the property of a document.
    private func strings(in body: FleeceData, _ keys: SharedKeys) -> [String] {
        guard let property else { return [] }
        return body.withRoot { Self.strings(at: property[...], of: $0, keys) } ?? []
    }

    private static func strings(at path: ArraySlice<String>, of value: Value, _ keys: SharedKeys) -> [String] {
        if let key = path.first, let dictionary = value.dictionary {
            return dictionary.value(for: key, sharedKeys: keys).map { strings(at: path.dropFirst(), of: $0, keys) } ?? []
        }
        if let array = value.array {
            let elements = (0..<array.count).lazy.compactMap { array[$0] }
            return path.isEmpty ? elements.compactMap(\.string) : elements.flatMap { strings(at: path, of: $0, keys) }
        }
        return path.isEmpty ? value.string.map { [$0] } ?? [] : []
    }
}
#endif
