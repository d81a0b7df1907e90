/// What the column `flags` of a record says, in its low sixteen bits (Storage format 3.3).
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
    /// The current revision has been pushed to remote 1; the tree has yet to be told.
    package static let synced = DocumentFlags(rawValue: 0x08)

    /// Those that follow from the tree. Others are left as they are found.
    static let known: DocumentFlags = [.deleted, .conflicted, .hasAttachments, .synced]
}
