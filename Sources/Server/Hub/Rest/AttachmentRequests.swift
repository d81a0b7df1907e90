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
        reader.close()
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
        case .whole: return try content(digest, 0..<size, status: 200, headers)
        case .part(let part): return try content(digest, part, status: 206, headers + contentRange)
        case .unsatisfiable: throw WebError(416, "The range is outside of the content", headers: contentRange)
        }
    }

    private func content(
        _ digest: BlobDigest,
        _ range: Range<UInt64>,
        status: Int,
        _ headers: [(name: String, value: String)]
    ) throws -> WebResponse {
        let blobs = keyspace.database.file.blobs
        if range.count <= Self.partSize {
            guard let reader = try blobs.reader(of: digest) else { throw HubError.missing }
            reader.seek(to: range.lowerBound)
            return WebResponse(status: status, headers: headers, body: try reader.read(upTo: range.count))
        }
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
        var entry = JSONWriter()
        new.append(to: &entry)
        return try replace(name, with: entry.byteArray, in: documentID, current, uploaded, request, status: 201)
    }

    func delete(_ documentID: String, _ name: String, _ request: WebRequest) throws -> WebResponse {
        let current = try documents.readable(documentID, nil)
        guard try current.attachment(name) != nil else { throw HubError.missing }
        return try replace(name, with: nil, in: documentID, current, ReceivedContents(), request, status: 200)
    }

    private func replace(
        _ name: String,
        with entry: [UInt8]?,
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
            guard RevisionID(base).map({ $0 == live.revision }) ?? true else { throw HubError.conflict }
        }
        let content = try live.map { try OutgoingBody.jsonWithAttachments($0.body, $0.keys, generation: $0.revision.generation) }
        let json = try withJSONObject(content ?? Array("{}".utf8)) { root in
            if entry != nil {
                try DocumentInput.checkAttachmentName(name, in: root)
            } else if OutgoingBody.refersToBlob(name, in: root, sharedKeys: .empty) {
                throw HubError.badRequest("\(name) is a blob, which is part of the body of the document: change the document to remove it")
            }
            return try Self.json(root, name, entry)
        }
        let input = DocumentInput(json: json, uploaded: uploaded)
        let writing = DocumentWriting(keyspace: keyspace, access: documents.access)
        let revision = try writing.store(input, as: documentID, base: base)
        return DocumentRequests.stored(documentID, revision, status: status)
    }

    /// Returns a document with another attachment.
    private static func json(_ root: DictionaryValue, _ name: String, _ entry: [UInt8]?) throws -> [UInt8] {
        var writer = JSONWriter()
        writer.append(ascii: "{")
        for (key, value) in root.pairs {
            guard let key = key.text(.empty), key != OutgoingBody.attachmentsKey else { continue }
            writer.append(key)
            writer.append(ascii: ":")
            try writer.append(value)
            writer.append(ascii: ",")
        }
        writer.append(OutgoingBody.attachmentsKey)
        writer.append(raw: ":{")
        var needsComma = false
        for (key, value) in root.value(for: OutgoingBody.attachmentsKey)?.dictionary?.pairs ?? [] {
            guard let key = key.text(.empty), !key.isExactly(name) else { continue }
            if needsComma { writer.append(ascii: ",") }
            needsComma = true
            writer.append(key)
            writer.append(ascii: ":")
            try writer.append(value)
        }
        if let entry {
            if needsComma { writer.append(ascii: ",") }
            writer.append(name)
            writer.append(ascii: ":")
            entry.withUnsafeBytes { writer.append(raw: $0) }
        }
        writer.append(raw: "}}")
        return writer.byteArray
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
