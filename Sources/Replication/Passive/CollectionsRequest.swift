import Fleece
import SyncCore

/// The content of a client's `getCollections` request (Replication 3.2).
struct CollectionsRequest: Equatable {
    /// The maximum number of collections on one connection. Each one needs memory.
    static let maximumCount = 1000

    let names: [String]
    /// The checkpoint IDs, in the order of ``names``.
    let checkpointIDs: [String]

    /// - Throws: The error to respond with if the body is invalid.
    init(body: [UInt8]) throws(SyncError) {
        guard let data = try? FleeceData.parsing(json: body),
            let lists = data.withRoot({ root in
                root.dictionary.map {
                    (Self.strings($0.value(for: "collections")), Self.strings($0.value(for: "checkpoint_ids")))
                }
            }) ?? nil,
            let names = lists.0, let checkpointIDs = lists.1
        else { throw SyncError(blip: .badRequest, "getCollections requires the string arrays 'collections' and 'checkpoint_ids'") }
        guard names.count == checkpointIDs.count, !names.isEmpty else {
            throw SyncError(blip: .badRequest, "the arrays of getCollections must not be empty and must have the same length")
        }
        guard names.count <= Self.maximumCount else {
            throw SyncError(blip: .badRequest, "getCollections allows at most \(Self.maximumCount) collections")
        }
        self.names = names
        self.checkpointIDs = checkpointIDs
    }

    private static func strings(_ value: Value?) -> [String]? {
        guard let array = value?.array, array.count <= maximumCount + 1 else { return nil }
        var strings: [String] = []
        for index in 0..<array.count {
            guard let string = array[index]?.string else { return nil }
            strings.append(string)
        }
        return strings
    }
}

/// Builds the body of the response to `getCollections`.
struct CollectionsReply: ~Copyable {
    private var writer = JSONWriter()

    init() { writer.append(ascii: "[") }

    private mutating func separate() {
        if writer.count > 1 { writer.append(ascii: ",") }
    }

    /// Appends that the collection does not exist.
    mutating func appendUnknown() {
        separate()
        writer.appendNull()
    }

    /// Appends that the collection exists, with its checkpoint and the token for changing it, if there is one.
    mutating func append(_ checkpoint: (token: String, body: [UInt8])?) {
        separate()
        let beginning = writer.count
        // An unreadable checkpoint counts as missing. The client will replace it.
        guard let checkpoint, let data = try? FleeceData.parsing(json: checkpoint.body),
            data.withRoot({ append(token: checkpoint.token, members: $0) }) == true
        else {
            writer.truncate(to: beginning)
            return writer.append(raw: "{}")
        }
    }

    private mutating func append(token: String, members: Value) -> Bool {
        guard let dictionary = members.dictionary else { return false }
        writer.append(raw: "{\"rev\":")
        writer.append(token)
        for (key, value) in dictionary.pairs {
            guard let name = key.text(.empty), name != "rev" else { continue }
            writer.append(ascii: ",")
            writer.append(name)
            writer.append(ascii: ":")
            guard (try? writer.append(value)) != nil else { return false }
        }
        writer.append(ascii: "}")
        return true
    }

    consuming func finished() -> [UInt8] {
        writer.append(ascii: "]")
        return writer.byteArray
    }
}
