import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Access to the server's documents over HTTP, independent of replication.
extension IndependentPeer.Server {
    /// A document as stored on the server.
    package struct StoredDocument: Sendable {
        package let id: String
        package let revision: String
        package let isDeleted: Bool
        /// The body as JSON with sorted keys, without properties that begin with an underscore.
        package let json: String
        /// The digests of its attachments, by name.
        package let attachments: [String: String]
    }

    /// Returns the winning revisions of all documents of a database or collection (`database.collection`), by ID. Tombstones are included
    /// only if `deleted` is true.
    package func documents(of keyspace: String, deleted: Bool = false) async throws -> [String: StoredDocument] {
        let query = "?include_docs=true" + (deleted ? "&deleted=true" : "")
        let answer = try await request("GET", "\(keyspace)/_all_docs\(query)")
        let rows = answer["rows"] as? [[String: Any]] ?? []
        let documents = rows.compactMap { $0["doc"] as? [String: Any] }.map(StoredDocument.init)
        return Dictionary(documents.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Saves a document.
    ///
    /// - Parameter revision: The ID of the revision to replace; `nil` for a new document.
    /// - Returns: The ID of the new revision.
    @discardableResult
    package func put(_ json: String, _ id: String, in keyspace: String, replacing revision: String? = nil) async throws
        -> String
    {
        let query = revision.map { "?rev=\($0)" } ?? ""
        let answer = try await request("PUT", "\(keyspace)/\(id)\(query)", body: json)
        return answer["rev"] as? String ?? ""
    }

    /// Deletes a document.
    package func delete(_ id: String, in keyspace: String, revision: String) async throws {
        _ = try await request("DELETE", "\(keyspace)/\(id)?rev=\(revision)")
    }

    /// Revokes the access of all users to documents.
    package func revoke(_ ids: [String], in keyspace: String) async throws {
        let body = try JSONSerialization.data(withJSONObject: ["docs": ids])
        _ = try await request("POST", "\(keyspace)/_revoke", body: String(decoding: body, as: UTF8.self))
    }

    /// Returns the number of WebSocket connections so far.
    package func connectionCount() async throws -> Int {
        try await request("GET", "")["connections"] as? Int ?? 0
    }

    /// Returns what clients have done against the rules of protocol 4.
    package func violations() async throws -> [String] {
        try await request("GET", "")["violations"] as? [String] ?? []
    }

    private func request(_ method: String, _ path: String, body: String? = nil) async throws -> [String: Any] {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else {
            throw IndependentPeer.Failure(description: "\(path) makes no URL")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.setValue("close", forHTTPHeaderField: "Connection")
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw IndependentPeer.Failure(description: "\(method) \(path): \(status) \(String(decoding: data, as: UTF8.self))")
        }
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}

extension IndependentPeer.Server.StoredDocument {
    init(_ object: [String: Any]) {
        id = object["_id"] as? String ?? ""
        revision = object["_rev"] as? String ?? ""
        isDeleted = object["_deleted"] as? Bool ?? false
        let attached = object["_attachments"] as? [String: [String: Any]] ?? [:]
        attachments = attached.compactMapValues { $0["digest"] as? String }
        json = IndependentPeer.canonical(object.filter { !$0.key.hasPrefix("_") })
    }
}

extension IndependentPeer {
    /// Returns JSON with sorted keys, for comparison.
    package static func canonical(_ object: [String: Any]) -> String {
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
