import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What tests do behind the client's back: the server's small HTTP side.
extension IndependentPeer.Server {
    /// A document as the server has it.
    package struct StoredDocument: Sendable {
        package let id: String
        package let revision: String
        package let isDeleted: Bool
        /// The body without what is not content, keys in order.
        package let json: String
        /// The digests of its attachments, by name.
        package let attachments: [String: String]
    }

    /// The winning revisions of all documents of a database, or of a collection (`database.collection`), by ID. Tombstones
    /// are left out unless asked for.
    package func documents(of keyspace: String, deleted: Bool = false) async throws -> [String: StoredDocument] {
        let query = "?include_docs=true" + (deleted ? "&deleted=true" : "")
        let answer = try await request("GET", "\(keyspace)/_all_docs\(query)")
        let rows = answer["rows"] as? [[String: Any]] ?? []
        let documents = rows.compactMap { $0["doc"] as? [String: Any] }.map(StoredDocument.init)
        return Dictionary(documents.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Saves a document.
    ///
    /// - Parameter revision: The one that it replaces, if there is one.
    /// - Returns: Its new revision.
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

    /// Takes documents away from all users.
    package func revoke(_ ids: [String], in keyspace: String) async throws {
        let body = try JSONSerialization.data(withJSONObject: ["docs": ids])
        _ = try await request("POST", "\(keyspace)/_revoke", body: String(decoding: body, as: UTF8.self))
    }

    /// How many WebSockets there have been so far.
    package func connectionCount() async throws -> Int {
        try await request("GET", "")["connections"] as? Int ?? 0
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
    /// JSON with its keys in order, to be compared.
    package static func canonical(_ object: [String: Any]) -> String {
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
