#if Replication
import DocumentStore
import Base
import Fleece
import Foundation
import QueryLanguage
import Replication

/// Determines for each collection where the channels of its documents come from, as a file in JSON says:
///
///     {"db": {"_default.notes": {"property": "meta.tags"},
///             "_default.tasks": {"channels": ["all"]},
///             "shop.orders": {"property": "owner", "prefix": "user-"}}}
///
/// `property` is the path to a string or an array of strings, `prefix` a text before each of them, and `channels` an array of channels that
/// all documents are in. Of collections that are not listed, the property `channels` counts.
package struct ChannelMapping: Sendable {
    /// The maximum size of a file with a mapping, in bytes.
    private static let maximumFileSize = 1 << 20

    /// The rules by the name of the database and the full name of the collection.
    private var rules: [ExactString: [ExactString: ChannelRule]] = [:]

    /// Creates the mapping in which the property `channels` counts for all collections.
    package init() {}

    /// Reads a mapping from a file.
    ///
    /// - Throws: ``ChannelMappingError`` if the file cannot be read, or its content is not valid.
    package init(file path: String) throws(ChannelMappingError) {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: Self.maximumFileSize + 1) else {
            throw ChannelMappingError(place: path, reason: "the file cannot be read")
        }
        try? file.close()
        guard data.count <= Self.maximumFileSize else { throw ChannelMappingError(place: path, reason: "the file is too large") }
        do throws(ChannelMappingError) {
            try self.init(json: Array(data))
        } catch {
            throw ChannelMappingError(place: error.place.isEmpty ? path : "\(path), \(error.place)", reason: error.reason)
        }
    }

    /// Parses a mapping.
    ///
    /// - Throws: ``ChannelMappingError`` if the text is not JSON, or has another structure.
    package init(json: [UInt8]) throws(ChannelMappingError) {
        let data: FleeceData
        do {
            data = try FleeceData.parsing(json: json)
        } catch {
            guard let error = error as? JSONError else { throw ChannelMappingError(place: "", reason: "this is not JSON") }
            throw ChannelMappingError(place: "line \(error.line), column \(error.column)", reason: error.what)
        }
        let rules = try data.withRoot { root throws(ChannelMappingError) in try Self.rules(in: root) }
        self.rules = rules ?? [:]
    }

    /// Returns the rule of a collection.
    func rule(of id: CollectionID, in database: String) -> ChannelRule {
        rules[ExactString(database)]?[ExactString(id.fullName)] ?? .standard
    }

    /// Checks that the databases of the mapping exist, because a mapping with a misspelled name would have no effect.
    ///
    /// - Throws: ``ChannelMappingError`` that names the first one that does not.
    func check(_ exists: (String) -> Bool) throws(ChannelMappingError) {
        for name in rules.keys.sorted() where !exists(name.string) {
            throw ChannelMappingError(place: Place([name.string]).text, reason: "there is no database of this name")
        }
    }
}

/// The reason why a mapping of channels is not valid, and the place of the error.
package struct ChannelMappingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The place: the path of the file, if it was read from one; and a line and a column, or the keys that lead to the wrong value.
    package let place: String
    /// What is wrong, in words.
    package let reason: String

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

/// A place in a mapping: the keys that lead to it.
private struct Place {
    private let keys: [String]

    init(_ keys: [String] = []) { self.keys = keys }

    var text: String { keys.map { "\"\($0)\"" }.joined(separator: " → ") }

    static func / (place: Place, key: String) -> Place { Place(place.keys + [key]) }

    func error(_ reason: String) -> ChannelMappingError { ChannelMappingError(place: text, reason: reason) }
}

// MARK: - Parsing

extension ChannelMapping {
    private static func rules(in root: Value) throws(ChannelMappingError) -> [ExactString: [ExactString: ChannelRule]] {
        var rules: [ExactString: [ExactString: ChannelRule]] = [:]
        for (database, value) in try members(of: root, Place()) {
            let place = Place([database])
            var collections: [ExactString: ChannelRule] = [:]
            for (name, value) in try members(of: value, place) {
                guard let id = collectionID(name) else {
                    throw (place / name).error("this is not the name of a collection, such as _default.notes")
                }
                guard collections[ExactString(id.fullName)] == nil else { throw (place / name).error("the collection is listed twice") }
                collections[ExactString(id.fullName)] = try rule(in: value, place / name)
            }
            rules[ExactString(database)] = collections
        }
        return rules
    }

    /// Returns the collection that `name` or `scope.name` stands for.
    private static func collectionID(_ name: String) -> CollectionID? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.last, parts.count <= 2 else { return nil }
        return try? CollectionID(name: last, scope: parts.count == 2 ? parts[0] : CollectionID.defaultName)
    }

    private static func rule(in value: Value, _ place: Place) throws(ChannelMappingError) -> ChannelRule {
        var rule = ChannelRule()
        var hasPrefix = false
        for (key, value) in try members(of: value, place) {
            let place = place / key
            switch ExactString(key) {
            case "property": rule.property = try path(in: value, place)
            case "channels": rule.channels = try channels(in: value, place)
            case "prefix":
                rule.prefix = try string(in: value, place)
                hasPrefix = true
            default: throw place.error("the key is unknown; known are property, prefix and channels")
            }
        }
        guard rule.property != nil || !rule.channels.isEmpty else { throw place.error("one of property and channels is required") }
        guard rule.property != nil || !hasPrefix else { throw (place / "prefix").error("a prefix requires a property") }
        return rule
    }

    private static func path(in value: Value, _ place: Place) throws(ChannelMappingError) -> [String] {
        let text = try string(in: value, place)
        let path: PropertyPath
        do {
            path = try PropertyPath(encoded: text)
        } catch {
            throw place.error("this is not a path, such as meta.tags")
        }
        guard !path.isEmpty else { throw place.error("the path must not be empty") }
        var keys: [String] = []
        for component in path.components {
            guard case .key(let key) = component else {
                throw place.error("the path must not contain indexes; arrays stand for all elements")
            }
            keys.append(key)
        }
        return keys
    }

    private static func channels(in value: Value, _ place: Place) throws(ChannelMappingError) -> [String] {
        guard let array = value.array, array.count > 0 else { throw place.error("it must be an array with at least one channel") }
        var channels: [String] = []
        for index in 0..<array.count {
            guard let name = array[index]?.string, !name.isEmpty else {
                throw place.error("element \(index + 1) must be the name of a channel")
            }
            channels.append(name)
        }
        return channels
    }

    private static func string(in value: Value, _ place: Place) throws(ChannelMappingError) -> String {
        guard let string = value.string else { throw place.error("it must be a string") }
        return string
    }

    private static func members(of value: Value, _ place: Place) throws(ChannelMappingError) -> [(String, Value)] {
        guard let dictionary = value.dictionary else { throw place.error("it must be an object") }
        return dictionary.pairs.compactMap { key, value in key.text(.empty).map { ($0, value) } }
    }
}
#endif
