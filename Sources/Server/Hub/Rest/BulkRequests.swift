#if Replication
import DocumentStore
import Base
import Fleece
import Foundation
import Transport
import WebServer

/// `_bulk_docs` and `_bulk_get`.
struct BulkRequests {
    let documents: DocumentRequests

    private var keyspace: Keyspace { documents.keyspace }
    private static let maximumCount = 10_000

    /// Stores documents, each in a transaction of its own. The response contains the outcome of each, in the order of the request.
    ///
    /// - Throws: `CancellationError` if the client closes the connection. The documents stored until then remain.
    func store(_ request: WebRequest) async throws -> WebResponse {
        let data = try parsedJSON(await request.body.collect())
        let (count, makesRevisions) = try withJSONObject(data) { root in
            guard let list = root.value(for: "docs")?.array, list.count <= Self.maximumCount else {
                throw HubError.badRequest("docs must be an array of at most \(Self.maximumCount) documents")
            }
            return (list.count, try root.optional("new_edits", "true or false") { $0.boolean } ?? true)
        }
        let json = try await JSONWriter.array(0..<count, pausingAfterEach: 1) { writer, index in
            try withJSONObject(data) { root in store(root.value(for: "docs")?.array?[index], makesRevisions, &writer) }
        }
        return WebResponse(status: 201, json: json.byteArray)
    }

    /// Stores a document, and appends the outcome.
    private func store(_ value: Value?, _ makesRevisions: Bool, _ writer: inout JSONWriter) {
        var id = value?.dictionary?.value(for: "_id")?.string
        do {
            guard let document = value?.dictionary else { throw HubError.badRequest("A document must be an object") }
            let input = try DocumentInput(document, over: { try documents.readableOrNone($0) }, in: keyspace.database.file)
            let name = input.id ?? UUID().uuidString.lowercased()
            id = name
            let writing = DocumentWriting(keyspace: keyspace, access: documents.access)
            let revision =
                makesRevisions ? try writing.store(input, as: name, base: input.revision) : try writing.store(existing: input, as: name)
            // Sync Gateway omits `ok`, without which some clients of CouchDB take a document for one that was refused.
            writer.object { writer in
                writer.members(["id": name, "ok": true, "rev": revision.revision.description])
                if let version = revision.version { writer.member("cv", version.description) }
            }
        } catch {
            Self.append(HubError.of(error), id, to: &writer)
        }
    }

    private static func append(_ error: WebError, _ id: String?, to writer: inout JSONWriter) {
        writer.object {
            $0.members(["id": id ?? "", "error": CouchErrorName.of(error.status), "reason": error.reason, "status": error.status])
        }
    }

    /// Returns many documents, one after the other: as parts of a multipart body, or as JSON if the client accepts only that.
    func get(_ request: WebRequest) async throws -> WebResponse {
        let wanted = try await request.body.collect { try Self.wanted($0) }
        let parts = try StoredRevision.Parts(request)
        let large = LargeDocuments(keyspace, request)
        let accept = request.headers["Accept"] ?? "*/*"
        let isJSON = accept.contains("application/json") && !accept.contains("multipart")
        guard !isJSON else {
            return WebResponse(headers: [("Content-Type", "application/json")]) { writer in
                var list = ResponseRows("results", to: writer)
                for item in wanted { try await large.send(item.id, to: &list) { result(item, parts) } }
                try await list.end()
            }
        }
        let boundary = UUID().uuidString
        return WebResponse(headers: [("Content-Type", "multipart/mixed; boundary=\"\(boundary)\"")]) { writer in
            for item in wanted {
                try await large.send(item.id, to: writer) { part(item, parts, boundary: boundary) }
            }
            try await writer.write(Array("--\(boundary)--".utf8))
        }
    }

    /// A document that a client requests.
    private struct Wanted: Sendable {
        let id: String
        let revision: String?
        /// The revisions that the client has.
        let known: StoredRevision.KnownRevisions
    }

    private static func wanted(_ bytes: [UInt8]) throws -> [Wanted] {
        try withJSONObject(bytes) { root in
            guard let list = root.value(for: "docs")?.array, list.count <= maximumCount else {
                throw HubError.badRequest("docs must be an array of at most \(maximumCount) objects")
            }
            return try (0..<list.count).map { index in
                guard let item = list[index]?.dictionary, let id = item.value(for: "id")?.string else {
                    throw HubError.badRequest("An element of docs has no id")
                }
                return Wanted(id: id, revision: try item.optional("rev", "a string") { $0.string }, known: try .init(item))
            }
        }
    }

    /// Appends a document. If an error is thrown, nothing is appended.
    private func append(_ item: Wanted, _ parts: StoredRevision.Parts, to writer: inout JSONWriter) throws {
        try documents.requested(item.id, item.revision).append(parts.adding(item.known), of: keyspace, to: &writer)
    }

    private func part(_ item: Wanted, _ parts: StoredRevision.Parts, boundary: String) -> [UInt8] {
        var json = JSONWriter()
        var type = "application/json"
        do {
            try append(item, parts, to: &json)
        } catch {
            type += "; error=\"true\""
            Self.append(HubError.of(error), item.id, to: &json)
        }
        var part = Array("--\(boundary)\r\nContent-Type: \(type)\r\n\r\n".utf8)
        json.withBytes { part += $0 }
        return part + Array("\r\n".utf8)
    }

    private func result(_ item: Wanted, _ parts: StoredRevision.Parts) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", item.id)
            writer.objects("docs", CollectionOfOne(item)) { writer, item in
                let start = writer.count
                do {
                    writer.name("ok")
                    try append(item, parts, to: &writer)
                } catch {
                    writer.truncate(to: start)
                    writer.name("error")
                    Self.append(HubError.of(error), item.id, to: &writer)
                }
            }
        }.byteArray
    }
}
#endif
