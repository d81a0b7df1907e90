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
        case (.version, .tree(let id)):
            // A vector names only the last revision of the tree.
            guard let offered = id.version, let known = vector[.treeRevisions] else { return .older }
            return known >= offered.time ? .newer : .older
        case (.tree(let id), .version(let version)):
            guard version.isTreeRevision, let known = id.version else { return .older }
            return known.time > version.time ? .newer : .older
        case (.tree(let id), .tree(let offered)): return id.generation < offered.generation ? .older : .conflicting
        }
    }
}
