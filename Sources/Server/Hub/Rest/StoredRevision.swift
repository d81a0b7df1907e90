#if Replication
import DocumentStore
import Base
import Fleece
import Replication
import WebServer

/// A revision of a document, as responses show it.
struct StoredRevision {
    let documentID: String
    let revision: RevisionID
    let isDeleted: Bool
    let body: FleeceData
    let keys: SharedKeys
    /// Where the channels of the document come from.
    let rule: ChannelRule
    /// The version of the current revision in a database with version vectors, as other databases know it.
    var version: Version?
    /// The time at which the document is purged, in milliseconds since 1970; `nil` if it is not known, or the document does not expire.
    var expiration: Int64?

    /// Appends the document with `_id`, `_rev`, and `_deleted` for a tombstone. Attachments and blobs are in `_attachments`. If an error is thrown,
    /// nothing is appended.
    ///
    /// - Throws: ``WebError`` 413 if the content of attachments is requested that is too large together, 503 if too many of such documents are
    ///   encoded at the same time.
    func append(_ parts: Parts = Parts(), of keyspace: Keyspace, to writer: inout JSONWriter) throws {
        let start = writer.count
        do {
            // What the contents of attachments take counts until they have been written.
            var memory = keyspace.database.attachmentMemory.reservation()
            defer { withExtendedLifetime(memory) {} }
            try writer.object { writer in
                writer.member("_id", documentID)
                writer.member("_rev", revision.description)
                if parts.hasVersion, let version { writer.member("_cv", version.description) }
                if isDeleted { writer.member("_deleted", true) }
                if parts.hasExpiration, let expiration = try keyspace.expirationText(of: documentID) { writer.member("_exp", expiration) }
                let branch = try parts.needsHistory ? keyspace.history(of: documentID, from: revision) ?? [revision] : [revision]
                if parts.hasHistory { Self.append(branch, parts, to: &writer) }
                try parts.appendTree(of: documentID, in: keyspace, to: &writer)
                try body.withRoot { try append($0, parts, branch, keyspace.database, &memory, to: &writer) }
            }
        } catch {
            writer.truncate(to: start)
            throw error
        }
    }

    /// Returns the document as ``append(_:of:to:)`` writes it.
    func json(_ parts: Parts = Parts(), of keyspace: Keyspace) throws -> [UInt8] {
        var writer = JSONWriter(capacity: 2 * body.bytes.count + 256)
        try append(parts, of: keyspace, to: &writer)
        return writer.byteArray
    }

    /// The names of the members that are not properties of the document.
    private static let ownNames = ["_id", "_rev", "_deleted", "_revisions"]

    /// Appends the properties of the document.
    ///
    /// - Parameter branch: The revision and its ancestors, newest first, as far as they are needed.
    private func append(
        _ root: Value,
        _ parts: Parts,
        _ branch: [RevisionID],
        _ database: HubDatabase,
        _ memory: inout ReservedMemory,
        to writer: inout JSONWriter
    ) throws {
        let attachments = try OutgoingAttachments(in: root, keys, generation: revision.generation)
        try writer.members(of: root, sharedKeys: keys) { name in
            guard name.first == UInt8(ascii: "_") else { return true }
            return !Self.ownNames.contains { name.elementsEqual($0.utf8) }
                && (attachments.entries.isEmpty || !OutgoingBody.isAttachmentsKey(name))
        }
        guard !attachments.entries.isEmpty else { return }
        let known = parts.knownGeneration(branch)
        var contents = AttachmentContents(blobs: database.file.blobs)
        try writer.object(OutgoingBody.attachmentsKey) { writer in
            for entry in attachments.entries {
                if parts.hasAttachmentData {
                    try contents.append(entry, of: attachments, known: known, &memory, to: &writer)
                } else {
                    try attachments.append(entry, to: &writer)
                }
            }
        }
    }

    /// Appends `_revisions`.
    ///
    /// - Parameter branch: The revision and its ancestors.
    static func append(_ branch: [RevisionID], _ parts: Parts, to writer: inout JSONWriter) {
        guard let revision = branch.first else { return }
        // Sync Gateway counts the generations down from the newest one, so the list ends before a gap.
        var ids = [revision]
        for ancestor in branch.dropFirst() where ancestor.generation + UInt64(ids.count) == revision.generation { ids.append(ancestor) }
        writer.object("_revisions") { writer in
            writer.member("start", revision.generation)
            writer.array("ids", parts.trimmed(ids)) { $0.append($1.digestText) }
        }
    }
}

/// The contents of the attachments of a document, in Base64 inside of its JSON.
private struct AttachmentContents {
    let blobs: BlobStore
    /// The number of bytes that the contents may still have. They are in memory, more than once.
    private var rest: UInt64 = 20 << 20

    init(blobs: BlobStore) { self.blobs = blobs }

    /// Appends an entry with its content, or as a stub.
    ///
    /// - Parameters:
    ///   - known: The generation of the revision that the client has, whose attachments are not sent.
    ///   - memory: Grows by the memory that the content takes.
    mutating func append(
        _ entry: OutgoingAttachments.Entry,
        of attachments: OutgoingAttachments,
        known: UInt64,
        _ memory: inout ReservedMemory,
        to writer: inout JSONWriter
    ) throws {
        guard entry.value.dictionary != nil else { return }
        try writer.object(entry.name) { writer in
            let excluded = entry.isBlob ? ["stub", "revpos", BlobDictionary.dataKey] : ["stub", BlobDictionary.dataKey]
            try attachments.appendMembers(of: entry, excluding: excluded, to: &writer)
            let position = attachments.revisionPosition(of: entry)
            if entry.isBlob { writer.member("revpos", position) }
            let isKnown = known > 0 && position.map { $0 <= known } ?? false
            if let content = try isKnown ? nil : attachments.digest(of: entry).flatMap({ try content($0, &memory) }) {
                writer.name("data")
                content.withUnsafeBytes { writer.append(data: $0) }
            } else if attachments.digest(of: entry) == nil, let inline = attachments.value(of: BlobDictionary.dataKey, in: entry) {
                // The blob is in the body, and has no digest.
                try writer.member("data", inline)
            } else {
                // Empty data would seem to be the content.
                writer.member("stub", true)
            }
        }
    }

    /// Reads a content; `nil` if it is not stored.
    private mutating func content(_ digest: BlobDigest, _ memory: inout ReservedMemory) throws -> [UInt8]? {
        guard let reader = try blobs.reader(of: digest) else { return nil }
        guard reader.size <= rest else { throw WebError(413, "The attachments are larger than 20 MiB together; request them one by one") }
        rest -= reader.size
        let size = try reader.sizeInMemory()
        guard memory.grow(by: size) else { throw WebError.tooManyLargeResponses }
        return try reader.read(upTo: size)
    }
}

extension Keyspace {
    /// Returns the current revision of a document, including a tombstone; `nil` if the document does not exist.
    func current(_ documentID: String) throws -> StoredRevision? {
        func read() throws -> StoredRevision? { try store.document(documentID, includingDeleted: true).map(stored) }
        return try replica.view.isTrees ? replica.withOneSnapshot(read) : read()
    }

    /// Returns a record that was read in a snapshot that has not ended.
    ///
    /// - Throws: `StoreError.corruptDocument` if the ID by which requests know the revision cannot be decoded.
    func stored(_ record: DocumentRecord) throws -> StoredRevision {
        var found = StoredRevision(record, rule, as: try replica.name(of: record))
        if case .version(let version) = record.revision, case .trees(let own) = try replica.view { found.version = version.absolute(own) }
        return found
    }

    /// Returns the IDs of a revision and its ancestors, newest first; `nil` if the document or the revision does not exist.
    func history(of documentID: String, from revision: RevisionID) throws -> [RevisionID]? {
        try store.history(of: documentID, from: revision, as: replica.view)
    }

    /// Returns all known revisions of a document, the current one first; `nil` if it does not exist.
    func revisions(of documentID: String) throws -> [RevisionInfo]? { try store.revisions(of: documentID, as: replica.view) }

    /// Returns the version of the current revision of a document as other databases know it; `nil` if it has none.
    func version(of documentID: String) throws -> Version? {
        guard case .trees(let own) = try replica.view, case .version(let version)? = try store.change(of: documentID, remote: nil)?.revision
        else { return nil }
        return version.absolute(own)
    }

    /// Returns a revision of a document whose body is still stored, or was replaced a short time ago.
    func revision(_ id: RevisionID, of documentID: String) throws -> StoredRevision? {
        guard let found = try replica.revision(id, of: documentID) else { return try replacedRevision(id, of: documentID) }
        return StoredRevision(
            documentID: documentID,
            revision: id,
            isDeleted: found.isDeleted,
            body: found.body,
            keys: found.sharedKeys,
            rule: rule
        )
    }
}

extension StoredRevision {
    /// - Parameter name: The ID by which requests know the revision.
    init(_ record: DocumentRecord, _ rule: ChannelRule, as name: RevisionID) {
        self.init(
            documentID: record.id,
            revision: name,
            isDeleted: record.isDeleted,
            body: record.body,
            keys: record.sharedKeys,
            rule: rule
        )
        expiration = record.expiration
    }

    var channels: [String] { rule.channels(of: body, keys) }
}

extension StoredRevision {
    /// Reads the ID of a revision in a request: that in a tree, or the version of this one; `nil` if it is not valid.
    func wanted(_ text: String) -> RevisionID? {
        if let id = RevisionID(tree: text) { return id }
        guard let version, case .version(let wanted)? = RevisionID(text), !wanted.source.isMe else { return nil }
        return wanted == version ? revision : .version(wanted)
    }
}
#endif
