#if Replication
import DocumentStore
import Base
import Fleece
import Foundation
import Replication
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
        var writer = JSONWriter()
        writer.append(ascii: "[")
        for index in 0..<count {
            if index > 0 {
                writer.append(ascii: ",")
                // There may be many documents: other requests must get the thread, and the client may have gone.
                await Task.yield()
                try Task.checkCancellation()
            }
            try withJSONObject(data) { root in store(root.value(for: "docs")?.array?[index], makesRevisions, &writer) }
        }
        writer.append(ascii: "]")
        return WebResponse(status: 201, json: writer.byteArray)
    }

    /// Stores a document, and appends the outcome.
    private func store(_ value: Value?, _ makesRevisions: Bool, _ writer: inout JSONWriter) {
        var id = value?.dictionary?.value(for: "_id")?.string
        do {
            guard let document = value?.dictionary else { throw HubError.badRequest("A document must be an object") }
            let blobs = keyspace.database.file.blobs
            let input = try DocumentInput(document, over: { try documents.readableOrNone($0) }, blobs: blobs)
            let name = input.id ?? UUID().uuidString.lowercased()
            id = name
            let writing = DocumentWriting(keyspace: keyspace, access: documents.access)
            let revision =
                makesRevisions ? try writing.store(input, as: name, base: input.revision) : try writing.store(existing: input, as: name)
            writer.append(raw: #"{"id":"#)
            writer.append(name)
            // Sync Gateway omits `ok`, without which some clients of CouchDB take a document for one that was refused.
            writer.append(raw: #","ok":true,"rev":"#)
            writer.append(revision.description)
            writer.append(ascii: "}")
        } catch {
            Self.append(HubError.of(error), id, to: &writer)
        }
    }

    private static func append(_ error: WebError, _ id: String?, to writer: inout JSONWriter) {
        writer.append(raw: #"{"id":"#)
        writer.append(id ?? "")
        writer.append(raw: #","error":"#)
        writer.append(CouchErrorName.of(error.status))
        writer.append(raw: #","reason":"#)
        writer.append(error.reason)
        writer.append(raw: #","status":"#)
        writer.append(Int64(error.status))
        writer.append(ascii: "}")
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
                try await writer.write(Array(#"{"results":["#.utf8))
                for (index, item) in wanted.enumerated() {
                    let separator = index == 0 ? "" : ","
                    try await large.send(item.id, to: writer) { Array(separator.utf8) + result(item, parts) }
                }
                try await writer.write(Array("]}".utf8))
            }
        }
        let boundary = UUID().uuidString
        return WebResponse(headers: [("Content-Type", "multipart/mixed; boundary=\"\(boundary)\"")]) { writer in
            for item in wanted {
                try await large.send(item.id, to: writer) {
                    let part = part(item, parts)
                    let type = part.isError ? "application/json; error=\"true\"" : "application/json"
                    return Array("--\(boundary)\r\nContent-Type: \(type)\r\n\r\n".utf8) + part.json + Array("\r\n".utf8)
                }
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

    private func part(_ item: Wanted, _ parts: StoredRevision.Parts) -> (json: [UInt8], isError: Bool) {
        do {
            return (try documents.requested(item.id, item.revision).json(parts.adding(item.known), of: keyspace), false)
        } catch {
            var writer = JSONWriter()
            Self.append(HubError.of(error), item.id, to: &writer)
            return (writer.byteArray, true)
        }
    }

    private func result(_ item: Wanted, _ parts: StoredRevision.Parts) -> [UInt8] {
        let part = part(item, parts)
        var writer = JSONWriter()
        writer.append(raw: #"{"id":"#)
        writer.append(item.id)
        if part.isError { writer.append(raw: #","docs":[{"error":"#) } else { writer.append(raw: #","docs":[{"ok":"#) }
        part.json.withUnsafeBytes { writer.append(raw: $0) }
        writer.append(raw: "}]}")
        return writer.byteArray
    }
}
#endif
