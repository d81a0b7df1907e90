/// What is known of the history of a revision that is compared with another one: its vector, if it has one, and the IDs of revisions in trees,
/// newest first (Version vectors 5.1).
struct RevisionAncestry {
    /// Empty if the revision has only an ID in a tree, which is the first of ``legacy`` then.
    let vector: VersionVector
    let legacy: [TreeRevisionID]

    /// The ID of the revision; `nil` if nothing is known.
    private var id: RevisionID? { vector.current.map { .version($0) } ?? legacy.first.map { .tree($0) } }

    /// Returns whether another revision is this one or an ancestor of it. A version that stands for a revision of a tree counts as the ID in the
    /// tree.
    private func contains(_ id: RevisionID) -> Bool {
        switch id {
        case .version(let version):
            vector.compare(version) != .older || version.isTreeRevision && legacy.contains { $0.version == version }
        case .tree(let id): legacy.contains(id) || id.version.map { vector.versions.contains($0) } ?? false
        }
    }

    /// Returns the relation of this revision to another one (Version vectors 5.1, "Rule of this library").
    ///
    /// The one that contains the other is newer. If both or neither do, they are in conflict, unless they are the same.
    func compare(_ other: RevisionAncestry) -> RevisionOrder {
        guard let mine = id else { return other.id == nil ? .same : .older }
        guard let theirs = other.id else { return .newer }
        if mine.isSame(as: theirs) { return .same }
        return switch (contains(theirs), other.contains(mine)) {
        case (true, false): .newer
        case (false, true): .older
        default: .conflicting
        }
    }
}

/// The comparison of a stored revision with an offered one, of whose history often nothing is known (Version vectors 6.4).
extension RevisionAncestry {
    /// Returns the relation of this revision, the stored one, to an offered one. A revision of a tree is older than any version, unless the
    /// version stands for one of a tree.
    func compare(_ offer: OfferedRevision) -> RevisionOrder {
        guard let mine = id else { return .older }
        if mine.isSame(as: offer.revision) { return .same }
        let hasOffered = contains(offer.revision)
        let isInOffered = RevisionAncestry(vector: offer.vector, legacy: []).contains(mine)
        if hasOffered != isInOffered { return hasOffered ? .newer : .older }
        if hasOffered { return .conflicting }
        switch (mine, offer.revision) {
        case (.version, .version): return .conflicting
        case (.version(let version), .tree(let id)):
            guard let offered = id.version else { return .older }
            // A revision of a tree that a vector includes is known, whatever its branch was.
            if let known = vector[.treeRevisions], known >= offered.time { return .newer }
            return version.isTreeRevision && offered.time <= version.time ? .newer : .older
        case (.tree(let id), .version(let version)):
            guard version.isTreeRevision, let known = id.version else { return .older }
            return known.time > version.time ? .newer : .older
        case (.tree(let id), .tree(let offered)): return id.generation < offered.generation ? .older : .conflicting
        }
    }
}

extension StoredRow {
    /// What is known of the history of the current revision.
    ///
    /// - Throws: `corruptDocument` if the revisions cannot be decoded.
    func ancestry() throws(StoreError) -> RevisionAncestry {
        switch try revisions() {
        case .tree(let tree): RevisionAncestry(vector: .empty, legacy: tree.history(from: 0).map(\.id))
        case .known(let known): RevisionAncestry(vector: lineage.vector, legacy: known.legacyBranch)
        }
    }
}
