extension KnownRevisions {
    /// The revisions of a tree that are kept when the document is changed: the current one and the latest ones known at remotes, as in 4.x (Version
    /// vectors 3.7), and those in conflict that no remote is known to have (Version vectors 5.2). All others are dropped.
    ///
    /// - Parameter sequence: The sequence of the document.
    init?(_ tree: RevisionTree, sequence: UInt64) {
        guard let first = tree.current else { return nil }
        self.init(current: KnownRevision(first), sequence: sequence)
        formerBranch = tree.history(from: 0).map(\.id)
        for (remote, index) in tree.remotes {
            var revision = KnownRevision(tree.revisions[index])
            if index > 0, tree.isActive(index) { revision.flags.insert(.conflicted) }
            remotes[remote] = revision
        }
        branches = tree.localBranches.map { index in
            var revision = KnownRevision(tree.revisions[index])
            revision.flags.insert(.conflicted)
            return revision
        }
    }

    /// Returns the text of the history of a revision, as it is shown and sent: its vector, then the known IDs in trees with the newest first
    /// (Version vectors 4.3).
    ///
    /// - Parameter own: The ID of this database in what is sent; `nil` leaves an asterisk for it.
    func historyText(of revision: KnownRevision, own: SourceID? = nil) -> String {
        let isCurrent = revision.lineage.id == current.lineage.id
        let trees = isCurrent ? TreeNames.decreasing(treeHistory()) : [revision.lineage.id.tree].compactMap { $0 }
        let legacy = trees.map(\.description).joined(separator: ", ")
        guard case .vector(let vector, _) = revision.lineage else { return legacy }
        let text = (own.map(vector.absolute) ?? vector).description
        guard !legacy.isEmpty else { return text }
        let separator = vector.versions.count == 1 ? "; " : text.hasSuffix(";") ? " " : ", "
        return text + separator + legacy
    }

    /// The known IDs in trees of the current revision or its ancestors, newest first.
    var legacyBranch: [TreeRevisionID] { legacyBranch(namedBy: nil) }

    /// The same with the ID by which clients with trees know the current revision.
    ///
    /// - Parameter own: The ID of the database, if its revisions have names for clients with trees.
    func legacyBranch(namedBy own: SourceID?) -> [TreeRevisionID] {
        var branch = own.map(treeIDs) ?? names?.ids ?? [current.lineage.id.tree].compactMap { $0 }
        if let legacy, branch.last.map({ $0.generation > legacy.generation }) ?? true { branch.append(legacy) }
        let known = remotes.values.filter { !$0.flags.contains(.conflicted) }.compactMap(\.lineage.id.tree)
        for id in known.sorted(by: >) where branch.last.map({ id.generation < $0.generation }) ?? true { branch.append(id) }
        return branch
    }

    /// The same with the last revision of a tree that has lost against one of the branch, which the branch cannot contain: the remote that has it
    /// takes only revisions that include it (Version vectors 5.3). It comes before one of the branch with the same generation.
    ///
    /// - Parameter own: The ID of the database, if its revisions have names for clients with trees.
    func treeHistory(namedBy own: SourceID? = nil) -> [TreeRevisionID] {
        var ids = legacyBranch(namedBy: own)
        guard let legacy, case .vector(let vector, _) = current.lineage,
            !RevisionAncestry(vector: vector, legacy: ids).contains(.tree(legacy))
        else { return ids }
        ids.insert(legacy, at: ids.firstIndex { $0.generation <= legacy.generation } ?? ids.endIndex)
        return ids
    }
}

extension KnownRevision {
    /// A revision of a tree.
    init(_ revision: Revision) {
        var flags: Flags = revision.isDeleted ? .deleted : []
        if revision.isConflict { flags.insert(.conflicted) }
        if revision.flags.contains(.hasAttachments) { flags.insert(.hasAttachments) }
        self.init(lineage: .tree(revision.id), flags: flags, body: revision.body)
    }
}

extension StoredRow {
    /// Returns the current revision and the latest ones known at remotes, in any form of the record.
    ///
    /// - Throws: `corruptDocument` if they cannot be decoded.
    func knownRevisions() throws(StoreError) -> KnownRevisions {
        switch try revisions() {
        case .known(let known): known
        case .tree(let tree): try knownRevisions(in: tree)
        }
    }

    /// Returns the same for the tree of the record.
    ///
    /// - Throws: `corruptDocument` if the tree is empty.
    func knownRevisions(in tree: RevisionTree) throws(StoreError) -> KnownRevisions {
        guard let known = KnownRevisions(tree, sequence: sequence) else {
            throw .corruptDocument(documentID: id, reason: RevisionTreeError.Reason.empty.rawValue)
        }
        return known
    }
}
