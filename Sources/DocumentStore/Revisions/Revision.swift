/// The properties of a revision as stored in the tree (Storage format 3.4).
struct RevisionFlags: OptionSet, Sendable {
    let rawValue: UInt8

    /// A tombstone.
    static let deleted = RevisionFlags(rawValue: 0x01)
    /// Has no children.
    static let leaf = RevisionFlags(rawValue: 0x02)
    /// Its body refers to blobs.
    static let hasAttachments = RevisionFlags(rawValue: 0x08)
    /// The body is kept although the revision is not a leaf, as the base of a delta, or because it is the latest one known at a server.
    static let keepBody = RevisionFlags(rawValue: 0x10)
    /// The revision is on a branch with an unresolved conflict.
    static let isConflict = RevisionFlags(rawValue: 0x20)
    /// A tombstone that ends a conflicting branch.
    static let closed = RevisionFlags(rawValue: 0x40)
    /// A body follows. Used only in the stored form.
    static let hasBody = RevisionFlags(rawValue: 0x80)

    /// The flags that have a meaning in memory and on disk.
    static let stored: RevisionFlags = [.deleted, .leaf, .hasAttachments, .keepBody, .isConflict, .closed]
}

/// One revision of a document.
struct Revision: Sendable {
    var id: RevisionID
    /// The index of the parent in the tree's list; `nil` for a root.
    var parent: Int?
    var flags: RevisionFlags
    /// The sequence of the change that added the revision; 0 if it belongs to the current change.
    var sequence: UInt64
    /// The Fleece body, if it is kept in the tree. The body of the current revision is in the record instead.
    var body: [UInt8]?

    var isLeaf: Bool { flags.contains(.leaf) }
    var isDeleted: Bool { flags.contains(.deleted) }
    var isConflict: Bool { flags.contains(.isConflict) }
}
