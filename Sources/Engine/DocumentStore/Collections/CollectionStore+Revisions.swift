/// The metadata of one revision of a document, for histories and listings.
package struct RevisionInfo: Sendable {
    /// The ID, which is unique in the document.
    package let id: RevisionID
    /// The revision from which this one was made; `nil` for the first one, and if it was pruned.
    package let parent: RevisionID?
    /// The sequence, or 0 if it is not known.
    package let sequence: UInt64
    /// Whether no other revision was made from this one.
    package let isLeaf: Bool
    /// Whether the revision is a tombstone.
    package let isDeleted: Bool
    /// Whether the revision is on a branch with an unresolved conflict.
    package let isConflict: Bool
    /// Whether the revision is a tombstone that ends a conflicting branch.
    package let isClosed: Bool
    /// Whether the body refers to blobs.
    package let hasAttachments: Bool
    /// Whether the body is still stored.
    package let hasBody: Bool
    /// The remote databases for which this is the latest known revision.
    package let remotes: [Int]
    /// Whether a server rejected the revision.
    package let isRejected: Bool
}

extension CollectionStore {
    /// Returns all known revisions of a document, the current one first, or `nil` if the document does not exist.
    ///
    /// - Parameter view: How the revisions of the database are shown.
    package func revisions(of documentID: String, as view: RevisionView = .stored) throws -> [RevisionInfo]? {
        try checkExists()
        return try file.read { context -> [RevisionInfo]? in
            switch try row(of: documentID, on: context)?.revisions() {
            case .tree(let tree): return tree.revisions.indices.map { RevisionInfo(tree, $0) }
            case .known(let known):
                if case .trees(let own) = view { return known.list(inTreeOf: own) }
                return known.list()
            case nil: return nil
            }
        }
    }

    /// Returns the IDs of a revision and its ancestors, newest first, or `nil` if the document or the revision does not exist.
    ///
    /// - Parameters:
    ///   - revision: The first revision; `nil` for the current one.
    ///   - view: How the revisions of the database are shown.
    package func history(
        of documentID: String,
        from revision: RevisionID? = nil,
        as view: RevisionView = .stored
    ) throws -> [RevisionID]? {
        try checkExists()
        return try file.read { context -> [RevisionID]? in
            switch try row(of: documentID, on: context)?.revisions() {
            case .tree(let tree):
                let index = revision.map { wanted in tree.revisions.firstIndex { .tree($0.id) == wanted } } ?? 0
                return index.map { tree.history(from: $0).map { .tree($0.id) } }
            case .known(let known):
                if case .trees(let own) = view {
                    let ids = known.treeIDs(own).map { RevisionID.tree($0) }
                    return (revision.map(ids.firstIndex(of:)) ?? 0).map { Array(ids[$0...]) }
                }
                let found = revision.map(known.revision(with:)) ?? known.current
                return found.map { [$0.lineage.id] + known.ancestors(of: $0) }
            case nil: return nil
            }
        }
    }
}

extension CollectionStore {
    /// Returns the history of a revision as text: the IDs of a branch of a tree, separated by commas, or a version vector with the known IDs in trees
    /// (Version vectors 4.3). The ID of the revision alone if it is not stored any more.
    package func historyText(of documentID: String, from revision: RevisionID) throws -> String {
        try checkExists()
        let own = try file.versionSource()
        return try file.read { context in
            switch try row(of: documentID, on: context)?.revisions() {
            case .tree(let tree):
                guard let index = tree.revisions.firstIndex(where: { .tree($0.id) == revision }) else { return revision.description }
                return tree.history(from: index).map(\.id.description).joined(separator: ",")
            case .known(let known):
                if let found = known.revision(with: revision) { return known.historyText(of: found, own: own) }
            case nil: break
            }
            return (own.map(revision.absolute) ?? revision).description
        }
    }
}

extension RevisionInfo {
    init(_ tree: RevisionTree, _ index: Int) {
        let revision = tree.revisions[index]
        id = .tree(revision.id)
        parent = revision.parent.map { .tree(tree.revisions[$0].id) }
        sequence = revision.sequence
        isLeaf = revision.isLeaf
        isDeleted = revision.isDeleted
        isConflict = revision.isConflict
        isClosed = revision.flags.contains(.closed)
        hasAttachments = revision.flags.contains(.hasAttachments)
        hasBody = revision.body != nil
        remotes = tree.remotes.filter { $0.value == index }.map { Int($0.key) }.sorted()
        isRejected = tree.rejected.contains(index)
    }
}

extension KnownRevisions {
    /// Returns the metadata of the current revision and its ancestors as clients with trees know them.
    fileprivate func list(inTreeOf own: SourceID) -> [RevisionInfo] {
        let ids = treeIDs(own).map { RevisionID.tree($0) }
        return ids.enumerated().map { index, id in
            RevisionInfo(
                id: id,
                parent: index + 1 < ids.count ? ids[index + 1] : nil,
                sequence: index == 0 ? sequence : 0,
                isLeaf: index == 0,
                isDeleted: index == 0 && current.flags.contains(.deleted),
                isConflict: false,
                isClosed: false,
                hasAttachments: index == 0 && current.flags.contains(.hasAttachments),
                hasBody: index == 0 && current.body != nil,
                remotes: [],
                isRejected: false
            )
        }
    }

    /// Returns the metadata of all revisions, the current one first. A revision known at several remotes is listed once.
    fileprivate func list() -> [RevisionInfo] {
        var numbers: [RevisionID: [Int]] = [:]
        for (remote, revision) in remotes { numbers[revision.lineage.id, default: []].append(Int(remote)) }
        var listed = [current]
        var seen: Set<RevisionID> = [current.lineage.id]
        for (_, revision) in remotes.sorted(by: { $0.key < $1.key }) {
            if seen.insert(revision.lineage.id).inserted { listed.append(revision) }
        }
        return listed.enumerated().map { index, revision in
            RevisionInfo(
                id: revision.lineage.id,
                parent: nil,
                sequence: index == 0 ? sequence : 0,
                isLeaf: index == 0 || revision.flags.contains(.conflicted),
                isDeleted: revision.flags.contains(.deleted),
                isConflict: revision.flags.contains(.conflicted),
                isClosed: false,
                hasAttachments: revision.flags.contains(.hasAttachments),
                hasBody: revision.body != nil,
                remotes: (numbers[revision.lineage.id] ?? []).sorted(),
                isRejected: false
            )
        }
    }
}
