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
    var id: TreeRevisionID
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

/// The revisions of one document (Storage format 3.1): branches from one or more roots to their leaves.
///
/// The list has the stored order: the current revision first, then the other leaves by precedence, then the ancestors.
struct RevisionTree: Sendable {
    var revisions: [Revision]
    /// The index of the latest revision known at each remote database.
    var remotes: [RemoteID: Int] = [:]
    /// The indexes of revisions that a server rejected.
    var rejected: [Int] = []

    typealias RemoteID = UInt16

    init(_ revisions: [Revision] = []) { self.revisions = revisions }

    /// The winning revision. The list must be sorted.
    var current: Revision? { revisions.first }

    /// Returns the index of the revision with the ID, or `nil` if there is none.
    func index(of id: TreeRevisionID) -> Int? { revisions.firstIndex { $0.id == id } }

    /// Returns the revision at `index` and its ancestors, up to the root.
    func history(from index: Int) -> [Revision] { branch(from: index).map { revisions[$0] } }

    /// Returns the indexes of the revision at `start` and of its ancestors, up to the root.
    func branch(from start: Int) -> [Int] {
        var result: [Int] = []
        var next: Int? = start
        while let index = next, result.count < revisions.count {
            result.append(index)
            next = revisions[index].parent
        }
        return result
    }

    /// Returns whether a revision is an active leaf, which counts for conflicts: live, or the latest on a remote (Storage format 3.7).
    func isActive(_ index: Int) -> Bool { revisions[index].isLeaf && (!revisions[index].isDeleted || remotes.values.contains(index)) }

    /// Whether there is more than one active leaf. The list must be sorted.
    var hasConflict: Bool { revisions.count > 1 && isActive(1) }

    /// The leaves that the current revision is in conflict with, and that no remote is known to have. The list must be sorted.
    var localBranches: [Int] {
        guard hasConflict else { return [] }
        let known = Set(remotes.values)
        return revisions.indices.dropFirst().filter { isActive($0) && !known.contains($0) }
    }

    /// Adds a revision as a child of the one at `parent`, or as a root, and returns its index. Does not sort the list.
    mutating func append(_ id: TreeRevisionID, parent: Int?, flags: RevisionFlags, body: [UInt8]? = nil, sequence: UInt64 = 0) -> Int {
        if let parent {
            revisions[parent].flags.remove(.leaf)
            // The rejection of the parent is obsolete when it has a child.
            rejected.removeAll { $0 == parent }
        }
        revisions.append(Revision(id: id, parent: parent, flags: flags.union(.leaf), sequence: sequence, body: body))
        return revisions.count - 1
    }

    /// Removes the bodies that need not be kept: those of ancestors, unless they are marked (Storage format 3.8).
    mutating func dropBodiesOfAncestors() {
        for index in revisions.indices where !revisions[index].isLeaf && revisions[index].sequence != 0 {
            guard !revisions[index].flags.contains(.keepBody) else { continue }
            revisions[index].body = nil
            revisions[index].flags.remove(.hasAttachments)
        }
    }
}

extension RevisionTree {
    /// Returns whether one revision is an ancestor of the other, or the same revision.
    func isAncestor(_ ancestor: Int, of index: Int) -> Bool { branch(from: index).contains(ancestor) }

    /// Records that a revision is the latest one on a remote, and keeps its body as the base of deltas and merges (Replication 4.4).
    mutating func setRemoteAncestor(_ index: Int, of remote: RemoteID) {
        remotes[remote] = index
        if revisions[index].body != nil { keepBodyOnly(of: index) }
    }

    /// Records that a remote has a revision. Returns `false` if nothing changed, because the revision is the known latest one of the remote
    /// or an ancestor of it. (The acknowledgement of a push can arrive after that of the next push.)
    ///
    /// If a local revision has replaced a conflicting one on the remote, the conflict is resolved: the conflicting branch is removed, and
    /// the list is sorted.
    mutating func noteRemoteAncestor(_ index: Int, of remote: RemoteID) -> Bool {
        let known = remotes[remote]
        if let known, isAncestor(index, of: known) { return false }
        setRemoteAncestor(index, of: remote)
        if let known, revisions[known].isLeaf, revisions[known].isConflict, isAncestor(index, of: 0),
            !remotes.values.contains(known)
        {
            purge(leaf: known)
        }
        return true
    }
}
