import Fleece

/// The revisions of a document, in any form of its record.
enum StoredRevisions {
    /// The record has a revision tree.
    case tree(RevisionTree)
    /// The record was written by 4.x.
    case known(KnownRevisions)

    /// The bodies of all revisions that are stored with one.
    var bodies: [[UInt8]] {
        switch self {
        case .tree(let tree): tree.revisions.compactMap(\.body)
        case .known(let known): ([known.current] + known.remotes.values).compactMap(\.body)
        }
    }
}

/// The current revision of a document, or the latest one known at a remote.
struct KnownRevision {
    var lineage: Lineage
    var flags: Flags
    /// The properties; `nil` if they are not stored, because only the ID of the revision is known.
    var body: [UInt8]?

    /// The flags of a revision known at a remote (Version vectors 3.4).
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// A tombstone.
        static let deleted = Flags(rawValue: 1)
        /// The revision is in conflict with the current one.
        static let conflicted = Flags(rawValue: 2)
        /// The body refers to blobs.
        static let hasAttachments = Flags(rawValue: 4)
    }
}

/// The revisions of a document in a record that 4.x has written: the current one, and the latest ones known at remotes (Version vectors 3.2).
struct KnownRevisions {
    var current: KnownRevision
    /// The latest revision known at each remote.
    var remotes: [RevisionTree.RemoteID: KnownRevision] = [:]
    /// The last revision of the document when it had a tree, or the last one of a tree that was resolved (Version vectors 3.5).
    var legacy: TreeRevisionID?
    /// The names of the current revision and its ancestors for clients with revision trees; `nil` if none are stored.
    var names: TreeNames?
    /// The branch of the current revision in the tree of the record, newest first; empty if the record had none. It is not stored.
    var formerBranch: [TreeRevisionID] = []
    /// The revisions in the tree of the record that are in conflict with the current one, and that no remote is known to have; empty if the record
    /// had none. A record without a tree holds them as the revisions of remotes that do not exist (Version vectors 5.2).
    var branches: [KnownRevision] = []
    /// The sequence of the document.
    let sequence: UInt64

    /// The revisions in conflict with the current one, in the order of the numbers of their remotes; then those that are only in the tree.
    var conflicts: [KnownRevision] {
        remotes.sorted { $0.key < $1.key }.map(\.value).filter { $0.flags.contains(.conflicted) } + branches
    }

    /// The first of the revisions in conflict with the current one; `nil` if there is none.
    var conflicting: KnownRevision? { conflicts.first }

    /// Returns the revision with an ID; `nil` if it is not stored.
    func revision(with id: RevisionID) -> KnownRevision? {
        if current.lineage.id == id { return current }
        return remotes.sorted { $0.key < $1.key }.first { $0.value.lineage.id == id }?.value
    }

    /// Returns the IDs of the known ancestors of a revision, newest first: versions, then the IDs in trees that are known of the current revision,
    /// whose generations decrease (Version vectors 4.3).
    ///
    /// - Parameter own: The ID of the database, if its revisions have names for clients with trees.
    func ancestors(of revision: KnownRevision, namedBy own: SourceID? = nil) -> [RevisionID] {
        guard revision.lineage.id == current.lineage.id else { return revision.lineage.ancestors }
        let trees = TreeNames.decreasing(treeHistory(namedBy: own)).map { RevisionID.tree($0) }
        return revision.lineage.ancestors + trees.drop { $0 == current.lineage.id }
    }
}
