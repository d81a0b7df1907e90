/// The flags in the low sixteen bits of the column `flags` of a record (Storage format 3.3).
package struct DocumentFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The current revision is a tombstone.
    package static let deleted = DocumentFlags(rawValue: 0x01)
    /// There is more than one active leaf.
    package static let conflicted = DocumentFlags(rawValue: 0x02)
    /// Some revision refers to blobs.
    package static let hasAttachments = DocumentFlags(rawValue: 0x04)
    /// The current revision has been pushed to remote 1, but this is not yet recorded in the revision tree.
    package static let synced = DocumentFlags(rawValue: 0x08)

    /// The flags derived from the revision tree. All other flags are preserved as found.
    static let known: DocumentFlags = [.deleted, .conflicted, .hasAttachments, .synced]
}
