import Base
package import Fleece

/// The current revision of a document as it is stored.
package struct DocumentRecord: Sendable {
    /// The document ID, unique in the collection.
    package let id: String
    /// The number of the change that created this revision. Unique in the collection, starting at 1.
    package let sequence: UInt64
    /// The flags of the stored row (Storage format 3.3).
    package let flags: RecordFlags
    /// The ID of the current revision.
    package let revision: RevisionID
    /// The properties: a Fleece dictionary whose shared keys are numbered by ``sharedKeys``. Not validated.
    package let body: FleeceData
    /// The list of keys that was current when the body was read.
    package let sharedKeys: SharedKeys
    /// The time when the document expires, in milliseconds since 1970; `nil` if it does not expire.
    package let expiration: Int64?

    /// Whether the current revision is a tombstone.
    package var isDeleted: Bool { flags.contains(.deleted) }
}

extension DocumentRecord {
    /// Creates the record of a revision that is not the current one of its document, and so has no sequence.
    package init(_ id: String, _ revision: RevisionID, isDeleted: Bool, _ body: FleeceData, _ sharedKeys: SharedKeys) {
        (self.id, self.revision, self.body, self.sharedKeys) = (id, revision, body, sharedKeys)
        (sequence, flags, expiration) = (0, isDeleted ? .deleted : [], nil)
    }
}

/// The flags in the low sixteen bits of the column `flags` of a record (Storage format 3.3).
package struct RecordFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The current revision is a tombstone.
    package static let deleted = RecordFlags(rawValue: 0x01)
    /// There is more than one active leaf.
    package static let conflicted = RecordFlags(rawValue: 0x02)
    /// Some revision refers to blobs.
    package static let hasAttachments = RecordFlags(rawValue: 0x04)
    /// The current revision has been pushed to remote 1, but this is not yet recorded in the revision tree.
    package static let synced = RecordFlags(rawValue: 0x08)

    /// The flags derived from the revision tree. All other flags are preserved as found.
    static let known: RecordFlags = [.deleted, .conflicted, .hasAttachments, .synced]
}

/// The two layouts of a record's columns (Storage format 3.2).
package enum RecordLayout {
    /// Returns the Fleece body of the current revision from the content of the column `body`.
    ///
    /// In the layout of 3.x the column is the Fleece body itself. In the layout of 2.x the column holds the revision tree, whose first
    /// revision is the current one. A first byte other than zero identifies the layout of 3.x. An empty column reads as an empty
    /// dictionary.
    package static func currentBody(in column: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard column.count > 0 else { return emptyBody }
        if column[0] != 0 || !RevisionTree.isTree(column) { return column }
        return bodyOfFirstRevision(in: column) ?? emptyBody
    }

    /// Returns whether the column `body` holds a revision tree, as written by 2.x.
    package static func isTree(_ column: UnsafeRawBufferPointer) -> Bool {
        RevisionTree.isTree(column)
    }

    private static func bodyOfFirstRevision(in tree: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let end = tree.bigEndian32(at: 0)
        guard RevisionFlags(rawValue: tree[6]).contains(.hasBody) else { return nil }
        let sequenceStart = 8 + Int(tree[7])
        guard sequenceStart < end,
            let (_, size) = Varint.read64(tree.baseAddress! + sequenceStart, available: end - sequenceStart),
            sequenceStart + size < end
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: tree[(sequenceStart + size)..<end])
    }

    /// The body of a document without properties.
    private static var emptyBody: UnsafeRawBufferPointer { FleeceData.emptyDictionary.bytes }
}
