/// The revisions of one document (Storage format 3.1): branches from one or more roots to their leaves.
///
/// The list is in stored order: the current revision first, then the other leaves by precedence, then their ancestors.
struct RevisionTree: Sendable {
    var revisions: [Revision]
    /// For each remote database, the index of the latest revision known to be there.
    var remotes: [RemoteID: Int] = [:]
    /// Indexes of revisions that a server refused.
    var rejected: [Int] = []

    typealias RemoteID = UInt16

    init(_ revisions: [Revision] = []) {
        self.revisions = revisions
    }

    /// The revision that wins; the list must have been sorted.
    var current: Revision? { revisions.first }

    /// The index of the revision with the given name.
    func index(of id: RevisionID) -> Int? {
        revisions.firstIndex { $0.id == id }
    }

    /// The revision at `index` and its ancestors, up to the root.
    func history(from index: Int) -> [Revision] {
        branch(from: index).map { revisions[$0] }
    }

    /// The indexes of the revision at `start` and of its ancestors, up to the root.
    func branch(from start: Int) -> [Int] {
        var result: [Int] = []
        var next: Int? = start
        while let index = next, result.count < revisions.count {
            result.append(index)
            next = revisions[index].parent
        }
        return result
    }

    /// Whether a leaf counts when conflicts are looked for: live, or the latest on a remote (Storage format 3.7).
    func isActive(_ index: Int) -> Bool {
        revisions[index].isLeaf && (!revisions[index].isDeleted || remotes.values.contains(index))
    }

    /// Whether there is more than one active leaf. The list must have been sorted.
    var hasConflict: Bool { revisions.count > 1 && isActive(1) }

    /// Adds a revision on top of the one at `parent`, or as a root, and returns its index. The list is not sorted after it.
    mutating func append(_ id: RevisionID, parent: Int?, flags: RevisionFlags, body: [UInt8]? = nil, sequence: UInt64 = 0) -> Int {
        if let parent {
            revisions[parent].flags.remove(.leaf)
            // A server's refusal of the parent is settled by its successor.
            rejected.removeAll { $0 == parent }
        }
        revisions.append(Revision(id: id, parent: parent, flags: flags.union(.leaf), sequence: sequence, body: body))
        return revisions.count - 1
    }

    /// Drops the bodies that need not be kept: those of ancestors, unless they are marked (Storage format 3.8).
    mutating func dropBodiesOfAncestors() {
        for index in revisions.indices where !revisions[index].isLeaf && revisions[index].sequence != 0 {
            guard !revisions[index].flags.contains(.keepBody) else { continue }
            revisions[index].body = nil
            revisions[index].flags.remove(.hasAttachments)
        }
    }
}
