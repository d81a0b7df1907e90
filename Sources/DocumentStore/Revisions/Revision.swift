/// Properties of a revision as the tree stores them (Storage format 3.4).
struct RevisionFlags: OptionSet, Sendable {
    let rawValue: UInt8

    /// A tombstone.
    static let deleted = RevisionFlags(rawValue: 0x01)
    /// Has no children.
    static let leaf = RevisionFlags(rawValue: 0x02)
    /// Its body refers to blobs.
    static let hasAttachments = RevisionFlags(rawValue: 0x08)
    /// Its body is kept although it is no leaf: a delta's base, or the last one a server is known to have.
    static let keepBody = RevisionFlags(rawValue: 0x10)
    /// Lies on an unresolved conflicting branch.
    static let isConflict = RevisionFlags(rawValue: 0x20)
    /// A tombstone that ends a conflicting branch.
    static let closed = RevisionFlags(rawValue: 0x40)
    /// On disk only: a body follows.
    static let hasBody = RevisionFlags(rawValue: 0x80)

    /// The flags that have a meaning in memory and on disk.
    static let stored: RevisionFlags = [.deleted, .leaf, .hasAttachments, .keepBody, .isConflict, .closed]
}

/// One revision of a document.
struct Revision: Sendable {
    var id: RevisionID
    /// The index of the parent in the tree's list, if it has one.
    var parent: Int?
    var flags: RevisionFlags
    /// The number of the change that added it; 0 while that change is being made.
    var sequence: UInt64
    /// The Fleece body, if it is kept here. That of the current revision is kept in the record instead.
    var body: [UInt8]?

    var isLeaf: Bool { flags.contains(.leaf) }
    var isDeleted: Bool { flags.contains(.deleted) }
    var isConflict: Bool { flags.contains(.isConflict) }
}
