import Base
import DocumentStore
import Fleece
import SyncCore

/// The `getCollections` message, which selects the collections of a connection (Replication 3.2).
enum CollectionsMessage {
    /// Returns the body of the request. The position of a collection in it is its index in all later messages.
    static func json(_ collections: [(id: CollectionID, checkpointID: String)]) -> [UInt8] {
        JSONWriter.object { writer in
            writer.array("checkpoint_ids", collections) { $0.append($1.checkpointID) }
            writer.array("collections", collections) { $0.append($1.id.wireName) }
        }.byteArray
    }

    /// Returns the property `uuid` of the request: the public UUID of the database, in groups of digits (Version vectors 6.2).
    static func uuid(_ id: SourceID) -> String {
        var text = ""
        for (index, byte) in id.bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += [byte].hexadecimal
        }
        return text
    }

    enum Reply: Equatable, Sendable {
        case unknown
        case withoutCheckpoint
        /// - `token`: The revision ID required for replacing the checkpoint. Sync Gateway does not send it (Replication 3.2).
        case checkpoint(Checkpoint, token: String?)
    }

    /// Parses the response, which must have exactly one item for each of the `count` collections.
    static func parseReply(_ body: [UInt8], count: Int) throws(SyncError) -> [Reply] {
        let replies: [Reply]? =
            body.withUnsafeBytes { try? JSON.fleece($0) }?.withRoot { root in
                guard let array = root.array, array.count == count else { return nil }
                return (0..<count).map { index in array[index].map { Reply($0) } ?? .unknown }
            } ?? nil
        guard let replies else { throw SyncError(engine: .remoteError, "the response to getCollections does not match the request") }
        return replies
    }
}

extension CollectionsMessage.Reply {
    fileprivate init(_ value: Value) {
        if let dictionary = value.dictionary, dictionary.count > 0 {
            let token = dictionary.value(for: "rev") ?? dictionary.value(for: "_rev")
            self = .checkpoint(Checkpoint(dictionary), token: token?.string)
        } else {
            self = value.dictionary == nil ? .unknown : .withoutCheckpoint
        }
    }
}

extension CollectionID {
    /// Reads a name in the form of `getCollections`: `scope.collection`, or only the name of a collection in the default scope. Returns
    /// `nil` if the name is invalid.
    init?(wireName: String) {
        let parts = wireName.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let scope = parts.count == 2 ? parts[0] : Self.defaultName
        guard let name = parts.last, let id = try? CollectionID(name: name, scope: scope) else { return nil }
        self = id
    }

    /// The name in the form that ``init(wireName:)`` reads.
    var wireName: String { scope == Self.defaultName ? name : fullName }
}
