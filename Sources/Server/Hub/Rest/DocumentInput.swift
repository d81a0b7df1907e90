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
    /// The document in the form in which it is stored, and the blobs to which it refers.
    let content: IncomingBody
    /// The contents of attachments that the request contains.
    private(set) var uploaded = ReceivedContents()

    /// The properties beginning with an underscore that a document may have.
    private static let known = ["_id", "_rev", "_deleted", "_revisions", "_attachments", DocumentExpiration.key]

    /// - Parameters:
    ///   - root: The document.
    ///   - current: The stored revision, whose attachments may be meant by entries without a digest.
    ///   - file: The database in which the document will be stored.
    ///   - multipart: Has the contents of the attachments that follow the document; `nil` if there are none.
    init(
        _ root: DictionaryValue,
        over current: (String) throws -> StoredRevision?,
        id: String? = nil,
        in file: DatabaseFile,
        multipart: MultipartDocument? = nil
    ) throws {
        let given = try root.optional("_id", "a string") { $0.string }
        if let id, let given, !id.isExactly(given) { throw HubError.badRequest("_id is not the ID in the URL") }
        let documentID = id ?? given
        self.id = documentID
        revision = try root.optional("_rev", "a string") { $0.string }
        isDeleted = try root.optional("_deleted", "true or false") { $0.boolean } ?? false
        if let revisions = root.value(for: "_revisions") { history = try Self.history(revisions) }
        expiration = try DocumentExpiration(root)
        for (key, _) in root.pairs {
            guard let name = key.text(.empty), name.beginsExactly(with: "_"), !Self.known.contains(name) else { continue }
            throw HubError.badRequest("Top-level properties that begin with an underscore are not allowed: \(name)")
        }
        var uploaded = multipart?.uploaded ?? ReceivedContents()
        let following = try multipart?.contents(of: root.value(for: OutgoingBody.attachmentsKey)?.dictionary)
        let attachments = try root.value(for: OutgoingBody.attachmentsKey).map { value in
            guard let entries = value.dictionary else { throw HubError.badRequest("_attachments must be an object") }
            // A client may return the entry of a blob that it has removed; only content would be lost.
            for (key, entry) in entries.pairs where Self.hasContent(entry) {
                try Self.checkAttachmentName(key.text(.empty) ?? "", in: root)
            }
            return try Self.attachments(entries, try documentID.flatMap { try current($0) }, following ?? [:], file.blobs, &uploaded)
        }
        content = try Self.content(in: file) { encoder in
            for (key, value) in root.pairs {
                guard let name = key.text(.empty), !name.beginsExactly(with: "_") else { continue }
                encoder.writeKey(name)
                encoder.write(value, keys: .other(.empty))
            }
            if let attachments { encoder.write(attachments, keys: .empty) }
        }
        self.uploaded = uploaded
    }

    /// Creates the input for a body whose attachments were taken from stored content.
    init(_ content: IncomingBody, uploaded: ReceivedContents = ReceivedContents(), isDeleted: Bool = false) {
        (self.content, self.uploaded, self.isDeleted) = (content, uploaded, isDeleted)
    }

    /// The input that deletes a document.
    static var tombstone: DocumentInput { DocumentInput(.empty, isDeleted: true) }

    /// Returns the content with the properties that `write` writes.
    static func content(in file: DatabaseFile?, writing write: (inout Encoder) -> Void) throws -> IncomingBody {
        let content = try BodyReader(file: file).content { encoder in
            encoder.beginDictionary()
            write(&encoder)
            encoder.endDictionary()
        }
        guard case .body(let body) = content else { throw HubError.badRequest("The document is not valid") }
        return body
    }

    /// Parses `_revisions`: the generation of the newest revision, and the digests of all.
    private static func history(_ value: Value) throws -> [RevisionID] {
        let dictionary = value.dictionary
        guard let start = dictionary?.value(for: "start")?.integerBits.flatMap({ UInt64(exactly: $0) }),
            let ids = dictionary?.value(for: "ids")?.array, ids.count <= 10_000, start >= UInt64(ids.count), start < 1 << 60
        else { throw HubError.badRequest("_revisions is not valid") }
        return try (0..<ids.count).map { index in
            guard let id = ids[index]?.string.flatMap({ RevisionID(tree: "\(start - UInt64(index))-\($0)") }) else {
                throw HubError.badRequest("_revisions is not valid")
            }
            return id
        }
    }

    /// - Throws: ``WebError`` 400 if a document cannot have an attachment of that name.
    static func checkAttachmentName(_ name: String, in root: DictionaryValue, _ keys: SharedKeys = .empty) throws(WebError) {
        guard OutgoingBody.refersToMissingBlob(name, in: root, sharedKeys: keys) else { return }
        throw HubError.badRequest("The name \(name) is reserved: after blob_ must follow the path of a blob in the document")
    }

    /// Returns the entries of `_attachments` as they are stored: with digests in place of data.
    private static func attachments(
        _ entries: DictionaryValue,
        _ stored: StoredRevision?,
        _ following: [ExactString: MultipartDocument.Content],
        _ blobs: BlobStore,
        _ uploaded: inout ReceivedContents
    ) throws -> [AttachmentInput] {
        try entries.pairs.map { key, value in
            guard let name = key.text(.empty), let entry = value.dictionary else {
                throw HubError.badRequest("_attachments must contain objects")
            }
            var new = AttachmentEntry(entry, revpos: stored.map { $0.revision.generation + 1 } ?? 1)
            if let data = entry.value(for: "data")?.string {
                guard let content = Data(base64Encoded: data) else {
                    throw HubError.badRequest("The data of the attachment \(name) is not Base64")
                }
                (new.digest, new.length) = (try uploaded.add(content, blobs), UInt64(content.count))
                return .new(name, new)
            }
            if let content = following[ExactString(name)] {
                try MultipartDocument.check(entry, content, name: name)
                (new.digest, new.length) = (content.digest, content.length)
                return .new(name, new)
            }
            if entry.value(for: "digest") != nil { return .asGiven(name, value) }
            guard var found = try stored?.attachment(name) else { throw WebError(412, "The attachment \(name) is missing") }
            found.contentType = new.contentType ?? found.contentType
            return .new(name, found)
        }
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
}

extension AttachmentEntry {
    /// Creates the entry of new content, with what a request says about it.
    init(_ entry: DictionaryValue? = nil, contentType: String? = nil, revpos: UInt64) {
        self.contentType = contentType ?? entry?.value(for: "content_type")?.string
        encoding = entry?.value(for: "encoding")?.string
        self.revpos = revpos
    }

    func write(into encoder: inout Encoder) {
        encoder.beginDictionary()
        encoder.writeKey("digest")
        encoder.write(digest?.string ?? "")
        encoder.writeKey("length")
        encoder.write(unsigned: length)
        for (name, value) in [("content_type", contentType), ("encoding", encoding)] {
            guard let value else { continue }
            encoder.writeKey(name)
            encoder.write(value)
        }
        encoder.writeKey("revpos")
        encoder.write(unsigned: revpos)
        encoder.writeKey("stub")
        encoder.write(true)
        encoder.endDictionary()
    }
}

/// An entry of `_attachments` of a document that will be stored.
enum AttachmentInput {
    case new(String, AttachmentEntry)
    /// The entry of a client or of the stored document, which has the digest of stored content.
    case asGiven(String, Value)
}

extension Encoder {
    /// Writes `_attachments`.
    ///
    /// - Parameter keys: The shared keys of the entries that are written as given.
    mutating func write(_ attachments: [AttachmentInput], keys: SharedKeys) {
        writeKey(OutgoingBody.attachmentsKey)
        beginDictionary()
        for attachment in attachments {
            switch attachment {
            case .new(let name, let entry):
                writeKey(name)
                entry.write(into: &self)
            case .asGiven(let name, let value):
                writeKey(name)
                write(value, keys: .other(keys))
            }
        }
        endDictionary()
    }
}

extension StoredRevision {
    /// Returns the attachment of that name; blobs have the names that ``json(_:blobs:)`` shows. `nil` if there is none.
    func attachment(_ name: String) throws -> AttachmentEntry? {
        try body.withRoot { root in
            let attachments = try OutgoingAttachments(in: root, keys, generation: revision.generation)
            guard let entry = attachments.entries.last(where: { $0.name.isExactly(name) }),
                let digest = attachments.digest(of: entry)
            else { return nil }
            return AttachmentEntry(
                digest: digest,
                length: attachments.value(of: "length", in: entry)?.integerBits.flatMap { UInt64(exactly: $0) } ?? 0,
                contentType: attachments.value(of: "content_type", in: entry)?.string,
                encoding: attachments.value(of: "encoding", in: entry)?.string,
                revpos: attachments.revisionPosition(of: entry) ?? revision.generation
            )
        } ?? nil
    }
}
#endif
