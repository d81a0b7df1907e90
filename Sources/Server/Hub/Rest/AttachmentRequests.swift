#if Replication
import DocumentStore
import Base
import Fleece
import Replication
import Transport
import WebServer

/// Requests for one attachment: `/{keyspace}/{document}/{name}`.
struct AttachmentRequests {
    let documents: DocumentRequests

    private var keyspace: Keyspace { documents.keyspace }
    /// The maximum size of a part of the content in memory, in bytes.
    private static let partSize = 64 << 10

    /// Returns the content, or the range that the client requests.
    func get(_ documentID: String, _ name: String, _ request: WebRequest) throws -> WebResponse {
        let found = try documents.readable(documentID, request.queryValue("rev"))
        guard let entry = try found.attachment(name), let digest = entry.digest,
            let reader = try keyspace.database.file.blobs.reader(of: digest)
        else { throw HubError.missing }
        let size = reader.size
        let etag = "\"\(digest.string)\""
        var headers = [("ETag", etag), ("Accept-Ranges", "bytes"), ("X-Content-Type-Options", "nosniff")]
        if EntityTags.contains(request.headers["If-None-Match"], etag) { return WebResponse(status: 304, headers: headers) }
        // A page of the content's author must not run with the rights of this origin.
        headers.append(("Content-Security-Policy", "sandbox"))
        headers.append(("Content-Type", HeaderValue.safe(entry.contentType) ?? "application/octet-stream"))
        if let encoding = HeaderValue.coding(entry.encoding) { headers.append(("Content-Encoding", encoding)) }
        let isUnchanged = request.headers["If-Range"].map { $0.isExactly(etag) } ?? true
        let range = ByteRange(isUnchanged ? request.rangeField : nil, size: size)
        let contentRange = range.contentRange(ofSize: size).map { [("Content-Range", $0)] } ?? []
        switch range {
        case .whole: return try content(reader, digest, 0..<size, status: 200, headers)
        case .part(let part): return try content(reader, digest, part, status: 206, headers + contentRange)
        case .unsatisfiable: throw WebError(416, "The range is outside of the content", headers: contentRange)
        }
    }

    /// - Parameter reader: Reads a small content. It is not sendable, so another one reads a large content, in the task that sends the parts.
    private func content(
        _ reader: BlobReader,
        _ digest: BlobDigest,
        _ range: Range<UInt64>,
        status: Int,
        _ headers: [(name: String, value: String)]
    ) throws -> WebResponse {
        let blobs = keyspace.database.file.blobs
        if range.count <= Self.partSize {
            reader.seek(to: range.lowerBound)
            return WebResponse(status: status, headers: headers, body: try reader.read(upTo: range.count))
        }
        reader.close()
        return WebResponse(status: status, headers: headers, length: range.count) { writer in
            guard let reader = try blobs.reader(of: digest) else { throw HubError.missing }
            reader.seek(to: range.lowerBound)
            var rest = range.count
            while rest > 0 {
                let part = try reader.read(upTo: min(rest, Self.partSize))
                guard !part.isEmpty else { throw HubError.missing }
                rest -= part.count
                try await writer.write(part)
            }
        }
    }

    /// Stores content as an attachment of a document, which may be new. The content is written to a file while it is received.
    func put(_ documentID: String, _ name: String, _ request: WebRequest) async throws -> WebResponse {
        var content = try BlobWriter(store: keyspace.database.file.blobs)
        while let part = try await request.body.next() { try content.write(part) }
        let file = try content.finish()
        var uploaded = ReceivedContents()
        uploaded.add(file)
        let current = try documents.readableOrNone(documentID)
        let type = HeaderValue.safe(request.headers["Content-Type"])
        var new = AttachmentEntry(contentType: type, revpos: (current?.revision.generation ?? 0) + 1)
        (new.digest, new.length) = (file.digest, file.size)
        return try replace(name, with: new, in: documentID, current, uploaded, request, status: 201)
    }

    func delete(_ documentID: String, _ name: String, _ request: WebRequest) throws -> WebResponse {
        let current = try documents.readable(documentID, nil)
        guard try current.attachment(name) != nil else { throw HubError.missing }
        return try replace(name, with: nil, in: documentID, current, ReceivedContents(), request, status: 200)
    }

    private func replace(
        _ name: String,
        with entry: AttachmentEntry?,
        in documentID: String,
        _ current: StoredRevision?,
        _ uploaded: ReceivedContents,
        _ request: WebRequest,
        status: Int
    ) throws -> WebResponse {
        let live = current.flatMap { $0.isDeleted ? nil : $0 }
        let base = try documents.base(request)
        // The new body is made of that of this revision, which must be the one that is replaced.
        if let live {
            guard let base else { throw HubError.exists }
            guard live.wanted(base).map({ $0 == live.revision }) ?? true else { throw HubError.conflict }
        }
        let content = try (live?.body ?? .emptyDictionary).withRoot { root in
            try self.content(root, live?.keys ?? .empty, generation: live?.revision.generation ?? 0, name, entry)
        }
        let input = DocumentInput(content ?? .empty, uploaded: uploaded)
        let writing = DocumentWriting(keyspace: keyspace, access: documents.access)
        let revision = try writing.store(input, as: documentID, base: base)
        return DocumentRequests.stored(documentID, revision, status: status)
    }

    /// Returns the content of a document with another attachment.
    ///
    /// - Parameter entry: The attachment; `nil` to remove it.
    private func content(
        _ root: Value,
        _ keys: SharedKeys,
        generation: UInt64,
        _ name: String,
        _ entry: AttachmentEntry?
    ) throws -> IncomingBody {
        guard let dictionary = root.dictionary else { throw HubError.missing }
        if entry != nil {
            try DocumentInput.checkAttachmentName(name, in: dictionary, keys)
        } else if OutgoingBody.refersToBlob(name, in: dictionary, sharedKeys: keys) {
            throw HubError.badRequest("\(name) is a blob, which is part of the body of the document: change the document to remove it")
        }
        let attachments = try OutgoingAttachments(in: root, keys, generation: generation)
        // The entry of a blob is made when the document is read.
        var inputs = attachments.entries.filter { !$0.isBlob && !$0.name.isExactly(name) }.map {
            AttachmentInput.asGiven($0.name, $0.value)
        }
        if let entry { inputs.append(.new(name, entry)) }
        return try DocumentInput.content(in: keyspace.database.file) { encoder in
            for (key, value) in dictionary.pairs {
                guard let name = key.text(keys), name != OutgoingBody.attachmentsKey else { continue }
                encoder.writeKey(name)
                encoder.write(value, keys: .other(keys))
            }
            encoder.write(inputs, keys: keys)
        }
    }
}

/// Values of header fields that come from documents.
enum HeaderValue {
    /// Returns a value without control characters; `nil` if there is none or it is too long.
    static func safe(_ value: String?) -> String? {
        guard let value, !value.isEmpty, value.utf8.count <= 256, value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        return value
    }

    /// Returns the coding of a content (RFC 9110, 8.4.1) that documents may name; `nil` for none, and for other texts.
    static func coding(_ value: String?) -> String? {
        ["gzip", "deflate", "compress", "br", "zstd"].first { $0.isExactly(value?.lowercased()) }
    }
}
#endif
