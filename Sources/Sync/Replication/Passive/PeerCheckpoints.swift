import BLIP
import Fleece
import SyncCore

/// The checkpoints that clients store in this database (Replication 3.3, 3.4). The ID of a checkpoint already identifies the name of its
/// collection. `owner` is the identity of that collection: without a checkpoint of this collection, the client compares everything
/// (Replication 6.5).
struct PeerCheckpoints {
    let database: ReplicaDatabase
    /// What precedes the IDs of the client in the database.
    var prefix = ""

    /// The maximum length of an ID in bytes. Those of stock clients have 47.
    static let maximumIDLength = 512
    /// The maximum size of a checkpoint in bytes. Those of stock clients have about a hundred, and more if many revisions failed.
    static let maximumSize = 64 << 10
    /// The maximum number of checkpoints in a database whose IDs begin with ``prefix``, and their maximum total size in bytes. The least
    /// recently written ones are dropped first; a client without a checkpoint starts from the beginning.
    static let maximumTotal = (count: 10_000, size: 16 << 20)

    /// Returns the response to `getCheckpoint`, or throws the error to respond with.
    func get(_ request: IncomingRequest, owner: UInt64, likeSyncGateway: Bool = false) throws -> OutgoingMessage {
        guard let (token, body) = try stored(try Self.id(in: request), owner: owner) else { throw SyncError(http: .notFound, "missing") }
        return OutgoingMessage(["rev": likeSyncGateway ? Self.shown(token) : token], body: body)
    }

    /// Returns the checkpoint with this ID and its token; `nil` if it does not exist. A checkpoint that is too large, written by an earlier
    /// version, is ignored.
    func stored(_ id: String, owner: UInt64) throws -> (token: String, body: [UInt8])? {
        try database.peerCheckpoint(prefix + id, owner: owner).flatMap { $0.body.count <= Self.maximumSize ? $0 : nil }
    }

    /// Returns the response to `setCheckpoint`, or throws the error to respond with.
    ///
    /// - Parameter likeSyncGateway: Whether the errors and the tokens are those of Sync Gateway.
    func set(_ request: IncomingRequest, owner: UInt64, likeSyncGateway: Bool = false) throws -> OutgoingMessage {
        let id = try Self.id(in: request)
        guard request.body.count <= Self.maximumSize, Self.isObject(request.body) else {
            if likeSyncGateway, (try? FleeceData.parsing(json: request.body)) == nil { throw SyncError(http: .badRequest, "Invalid JSON") }
            throw SyncError(blip: .badRequest, "a checkpoint must be a JSON object of at most \(Self.maximumSize) bytes")
        }
        let known = request.properties["rev"] ?? ""
        let token = try database.setPeerCheckpoint(
            prefix + id,
            expecting: likeSyncGateway ? Self.stored(known) : known,
            body: request.body,
            owner: owner,
            maximumSize: Self.maximumSize,
            maximumTotal: Self.maximumTotal,
            of: prefix
        )
        if token == nil, likeSyncGateway, try stored(id, owner: owner) == nil {
            throw SyncError(http: .notFound, "No previous revision to replace")
        }
        guard let token else { throw SyncError(http: .conflict, "the checkpoint was changed concurrently") }
        return OutgoingMessage(["rev": likeSyncGateway ? Self.shown(token) : token])
    }

    /// Returns a token in the form that Sync Gateway shows: `0-1` for `1-cc`.
    static func shown(_ token: String) -> String { "0-" + token.prefix { $0 != "-" } }

    /// Returns the stored form of a token that Sync Gateway would show.
    private static func stored(_ token: String) -> String { token.hasPrefix("0-") ? token.dropFirst(2) + "-cc" : token }

    private static func id(in request: IncomingRequest) throws(SyncError) -> String {
        guard let id = request.properties["client"], !id.isEmpty, id.utf8.count <= maximumIDLength else {
            throw SyncError(blip: .badRequest, "the checkpoint ID is missing or too long")
        }
        return id
    }

    private static func isObject(_ body: [UInt8]) -> Bool {
        (try? FleeceData.parsing(json: body))?.withRoot { $0.dictionary != nil } ?? false
    }
}
