#if Replication
import DocumentStore
import Base
import Fleece
import Replication
import SyncCore
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
    /// The ancestors, newest first. Empty unless requested.
    var history: [RevisionID] = []
    /// The time at which the document is purged, in milliseconds since 1970; `nil` if it is not known, or the document does not expire.
    var expiration: Int64?

    /// The maximum size of the attachments in a document, in bytes. Their content is in memory, more than once.
    private static let maximumAttachmentData: UInt64 = 20 << 20

    /// Returns the JSON of the document with `_id`, `_rev`, and `_deleted` for a tombstone. Attachments and blobs are in `_attachments`.
    ///
    /// - Throws: ``WebError`` 413 if the content of attachments is requested that is too large together, 503 if too many of such documents are
    ///   encoded at the same time.
    func json(_ parts: Parts = Parts(), of keyspace: Keyspace) throws -> [UInt8] {
        let database = keyspace.database
        var memory = database.attachmentMemory.reservation()
        defer { withExtendedLifetime(memory) {} }
        let content = try OutgoingBody.jsonWithAttachments(body, keys, generation: revision.generation)
        let parsed = try parsedJSON(content)
        var writer = JSONWriter(capacity: content.count + 256)
        writer.append(raw: #"{"_id":"#)
        writer.append(documentID)
        writer.append(raw: #","_rev":"#)
        writer.append(revision.description)
        if isDeleted { writer.append(raw: #","_deleted":true"#) }
        if parts.hasExpiration, let expiration = try keyspace.expirationText(of: documentID) {
            writer.append(raw: #","_exp":"#)
            writer.append(expiration)
        }
        if parts.hasHistory { Self.append([revision] + history, parts, to: &writer) }
        try parts.appendTree(of: documentID, in: keyspace, to: &writer)
        if let root = parsed.root?.dictionary {
            let known = parts.knownGeneration([revision] + history)
            for (key, value) in root.pairs {
                guard let name = key.text(.empty), !["_id", "_rev", "_deleted", "_revisions"].contains(name) else { continue }
                writer.append(ascii: ",")
                writer.append(name)
                writer.append(ascii: ":")
                if parts.hasAttachmentData, name == OutgoingBody.attachmentsKey, let entries = value.dictionary {
                    try Self.append(entries, database, known: known, &memory, to: &writer)
                } else {
                    try writer.append(value)
                }
            }
        }
        withExtendedLifetime(parsed) {}
        writer.append(ascii: "}")
        return writer.byteArray
    }

    /// Appends `_revisions`.
    ///
    /// - Parameter branch: The revision and its ancestors.
    static func append(_ branch: [RevisionID], _ parts: Parts, to writer: inout JSONWriter) {
        guard let revision = branch.first else { return }
        // Sync Gateway counts the generations down from the newest one, so the list ends before a gap.
        var ids = [revision]
        for ancestor in branch.dropFirst() where ancestor.generation + UInt64(ids.count) == revision.generation { ids.append(ancestor) }
        writer.append(raw: #","_revisions":{"start":"#)
        writer.append(unsigned: revision.generation)
        writer.append(raw: #","ids":"#)
        writer.append(array: parts.trimmed(ids)) { id, writer in writer.append(id.digestText) }
        writer.append(ascii: "}")
    }

    /// - Parameters:
    ///   - known: The generation of the revision that the client has, whose attachments are not sent.
    ///   - memory: Grows by the memory that the contents take.
    private static func append(
        _ entries: DictionaryValue,
        _ database: HubDatabase,
        known: UInt64,
        _ memory: inout ReservedMemory,
        to writer: inout JSONWriter
    ) throws {
        writer.append(ascii: "{")
        var needsComma = false
        var rest = maximumAttachmentData
        for (key, value) in entries.pairs {
            guard let name = key.text(.empty), let entry = value.dictionary else { continue }
            if needsComma { writer.append(ascii: ",") }
            needsComma = true
            writer.append(name)
            writer.append(raw: ":{")
            for (key, value) in entry.pairs {
                guard let name = key.text(.empty), name != "stub", name != BlobDictionary.dataKey else { continue }
                writer.append(name)
                writer.append(ascii: ":")
                try writer.append(value)
                writer.append(ascii: ",")
            }
            let isKnown = known > 0 && entry.value(for: "revpos")?.integerBits.flatMap { UInt64(exactly: $0) }.map { $0 <= known } ?? false
            let digest = isKnown ? nil : BlobDictionary.digest(in: entry, sharedKeys: .empty)
            let content = try digest.flatMap { digest in
                try database.file.blobs.reader(of: digest).flatMap { reader in
                    guard reader.size <= rest else {
                        throw WebError(413, "The attachments are larger than 20 MiB together; request them one by one")
                    }
                    rest -= reader.size
                    let size = try reader.sizeInMemory()
                    guard memory.grow(by: size) else { throw WebError.tooManyLargeResponses }
                    return try reader.read(upTo: size)
                }
            }
            if let content {
                writer.append(raw: #""data":"#)
                content.withUnsafeBytes { writer.append(data: $0) }
            } else if entry.value(for: BlobDictionary.digestKey) == nil, let inline = entry.value(for: BlobDictionary.dataKey) {
                // The blob is in the body, and has no digest.
                writer.append(raw: #""data":"#)
                try writer.append(inline)
            } else {
                // Empty data would seem to be the content.
                writer.append(raw: #""stub":true"#)
            }
            writer.append(ascii: "}")
        }
        writer.append(ascii: "}")
    }
}

extension Keyspace {
    /// Returns the current revision of a document, including a tombstone; `nil` if the document does not exist.
    func current(_ documentID: String) throws -> StoredRevision? {
        guard let record = try store.document(documentID, includingDeleted: true) else { return nil }
        return StoredRevision(record, rule)
    }

    /// Returns a revision of a document whose body is still stored, or was replaced a short time ago.
    func revision(_ id: RevisionID, of documentID: String) throws -> StoredRevision? {
        guard let found = try store.revision(id, of: documentID) else { return try replacedRevision(id, of: documentID) }
        return StoredRevision(
            documentID: documentID,
            revision: id,
            isDeleted: found.isDeleted,
            body: found.body,
            keys: found.sharedKeys,
            rule: rule,
            history: found.history
        )
    }
}

extension StoredRevision {
    init(_ record: DocumentRecord, _ rule: ChannelRule) {
        self.init(
            documentID: record.id,
            revision: record.revision,
            isDeleted: record.isDeleted,
            body: record.body,
            keys: record.sharedKeys,
            rule: rule
        )
        expiration = record.expiration
    }

    var channels: [String] { rule.channels(of: body, keys) }
}
#endif
