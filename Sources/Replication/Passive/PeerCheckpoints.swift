import BLIP
import Fleece
import SyncCore

/// The checkpoints that clients keep here (Replication 3.3, 3.4). Their IDs say already which collection they are about.
struct PeerCheckpoints {
    let database: ReplicaDatabase

    /// The longest ID to take, in bytes. Those of stock clients have 47.
    static let maximumIDLength = 512
    /// The longest checkpoint to take, in bytes. Those of stock clients have about a hundred, and more when many revisions failed.
    static let maximumSize = 64 << 10
    /// How many checkpoints a database keeps for its clients, and how many bytes of them. Those go first that were written least recently: a
    /// client that finds none looks at everything once more.
    static let maximumTotal = (count: 10_000, size: 16 << 20)

    /// The answer to `getCheckpoint`.
    ///
    /// - Throws: What is to be answered instead.
    func get(_ request: IncomingRequest) throws -> OutgoingMessage {
        guard let (token, body) = try stored(try Self.id(in: request)) else { throw SyncError(.http, 404, "missing") }
        return OutgoingMessage(["rev": token], body: body)
    }

    /// The checkpoint of that ID and its token; nil when there is none. A longer one, from an earlier version, counts as none.
    func stored(_ id: String) throws -> (token: String, body: [UInt8])? {
        try database.peerCheckpoint(id).flatMap { $0.body.count <= Self.maximumSize ? $0 : nil }
    }

    /// The answer to `setCheckpoint`.
    ///
    /// - Throws: What is to be answered instead.
    func set(_ request: IncomingRequest) throws -> OutgoingMessage {
        let id = try Self.id(in: request)
        guard request.body.count <= Self.maximumSize, Self.isObject(request.body) else {
            throw SyncError(.blip, 400, "a checkpoint must be a JSON object of at most \(Self.maximumSize) bytes")
        }
        let known = request.properties["rev"] ?? ""
        let token = try database.setPeerCheckpoint(
            id,
            expecting: known,
            body: request.body,
            maximumSize: Self.maximumSize,
            maximumTotal: Self.maximumTotal
        )
        guard let token else { throw SyncError(.http, 409, "the checkpoint has been changed") }
        return OutgoingMessage(["rev": token])
    }

    private static func id(in request: IncomingRequest) throws(SyncError) -> String {
        guard let id = request.properties["client"], !id.isEmpty, id.utf8.count <= maximumIDLength else {
            throw SyncError(.blip, 400, "the ID of the checkpoint is missing or too long")
        }
        return id
    }

    private static func isObject(_ body: [UInt8]) -> Bool {
        (try? FleeceData.parsing(json: body))?.withRoot { $0.dictionary != nil } ?? false
    }
}
