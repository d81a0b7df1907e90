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
        let lists = (try? FleeceData.parsing(json: body))?.withRoot { root in
            ["collections", "checkpoint_ids"].map { root.dictionary?.value(for: $0)?.array?.strings(atMost: Self.maximumCount + 1) }
        }
        guard let names = lists?[0], let checkpointIDs = lists?[1] else {
            throw SyncError(blip: .badRequest, "getCollections requires the string arrays 'collections' and 'checkpoint_ids'")
        }
        guard names.count == checkpointIDs.count, !names.isEmpty else {
            throw SyncError(blip: .badRequest, "the arrays of getCollections must not be empty and must have the same length")
        }
        guard names.count <= Self.maximumCount else {
            throw SyncError(blip: .badRequest, "getCollections allows at most \(Self.maximumCount) collections")
        }
        self.names = names
        self.checkpointIDs = checkpointIDs
    }
}

/// The answer to one name in `getCollections`.
enum CollectionsReply {
    case unknown
    /// The collection exists, with its checkpoint and the token for changing it, if there is one.
    ///
    /// - Parameter likeSyncGateway: Whether the token has the name and the form that Sync Gateway uses.
    case known((token: String, body: [UInt8])?, likeSyncGateway: Bool = false)

    /// Returns the body of the response. Each answer is requested when it is written, so that only one checkpoint is in memory.
    static func body<Name>(_ names: some Sequence<Name>, _ reply: (Name) throws -> CollectionsReply) throws -> [UInt8] {
        try JSONWriter.array(names) { writer, name in
            guard case .known(let checkpoint, let likeSyncGateway) = try reply(name) else { return writer.appendNull() }
            let beginning = writer.count
            // An unreadable checkpoint counts as missing. The client will replace it.
            guard let checkpoint, let data = try? FleeceData.parsing(json: checkpoint.body),
                data.withRoot({ append(checkpoint.token, likeSyncGateway, members: $0, to: &writer) }) == true
            else {
                writer.truncate(to: beginning)
                return writer.object { _ in }
            }
        }.byteArray
    }

    private static func append(_ token: String, _ likeSyncGateway: Bool, members: Value, to writer: inout JSONWriter) -> Bool {
        guard let dictionary = members.dictionary else { return false }
        do {
            try writer.object { writer throws(FleeceError) in
                if likeSyncGateway { writer.member("_rev", PeerCheckpoints.shown(token)) } else { writer.member("rev", token) }
                for (key, value) in dictionary.pairs {
                    guard let name = key.text(.empty), name != "rev" else { continue }
                    try writer.member(name, value)
                }
            }
            return true
        } catch {
            return false
        }
    }
}
