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

    init(_ revisions: [Revision] = []) {
        self.revisions = revisions
    }

    /// The winning revision. The list must be sorted.
    var current: Revision? { revisions.first }

    /// Returns the index of the revision with the ID, or `nil` if there is none.
    func index(of id: RevisionID) -> Int? {
        revisions.firstIndex { $0.id == id }
    }

    /// Returns the revision at `index` and its ancestors, up to the root.
    func history(from index: Int) -> [Revision] {
        branch(from: index).map { revisions[$0] }
    }

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
    func isActive(_ index: Int) -> Bool {
        revisions[index].isLeaf && (!revisions[index].isDeleted || remotes.values.contains(index))
    }

    /// Whether there is more than one active leaf. The list must be sorted.
    var hasConflict: Bool { revisions.count > 1 && isActive(1) }

    /// Adds a revision as a child of the one at `parent`, or as a root, and returns its index. Does not sort the list.
    mutating func append(_ id: RevisionID, parent: Int?, flags: RevisionFlags, body: [UInt8]? = nil, sequence: UInt64 = 0) -> Int {
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
