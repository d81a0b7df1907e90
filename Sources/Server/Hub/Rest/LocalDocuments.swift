#if Replication
import DocumentStore
import Base
import Fleece
import Replication
import WebServer

/// `_local` documents: they have no history and are not replicated. Each user has documents of its own, whose number and size are limited.
///
/// They are stored with the checkpoints of clients, which cannot displace them. Like these, they end with their collection, so that clients of
/// REST notice that it was created again (Replication 6.5).
struct LocalDocuments {
    let keyspace: Keyspace
    /// Returns what the user may do now.
    let access: @Sendable () throws -> HubAccess

    private static let maximumSize = 64 << 10
    private static let maximumNameLength = 512
    /// The maximum number of the documents of a user in a database, and of their bytes.
    static let maximumTotal = (count: 10_000, size: 16 << 20)

    func get(_ name: String) throws -> WebResponse {
        let owner = try keyspace.replica.identity()
        guard let (token, body) = try keyspace.database.replica.peerCheckpoint(key(name, access()), owner: owner) else {
            throw HubError.missing
        }
        let document = try withJSONObject(body) { root in
            try JSONWriter.object { writer in
                writer.members(["_id": "_local/" + name, "_rev": token])
                for (key, value) in root.pairs {
                    guard let key = key.text(.empty), !key.beginsExactly(with: "_") else { continue }
                    try writer.member(key, value)
                }
            }.byteArray
        }
        return WebResponse(json: document)
    }

    func put(_ name: String, _ request: WebRequest) async throws -> WebResponse {
        let bytes = try await request.body.collect()
        guard name.utf8.count <= Self.maximumNameLength else {
            throw HubError.badRequest("The ID of a local document has at most 512 bytes")
        }
        guard bytes.count <= Self.maximumSize else { throw WebError(413, "A local document has at most 64 KiB") }
        let given = try withJSONObject(bytes) { $0.value(for: "_rev")?.string }
        let stored: String?
        do {
            // What is stored for a user who is being removed is removed afterwards.
            stored = try keyspace.database.file.transaction { _ in
                let access = try self.access()
                return try keyspace.database.replica.setPeerCheckpoint(
                    key(name, access),
                    expecting: request.queryValue("rev") ?? given ?? "",
                    body: bytes,
                    owner: try keyspace.replica.identity(),
                    maximumSize: Self.maximumSize,
                    maximumTotal: Self.maximumTotal,
                    of: UserEntries.localDocuments(of: access.userName),
                    dropsOldest: false
                )
            }
        } catch is PeerCheckpointsFull {
            throw WebError(413, "A user has at most 10,000 local documents, with 16 MiB together; delete some of them first")
        }
        guard let stored else { throw HubError.conflict }
        return Self.response(name, stored, status: 201)
    }

    func delete(_ name: String, _ request: WebRequest) throws -> WebResponse {
        let file = keyspace.database.file
        try file.transaction { writer in
            let key = self.key(name, try access())
            let owner = try keyspace.replica.identity()
            guard let (token, _) = try keyspace.database.replica.peerCheckpoint(key, owner: owner) else { throw HubError.missing }
            guard token.isExactly(request.queryValue("rev")) else { throw HubError.conflict }
            try RawStore.peerCheckpoints.set(key, to: nil, in: writer)
        }
        return Self.response(name, "0-0", status: 200)
    }

    /// Names of collections contain no colon.
    private func key(_ name: String, _ access: HubAccess) -> String {
        "\(UserEntries.localDocuments(of: access.userName))\(keyspace.id.fullName):\(name)"
    }

    private static func response(_ name: String, _ token: String, status: Int) -> WebResponse {
        WebResponse(status: status, json: JSONWriter.object(["id": "_local/" + name, "ok": true, "rev": token]).byteArray)
    }
}
#endif
