/// Changes of the revisions in a record with version vectors.
extension KnownRevisions {
    /// Makes another revision the current one. The ID of a replaced revision of a tree is kept as the last one of the tree, unless an earlier one
    /// is known, or the tree goes on (Version vectors 3.5).
    mutating func replaceCurrent(with revision: KnownRevision) {
        if legacy == nil, !revision.lineage.isTree, case .tree(let id) = current.lineage { legacy = id }
        current = revision
    }

    /// Records that a remote has a revision, whose body may be unknown (Version vectors 3.6, 6.4).
    ///
    /// - Returns: `false` if nothing changed: the remote is known to have it or a later one, or it is neither the current revision, nor an
    ///   ancestor of the current one, nor known at another remote.
    mutating func note(_ id: RevisionID, at remote: RevisionTree.RemoteID) -> Bool {
        let isOnBranch = current.lineage.id == id || isAncestor(id)
        guard var noted = revision(with: id) ?? (isOnBranch ? KnownRevision(lineage: Lineage(id), flags: [], body: nil) : nil)
        else { return false }
        if isOnBranch { noted.flags.remove(.conflicted) }
        // The acknowledgement of a push can arrive after that of the next push.
        if let known = remotes[remote] {
            guard known.lineage.id != id || known.flags != noted.flags else { return false }
            guard known.flags.contains(.conflicted) || !known.lineage.isNewer(than: noted.lineage) else { return false }
        }
        remotes[remote] = noted
        return true
    }

    /// Returns whether a revision is an ancestor of the current one.
    private func isAncestor(_ id: RevisionID) -> Bool {
        switch id {
        case .version(let version): current.lineage.vector.compare(version) != .older
        case .tree(let id): treeHistory().contains(id)
        }
    }

    /// Replaces the current revision and one in conflict with it, that of a remote, by the result of resolving the conflict. The conflict is
    /// resolved for all remotes with this revision (Version vectors 5.3).
    ///
    /// - Parameters:
    ///   - theirs: The revision of the remote.
    ///   - resolved: The result. It has only an ID in a tree if it is the revision of the remote.
    ///   - keepsTheirs: Whether the content is that of the remote.
    ///   - isLocalBranch: Whether no remote is known to have the other revision, so that remotes need the last one of the own branch.
    ///   - naming: How the result is named for clients with trees; `nil` if it is not.
    mutating func resolveConflict(
        with theirs: KnownRevision,
        as resolved: KnownRevision,
        keepsTheirs: Bool,
        isLocalBranch: Bool = false,
        _ naming: TreeNaming? = nil
    ) {
        let earlier = naming.map { treeIDs($0.own) } ?? []
        if !resolved.lineage.isTree {
            if !isLocalBranch, let id = theirs.lineage.id.tree {
                if !keepsTheirs { legacy = id }
            } else {
                legacy = legacy ?? current.lineage.id.tree
            }
        }
        current = resolved
        endConflict(with: theirs.lineage.id)
        name(after: earlier, naming)
    }

    /// Marks a revision as one that is not in conflict, at all remotes that have it.
    private mutating func endConflict(with id: RevisionID) {
        for (remote, revision) in remotes where revision.lineage.id == id { remotes[remote]?.flags.remove(.conflicted) }
        branches.removeAll { $0.lineage.id == id }
    }
}
