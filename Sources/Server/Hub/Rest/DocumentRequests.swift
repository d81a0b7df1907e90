#if Replication
import DocumentStore
import Base
import Fleece
import Foundation
import Replication
import Transport
import WebServer

/// Requests for one document: `/{keyspace}/{document}`.
struct DocumentRequests {
    let keyspace: Keyspace
    /// Returns what the user may do now. The body of a request may arrive slowly, and a client may read slowly; meanwhile the rights may change.
    let access: @Sendable () throws -> HubAccess
    /// Knows which documents the user was able to read before; `nil` if this is not needed.
    var lost: LostAccess?
    /// The maximum size of a document in a request, and of an attachment that follows it, in bytes.
    var limits = (document: 20 << 20, content: 20 << 20)

    private var file: DatabaseFile { keyspace.database.file }
    private var writing: DocumentWriting { DocumentWriting(keyspace: keyspace, access: access) }

    // MARK: Reading

    /// Returns the current revision, or that in the query, in turns if it is large. Tombstones are only returned if their revision is requested.
    func get(_ documentID: String, _ request: WebRequest) async throws -> WebResponse {
        // The revisions of a list take turns one by one.
        if let open = request.queryValue("open_revs") { return try openRevisions(documentID, open, request) }
        let parts = try StoredRevision.Parts(request)
        if let response = try responseIfSmall(documentID, parts, request) { return response }
        let turn = try await LargeDocuments(keyspace, request).turn(of: documentID)
        var response = try self.response(requested(documentID, request.queryValue("rev")), parts, request)
        if case .bytes(let bytes) = response.body { turn?.encoded(bytes.count) }
        response.held = turn
        return response
    }

    /// Most documents are small, so they are not read twice: first the size, then the document. Of a large one, this keeps nothing in memory.
    private func responseIfSmall(_ documentID: String, _ parts: StoredRevision.Parts, _ request: WebRequest) throws -> WebResponse? {
        guard request.queryValue("rev") == nil, !parts.hasAttachmentData else { return nil }
        let found = try requested(documentID, nil)
        return found.size < DocumentTurns.largeSize ? try response(found, parts, request) : nil
    }

    private func response(_ found: Requested, _ parts: StoredRevision.Parts, _ request: WebRequest) throws -> WebResponse {
        let etag = "\"\(found.revision)\""
        if EntityTags.contains(request.headers["If-None-Match"], etag) {
            return WebResponse(status: 304, headers: [("ETag", etag)])
        }
        return WebResponse(headers: [("ETag", etag)], json: try found.json(parts, of: keyspace))
    }

    /// What a user gets who requests a revision.
    enum Requested {
        case readable(StoredRevision)
        /// The user could read the document, and may not read this revision now.
        case removed(RemovedRevision)

        var revision: RevisionID {
            switch self {
            case .readable(let found): found.revision
            case .removed(let removed): removed.revision
            }
        }

        /// The size of the stored document, in bytes.
        var size: Int { if case .readable(let found) = self { found.body.bytes.count } else { 0 } }

        /// Appends the document. If an error is thrown, nothing is appended.
        func append(_ parts: StoredRevision.Parts, of keyspace: Keyspace, to writer: inout JSONWriter) throws {
            switch self {
            case .readable(let found): try found.append(parts, of: keyspace, to: &writer)
            case .removed(let removed): removed.append(parts, to: &writer)
            }
        }

        fileprivate func json(_ parts: StoredRevision.Parts, of keyspace: Keyspace) throws -> [UInt8] {
            var writer = JSONWriter(capacity: 2 * size + 256)
            try append(parts, of: keyspace, to: &writer)
            return writer.byteArray
        }
    }

    /// Returns a revision that the user may read, or has lost.
    ///
    /// - Throws: ``WebError`` 404 if it does not exist, 403 if the user never had access.
    func requested(_ documentID: String, _ revision: String?) throws -> Requested {
        do {
            return .readable(try readable(documentID, revision))
        } catch let error as WebError where error.status == 403 {
            guard let removed = try revision.flatMap({ try lost?.revision($0, of: documentID) }) else { throw error }
            return .removed(removed)
        }
    }

    /// Returns a revision that the user may read.
    ///
    /// - Throws: ``WebError`` 404 if it does not exist, 403 if the user has no access.
    func readable(_ documentID: String, _ revision: String?) throws -> StoredRevision {
        let access = try self.access()
        guard let revision else { return try current(documentID, access) }
        // Otherwise another request could replace the current revision between the two reads.
        return try keyspace.replica.withOneSnapshot {
            let current = try self.current(documentID, access, includingDeleted: true)
            guard let wanted = current.wanted(revision) else { throw HubError.badRequest("The ID of the revision is not valid") }
            guard wanted != current.revision else { return current }
            guard let found = try keyspace.revision(wanted, of: documentID) else { throw HubError.missing }
            guard access.mayRead(found.channels) else { throw HubError.forbidden }
            return found
        }
    }

    private func current(_ documentID: String, _ access: HubAccess, includingDeleted: Bool = false) throws -> StoredRevision {
        guard let current = try keyspace.current(documentID) else { throw HubError.missing }
        guard access.mayRead(current.channels) else { throw HubError.forbidden }
        guard includingDeleted || !current.isDeleted else { throw HubError.deleted }
        return current
    }

    /// Responds to `open_revs`: the revisions of the list, or all leaves. One revision at a time is in memory.
    private func openRevisions(_ documentID: String, _ list: String, _ request: WebRequest) throws -> WebResponse {
        let access = try self.access()
        let current = try keyspace.current(documentID)
        if let current, !access.mayRead(current.channels), try list.isExactly("all") || lost?.couldRead(current) != true {
            throw HubError.forbidden
        }
        let ids: [String]
        if list.isExactly("all") {
            ids = try (keyspace.revisions(of: documentID) ?? []).filter(\.isLeaf).map(\.id.description)
            guard !ids.isEmpty else { throw HubError.missing }
        } else {
            let data = try parsedJSON(Array(list.utf8), of: "open_revs")
            let strings = data.withRoot { root in
                root.array.flatMap { array in array.count <= 1000 ? (0..<array.count).map { array[$0]?.string } : nil }
            }
            guard let strings = strings ?? nil, !strings.contains(nil) else {
                throw HubError.badRequest("open_revs must be \"all\" or an array of at most 1,000 strings")
            }
            ids = strings.compactMap { $0 }
        }
        let parts = try StoredRevision.Parts(request)
        let large = LargeDocuments(keyspace, request)
        return WebResponse(headers: [("Content-Type", "application/json")]) { writer in
            var list = ResponseRows(to: writer)
            for id in ids { try await large.send(documentID, to: &list) { try openRevision(documentID, id, parts) } }
            try await list.end()
        }
    }

    /// Returns an element of the response to `open_revs`. A revision that the user may not read is missing.
    private func openRevision(_ documentID: String, _ id: String, _ parts: StoredRevision.Parts) throws -> [UInt8] {
        try JSONWriter.object { writer in
            do {
                let found = try requested(documentID, id)
                writer.name("ok")
                try found.append(parts, of: keyspace, to: &writer)
            } catch let error as WebError where [400, 403, 404].contains(error.status) {
                writer.member("missing", id)
            }
        }.byteArray
    }

    // MARK: Writing

    /// Stores a document: a new revision, or one that was made elsewhere with `new_edits=false`.
    func put(_ documentID: String?, _ request: WebRequest) async throws -> WebResponse {
        let input = try await self.input(documentID, request)
        let id = documentID ?? input.id ?? UUID().uuidString.lowercased()
        let revision: DocumentWriting.Stored
        if request.queryValue("new_edits").map({ $0.isExactly("false") }) == true {
            revision = try writing.store(existing: input, as: id)
        } else {
            revision = try writing.store(input, as: id, base: try base(request) ?? input.revision)
        }
        return Self.stored(id, revision, status: documentID == nil ? 200 : 201)
    }

    /// Reads the document in the body of a request.
    private func input(_ documentID: String?, _ request: WebRequest) async throws -> DocumentInput {
        guard let reader = try MultipartReader(request) else {
            // Refused before the client sends it.
            if let length = request.headers["Content-Length"].flatMap({ Int($0) }), length > limits.document {
                throw WebError(413, "The document is too large")
            }
            let bytes = try await request.body.collect(upTo: limits.document)
            return try withJSONObject(bytes) { root in
                try DocumentInput(root, over: { try readableOrNone($0) }, id: documentID, in: file)
            }
        }
        let multipart = try await MultipartDocument(reader, file.blobs, limits: limits)
        return try withJSONObject(multipart.json) { root in
            try DocumentInput(root, over: { try readableOrNone($0) }, id: documentID, in: file, multipart: multipart)
        }
    }

    func readableOrNone(_ documentID: String) throws -> StoredRevision? {
        let access = try self.access()
        guard let current = try keyspace.current(documentID), access.mayRead(current.channels) else { return nil }
        return current
    }

    /// Deletes a document: stores a tombstone in the channels of the document.
    func delete(_ documentID: String, _ request: WebRequest) throws -> WebResponse {
        let (access, base) = (try self.access(), try self.base(request))
        guard let current = try keyspace.current(documentID) else {
            // As in Sync Gateway, a document that does not exist gets a tombstone. From a user of some channels, it would be one that other users
            // could not replace.
            guard base == nil, access.hasAllChannels else { throw HubError.missing }
            return Self.stored(documentID, try writing.store(.tombstone, as: documentID, base: nil), status: 200)
        }
        guard access.mayRead(current.channels) else { throw HubError.forbidden }
        guard base != nil || current.isDeleted else { throw HubError.conflict }
        let revision = try writing.store(.tombstone, as: documentID, base: base ?? current.revision.description)
        return Self.stored(documentID, revision, status: 200)
    }

    /// Returns the revision that a request changes: `rev` in the query, or `If-Match`.
    func base(_ request: WebRequest) throws -> String? {
        if let revision = request.queryValue("rev") { return revision }
        guard let field = request.headers["If-Match"] else { return nil }
        return field.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
    }

    /// Returns the response to a request that has stored a revision.
    static func stored(_ documentID: String, _ stored: DocumentWriting.Stored, status: Int) -> WebResponse {
        let outcome = JSONWriter.object { writer in
            writer.members(["id": documentID, "ok": true, "rev": stored.revision.description])
            if let version = stored.version { writer.member("cv", version.description) }
        }
        return WebResponse(status: status, headers: [("ETag", "\"\(stored.revision)\"")], json: outcome.byteArray)
    }
}

/// Entity tags in conditional requests.
enum EntityTags {
    /// Returns whether a field such as `If-None-Match` contains a tag, or `*`.
    static func contains(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").contains { part in
            let text = part.trimmingCharacters(in: .whitespaces)
            return text == "*" || text.isExactly(tag) || text.isExactly("W/" + tag)
        }
    }
}

extension WebRequest {
    /// Returns whether a query item of that name is `true`.
    func isTrue(_ name: String) -> Bool { queryValue(name).map { $0.isExactly("true") } ?? false }
}
#endif
