/// What is known of the history of a revision that is compared with another one: its vector, if it has one, and the IDs of revisions in trees,
/// newest first (Version vectors 5.1).
struct RevisionAncestry {
    /// Empty if the revision has only an ID in a tree, which is the first of ``legacy`` then.
    let vector: VersionVector
    let legacy: [TreeRevisionID]
    /// The ID by which clients with trees know the revision, if it has a vector.
    var name: TreeRevisionID?

    /// The ID of the revision; `nil` if nothing is known.
    var id: RevisionID? { vector.current.map { .version($0) } ?? legacy.first.map { .tree($0) } }

    /// Returns whether another revision is this one or an ancestor of it. A version that stands for a revision of a tree counts as the ID in the
    /// tree.
    func contains(_ id: RevisionID) -> Bool {
        switch id {
        case .version(let version):
            vector.compare(version) != .older || version.isTreeRevision && legacy.contains { $0.version == version }
        case .tree(let id): legacy.contains(id) || id.version.map { vector.versions.contains($0) } ?? false
        }
    }

    /// Returns whether clients with trees know the revision by an ID, or by the version that stands for it.
    func isNamed(_ id: RevisionID) -> Bool { name.map { RevisionID.tree($0).isSame(as: id) } ?? false }

    /// Returns whether another revision with an ID is this one or an ancestor of it, or is known by its name to be one.
    private func includes(_ other: RevisionAncestry, _ id: RevisionID) -> Bool {
        contains(id) || other.name.map { contains(.tree($0)) } ?? false
    }

    /// Whether the revision is one of a tree: it has an ID there, or only versions that stand for such revisions.
    var isOfTree: Bool { vector.versions.allSatisfy(\.isTreeRevision) }

    /// The highest generation of a revision of a tree in the history; 0 if there is none.
    var treeGeneration: UInt64 { max(vector.treeGeneration, legacy.first?.generation ?? 0) }

    /// Returns whether nothing is known to be in both histories.
    func isIndependent(of other: RevisionAncestry) -> Bool {
        Set(vector.versions).isDisjoint(with: other.vector.versions) && Set(legacy).isDisjoint(with: other.legacy)
    }

    /// Returns whether two revisions with versions include each other. No history is like that. It comes about where two databases resolve the same
    /// conflict, and each keeps the revision that the other one does not (Version vectors 2.7, 5.2).
    func isCrossed(with other: RevisionAncestry) -> Bool {
        guard let mine = vector.current, let theirs = other.vector.current else { return false }
        return includes(other, .version(theirs)) && other.includes(self, .version(mine))
    }

    /// Returns the relation of this revision to another one (Version vectors 5.1, "Rule of this library").
    ///
    /// The one that contains the other is newer. If both or neither do, they are in conflict, unless they are the same.
    func compare(_ other: RevisionAncestry) -> RevisionOrder {
        guard let mine = id else { return other.id == nil ? .same : .older }
        guard let theirs = other.id else { return .newer }
        if mine.isSame(as: theirs) || other.isNamed(mine) { return .same }
        // It is the same revision, but the version takes the place of the ID in the tree, so that later versions include it.
        if isNamed(theirs) { return .newer }
        return switch (includes(other, theirs), other.includes(self, mine)) {
        case (true, false): .newer
        case (false, true): .older
        default: .conflicting
        }
    }
}

extension StoredRow {
    /// What is known of the history of the current revision.
    ///
    /// - Parameter own: The ID of the database, if its revisions have names for clients with trees.
    /// - Throws: `corruptDocument` if the revisions cannot be decoded.
    func ancestry(namedBy own: SourceID? = nil) throws(StoreError) -> RevisionAncestry {
        switch try revisions() {
        case .tree(let tree): RevisionAncestry(vector: .empty, legacy: tree.history(from: 0).map(\.id))
        case .known(let known):
            RevisionAncestry(
                vector: lineage.vector,
                legacy: known.treeHistory(namedBy: own),
                name: lineage.isTree ? nil : own.flatMap { known.treeIDs($0).first }
            )
        }
    }
}

extension Lineage {
    /// Returns the lineage of a revision that replaces another one, with the versions of that one. A revision that is known only by the name of
    /// the other one to be later does not have them, and neither do the next revisions of the database that has made it.
    ///
    /// - Throws: `corruptDocument` if the versions do not make a vector.
    func including(_ replaced: RevisionAncestry, of documentID: String) throws(StoreError) -> Lineage {
        guard replaced.name != nil, case .vector(let vector, let current) = self,
            replaced.vector.versions.contains(where: { vector.compare($0) == .older })
        else { return self }
        let merged = try StoreError.checking(documentID) { () throws(VersionError) in try vector.trivialMerge(over: replaced.vector) }
        return .vector(merged, current: merged.current ?? current)
    }
}
