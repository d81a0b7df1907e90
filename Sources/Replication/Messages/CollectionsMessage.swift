package import DocumentStore
import Fleece
package import SyncCore

/// The message that says which collections a connection is about (Replication 3.2).
package enum CollectionsMessage {
    /// The name that a collection has in it: without its scope if that is the default one.
    package static func name(of id: CollectionID) -> String {
        id.scope == CollectionID.defaultName ? id.name : id.fullName
    }

    /// The body of the request. The place of a collection in it is its number from then on.
    package static func json(_ collections: [(id: CollectionID, checkpointID: String)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.append(raw: #"{"checkpoint_ids":["#)
        for (index, collection) in collections.enumerated() {
            if index > 0 { writer.append(ascii: ",") }
            writer.append(collection.checkpointID)
        }
        writer.append(raw: #"],"collections":["#)
        for (index, collection) in collections.enumerated() {
            if index > 0 { writer.append(ascii: ",") }
            writer.append(name(of: collection.id))
        }
        writer.append(raw: "]}")
        return writer.byteArray
    }

    /// What the peer says of one collection.
    package enum Reply: Equatable, Sendable {
        case unknown
        case withoutCheckpoint
        /// - `token`: What its next version has to name. Sync Gateway does not tell (Replication 3.2).
        case checkpoint(Checkpoint, token: String?)
    }

    /// Reads the answer.
    ///
    /// - Throws: `SyncError` when it is not one item for each of `count` collections.
    package static func parseReply(_ body: [UInt8], count: Int) throws(SyncError) -> [Reply] {
        let replies: [Reply]? =
            body.withUnsafeBytes { try? JSON.fleece($0) }?.withRoot { root in
                guard let array = root.array, array.count == count else { return nil }
                return (0..<count).map { index in array[index].map { Reply($0) } ?? .unknown }
            } ?? nil
        guard let replies else { throw SyncError(.liteCore, 26, "the answer to getCollections does not match the question") }
        return replies
    }
}

extension CollectionsMessage.Reply {
    fileprivate init(_ value: Value) {
        guard let dictionary = value.dictionary else {
            self = .unknown
            return
        }
        guard dictionary.count > 0 else {
            self = .withoutCheckpoint
            return
        }
        let token = dictionary.value(for: "rev") ?? dictionary.value(for: "_rev")
        self = .checkpoint(Checkpoint(dictionary), token: token?.string)
    }
}
