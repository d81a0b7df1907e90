import Fleece
import SyncCore

/// What a client asks for with `getCollections` (Replication 3.2).
struct CollectionsRequest: Equatable {
    /// How many collections a client may use on one connection. There is state for each.
    static let maximumCount = 1000

    let names: [String]
    /// The ID of the checkpoint of each.
    let checkpointIDs: [String]

    /// - Throws: What is to be answered when that is no such request.
    init(body: [UInt8]) throws(SyncError) {
        guard let data = try? FleeceData.parsing(json: body),
            let lists = data.withRoot({ root in
                root.dictionary.map {
                    (Self.strings($0.value(for: "collections")), Self.strings($0.value(for: "checkpoint_ids")))
                }
            }) ?? nil,
            let names = lists.0, let checkpointIDs = lists.1
        else { throw SyncError(.blip, 400, "getCollections needs lists of collections and of checkpoint_ids") }
        guard names.count == checkpointIDs.count, !names.isEmpty else {
            throw SyncError(.blip, 400, "the lists of getCollections must not be empty, nor differ in length")
        }
        guard names.count <= Self.maximumCount else {
            throw SyncError(.blip, 400, "getCollections names more than \(Self.maximumCount) collections")
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

/// The body of the answer to `getCollections`.
struct CollectionsReply: ~Copyable {
    private var writer = JSONWriter()

    init() {
        writer.append(ascii: "[")
    }

    private mutating func separate() {
        if writer.count > 1 { writer.append(ascii: ",") }
    }

    /// There is no such collection.
    mutating func appendUnknown() {
        separate()
        writer.appendNull()
    }

    /// The collection is there, and perhaps a checkpoint: the token to change it with, and its JSON.
    mutating func append(_ checkpoint: (token: String, body: [UInt8])?) {
        separate()
        let beginning = writer.count
        // One that cannot be read counts as none: the client will find that out, and replace it.
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
