#if Replication
import DocumentStore
import Fleece
import Foundation
import WebServer

/// The information about a database: `GET /{keyspace}/`.
enum DatabaseInformation {
    static func response(_ keyspace: Keyspace) throws -> WebResponse {
        let sequence = try keyspace.store.lastSequence()
        let uuid = try keyspace.database.file.publicUUID()
        let json = JSONWriter.object { writer in
            writer.members([
                "db_name": keyspace.database.name, "update_seq": sequence, "committed_update_seq": sequence,
                "instance_start_time": keyspace.database.startTime, "compact_running": false, "purge_seq": 0,
                "disk_format_version": 0, "state": "Online",
            ])
            if let uuid { writer.member("server_uuid", uuid.map { String(format: "%02x", $0) }.joined()) }
        }
        return WebResponse(json: json.byteArray)
    }

    /// `POST /{keyspace}/_ensure_full_commit`, for clients of CouchDB: what was stored before is committed when its response is sent.
    static func committed(_ keyspace: Keyspace, _ request: WebRequest) async throws -> WebResponse {
        // Otherwise the connection could not be used for another request.
        _ = try await request.body.collect()
        let json = JSONWriter.object(["instance_start_time": keyspace.database.startTime, "ok": true])
        return WebResponse(status: 201, json: json.byteArray)
    }
}
#endif
