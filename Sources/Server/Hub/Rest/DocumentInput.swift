#if Replication
import DocumentStore
import Base
import Fleece
import Foundation
import Replication
import WebServer

/// A document in a request.
struct DocumentInput {
    var id: String?
    var revision: String?
    var isDeleted: Bool
    /// The revision with its ancestors, newest first, from `_revisions`. Empty if the document has none.
    var history: [RevisionID] = []
    /// When the document is to be purged.
    var expiration = DocumentExpiration.unchanged
    /// The properties without those of the protocol, except `_attachments` with digests instead of data.
    let json: [UInt8]
    /// The contents of attachments that the request contains.
    private(set) var uploaded = ReceivedContents()

    /// The properties beginning with an underscore that a document may have.
    private static let known = ["_id", "_rev", "_deleted", "_revisions", "_attachments", DocumentExpiration.key]

    /// - Parameters:
    ///   - root: The document.
    ///   - current: The stored revision, whose attachments may be meant by entries without a digest.
    ///   - blobs: Will contain the data of attachments.
    ///   - multipart: Has the contents of the attachments that follow the document; `nil` if there are none.
    init(
        _ root: DictionaryValue,
        over current: (String) throws -> StoredRevision?,
        id: String? = nil,
        blobs: BlobStore,
        multipart: MultipartDocument? = nil
    ) throws {
        let given = try root.optional("_id", "a string") { $0.string }
        if let id, let given, !id.isExactly(given) { throw HubError.badRequest("_id is not the ID in the URL") }
        self.id = id ?? given
        revision = try root.optional("_rev", "a string") { $0.string }
        isDeleted = try root.optional("_deleted", "true or false") { $0.boolean } ?? false
        if let revisions = root.value(for: "_revisions") { history = try Self.history(revisions) }
        expiration = try DocumentExpiration(root)
        var writer = JSONWriter()
        var uploaded = multipart?.uploaded ?? ReceivedContents()
        let followingOnes = try multipart?.contents(of: root.value(for: OutgoingBody.attachmentsKey)?.dictionary)
        writer.append(ascii: "{")
        var needsComma = false
        for (key, value) in root.pairs {
            guard let name = key.text(.empty) else { continue }
            if name.beginsExactly(with: "_"), !Self.known.contains(name) {
                throw HubError.badRequest("Top-level properties that begin with an underscore are not allowed: \(name)")
            }
            guard !name.beginsExactly(with: "_") || name == OutgoingBody.attachmentsKey else { continue }
            if needsComma { writer.append(ascii: ",") }
            needsComma = true
            writer.append(name)
            writer.append(ascii: ":")
            if name == OutgoingBody.attachmentsKey {
                guard let entries = value.dictionary else { throw HubError.badRequest("_attachments must be an object") }
                let stored = try self.id.flatMap { try current($0) }
                // A client may return the entry of a blob that it has removed; only content would be lost.
                for (key, entry) in entries.pairs where Self.hasContent(entry) {
                    try Self.checkAttachmentName(key.text(.empty) ?? "", in: root)
                }
                try Self.append(entries, stored, followingOnes ?? [:], blobs, &uploaded, to: &writer)
            } else {
                try writer.append(value)
            }
        }
        writer.append(ascii: "}")
        json = writer.byteArray
        self.uploaded = uploaded
    }

    /// Creates the input for a body whose attachments were taken from stored content.
    init(json: [UInt8], uploaded: ReceivedContents = ReceivedContents(), isDeleted: Bool = false) {
        self.json = json
        self.uploaded = uploaded
        self.isDeleted = isDeleted
    }

    /// Parses `_revisions`: the generation of the newest revision, and the digests of all.
    private static func history(_ value: Value) throws -> [RevisionID] {
        let dictionary = value.dictionary
        guard let start = dictionary?.value(for: "start")?.integerBits.flatMap({ UInt64(exactly: $0) }),
            let ids = dictionary?.value(for: "ids")?.array, ids.count <= 10_000, start >= UInt64(ids.count), start < 1 << 60
        else { throw HubError.badRequest("_revisions is not valid") }
        return try (0..<ids.count).map { index in
            guard let id = ids[index]?.string.flatMap({ RevisionID("\(start - UInt64(index))-\($0)") }) else {
                throw HubError.badRequest("_revisions is not valid")
            }
            return id
        }
    }

    /// - Throws: ``WebError`` 400 if a document cannot have an attachment of that name.
    static func checkAttachmentName(_ name: String, in root: DictionaryValue) throws(WebError) {
        guard OutgoingBody.refersToMissingBlob(name, in: root, sharedKeys: .empty) else { return }
        throw HubError.badRequest("The name \(name) is reserved: after blob_ must follow the path of a blob in the document")
    }

    private static func append(
        _ entries: DictionaryValue,
        _ stored: StoredRevision?,
        _ following: [ExactString: MultipartDocument.Content],
        _ blobs: BlobStore,
        _ uploaded: inout ReceivedContents,
        to writer: inout JSONWriter
    ) throws {
        writer.append(ascii: "{")
        var needsComma = false
        for (key, value) in entries.pairs {
            guard let name = key.text(.empty), let entry = value.dictionary else {
                throw HubError.badRequest("_attachments must contain objects")
            }
            if needsComma { writer.append(ascii: ",") }
            needsComma = true
            writer.append(name)
            writer.append(ascii: ":")
            var new = AttachmentEntry(entry, revpos: stored.map { $0.revision.generation + 1 } ?? 1)
            if let data = entry.value(for: "data")?.string {
                guard let content = Data(base64Encoded: data) else {
                    throw HubError.badRequest("The data of the attachment \(name) is not Base64")
                }
                (new.digest, new.length) = (try uploaded.add(content, blobs), UInt64(content.count))
                new.append(to: &writer)
            } else if let content = following[ExactString(name)] {
                try MultipartDocument.check(entry, content, name: name)
                (new.digest, new.length) = (content.digest, content.length)
                new.append(to: &writer)
            } else if entry.value(for: "digest") != nil {
                try writer.append(value)
            } else {
                guard var found = try stored?.attachment(name) else { throw WebError(412, "The attachment \(name) is missing") }
                found.contentType = new.contentType ?? found.contentType
                found.append(to: &writer)
            }
        }
        writer.append(ascii: "}")
    }

    /// Returns whether a request contains the content of an attachment.
    private static func hasContent(_ entry: Value) -> Bool {
        entry.dictionary.map { $0.value(for: "data") != nil || $0.value(for: "follows")?.boolean == true } ?? false
    }
}

/// An entry of `_attachments`, or a blob.
struct AttachmentEntry {
    /// The digest; `nil` if it is not known yet.
    var digest: BlobDigest?
    var length: UInt64 = 0
    var contentType: String?
    /// The coding of the content, such as `gzip`; `nil` if it is not encoded.
    var encoding: String?
    var revpos: UInt64

    /// Creates the entry of new content, with what a request says about it.
    init(_ entry: DictionaryValue? = nil, contentType: String? = nil, revpos: UInt64) {
        self.contentType = contentType ?? entry?.value(for: "content_type")?.string
        encoding = entry?.value(for: "encoding")?.string
        self.revpos = revpos
    }

    func append(to writer: inout JSONWriter) {
        writer.append(raw: #"{"digest":"#)
        writer.append(digest?.string ?? "")
        writer.append(raw: #","length":"#)
        writer.append(unsigned: length)
        for (name, value) in [("content_type", contentType), ("encoding", encoding)] {
            guard let value else { continue }
            writer.append(ascii: ",")
            writer.append(name)
            writer.append(ascii: ":")
            writer.append(value)
        }
        writer.append(raw: #","revpos":"#)
        writer.append(unsigned: revpos)
        writer.append(raw: #","stub":true}"#)
    }
}

extension StoredRevision {
    /// Returns the attachment of that name; blobs have the names that ``json(_:blobs:)`` shows. `nil` if there is none.
    func attachment(_ name: String) throws -> AttachmentEntry? {
        let data = try parsedJSON(OutgoingBody.jsonWithAttachments(body, keys, generation: revision.generation))
        return data.withRoot { root in
            guard let entry = root.dictionary?.value(for: OutgoingBody.attachmentsKey)?.dictionary?.value(for: name)?.dictionary,
                let digest = BlobDictionary.digest(in: entry, sharedKeys: .empty)
            else { return nil }
            let revpos = entry.value(for: "revpos")?.integerBits.flatMap { UInt64(exactly: $0) }
            var found = AttachmentEntry(entry, revpos: revpos ?? revision.generation)
            found.digest = digest
            found.length = entry.value(for: "length")?.integerBits.flatMap { UInt64(exactly: $0) } ?? 0
            return found
        } ?? nil
    }
}
#endif
