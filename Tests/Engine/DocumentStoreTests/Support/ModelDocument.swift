import DocumentStore

/// A document according to the rules (Replication 4.6, Storage format 3.7), with revision IDs only. The trees, rows and tables of the
/// store are compared with it.
struct ModelDocument {
    struct Revision {
        var parent: RevisionID?
        var isDeleted = false
        var isConflict = false
        /// Nil for an ancestor that was never stored.
        var json: String?
    }

    private(set) var revisions: [RevisionID: Revision] = [:]
    /// The revision that the remote is known to have.
    private(set) var remote: RevisionID?

    // MARK: State

    /// The leaves by precedence.
    var leaves: [RevisionID] {
        let parents = Set(revisions.values.compactMap(\.parent))
        return revisions.keys.filter { !parents.contains($0) }.sorted { left, right in
            guard let first = revisions[left], let second = revisions[right] else { return false }
            if first.isConflict != second.isConflict { return second.isConflict }
            if first.isDeleted != second.isDeleted { return second.isDeleted }
            return left > right
        }
    }

    var current: RevisionID? { leaves.first }

    var isConflicted: Bool {
        leaves.dropFirst().first.map { revisions[$0]?.isDeleted == false || $0 == remote } ?? false
    }

    /// The revision and its ancestors, newest first.
    func history(of revision: RevisionID) -> [RevisionID] {
        var result = [revision]
        while let parent = result.last.flatMap({ revisions[$0]?.parent }) { result.append(parent) }
        return result
    }

    // MARK: Events

    mutating func save(_ revision: RevisionID, _ json: String, isDeleted: Bool) {
        revisions[revision] = Revision(parent: current, isDeleted: isDeleted, json: json)
        settle()
    }

    /// Returns false if the event changes nothing.
    mutating func note(_ revision: RevisionID) -> Bool {
        let old = remote
        if let old, history(of: old).contains(revision) { return false }
        remote = revision
        // The remote has the local revision, so its conflicting branch is removed.
        if let old, let current, leaves.contains(old), revisions[old]?.isConflict == true,
            history(of: current).contains(revision)
        {
            purge(old)
            settle()
        }
        return true
    }

    enum ReceiveOutcome: Equatable {
        case inserted(isConflict: Bool)
        case known, late
    }

    mutating func receive(_ history: [RevisionID], _ json: String, isDeleted: Bool) -> ReceiveOutcome {
        let newest = history[0]
        if revisions[newest] != nil {
            let isLate = newest != remote && !note(newest)
            return isLate ? .late : .known
        }
        let before = (current: current, remote: remote)
        let common = history.first { revisions[$0] != nil }
        let startsBranch =
            common.map { !leaves.contains($0) || revisions[$0]?.isConflict == true } ?? !revisions.isEmpty
        let missing = history.prefix { $0 != common }
        for (revision, parent) in zip(missing, history.dropFirst().map(Optional.some) + [nil]) {
            revisions[revision] = Revision(parent: parent, isConflict: startsBranch)
        }
        revisions[newest]?.json = json
        revisions[newest]?.isDeleted = isDeleted
        remote = newest
        if let old = before.remote, leaves.contains(old), !self.history(of: newest).contains(old) {
            if revisions[old]?.isConflict == true {
                purge(old)
            } else if old == before.current {
                purge(old)
                clearConflict(newest)
            }
        }
        settle()
        if startsBranch { moveInactiveLeavesLast() }
        return .inserted(isConflict: newest != current && revisions[newest]?.isConflict == true && isConflicted)
    }

    /// The remote branch wins; a revision may be added to it.
    mutating func resolve(local: RevisionID, remote: RevisionID, result: (RevisionID, String, isDeleted: Bool)?) {
        clearConflict(local)
        clearConflict(remote)
        purge(local)
        if let (revision, json, isDeleted) = result {
            revisions[revision] = Revision(parent: remote, isDeleted: isDeleted, json: json)
        }
        settle()
    }

    // MARK: Rules

    private mutating func purge(_ leaf: RevisionID) {
        var next: RevisionID? = leaf
        while let revision = next, !revisions.values.contains(where: { $0.parent == revision }) {
            next = revisions.removeValue(forKey: revision)?.parent
        }
        if let remote, revisions[remote] == nil { self.remote = nil }
    }

    private mutating func clearConflict(_ leaf: RevisionID) {
        for revision in history(of: leaf) { revisions[revision]?.isConflict = false }
    }

    /// Older tombstones must not come before a conflict.
    private mutating func moveInactiveLeavesLast() {
        let kept = Set(current.map { history(of: $0) } ?? [])
        let hidden = leaves.dropFirst().filter { revisions[$0]?.isDeleted == true && $0 != remote }
        for leaf in hidden where revisions[leaf]?.isConflict == false {
            for revision in history(of: leaf) where !kept.contains(revision) { revisions[revision]?.isConflict = true }
        }
        settle()
    }

    /// If all leaves are conflicts, the first becomes an ordinary branch.
    private mutating func settle() {
        if let current, revisions[current]?.isConflict == true { clearConflict(current) }
    }
}

/// A document on a server with many writers and one current revision.
struct ModelServerDocument {
    private(set) var parents: [RevisionID: RevisionID?] = [:]
    private(set) var contents: [RevisionID: (json: String, isDeleted: Bool)] = [:]
    private(set) var current: RevisionID?

    func history(of revision: RevisionID) -> [RevisionID] {
        var result = [revision]
        while let parent = result.last.flatMap({ parents[$0] ?? nil }) { result.append(parent) }
        return result
    }

    /// Adds a child of a revision, which becomes the current one.
    mutating func change(_ revision: RevisionID, on parent: RevisionID?, _ json: String, isDeleted: Bool) {
        parents[revision] = .some(parent)
        contents[revision] = (json, isDeleted)
        current = revision
    }

    /// Stores a pushed revision.
    mutating func adopt(_ history: [RevisionID], _ json: String, isDeleted: Bool) {
        for (revision, parent) in zip(history, history.dropFirst().map(Optional.some) + [nil])
        where parents[revision] == nil {
            parents[revision] = .some(parent)
        }
        contents[history[0]] = (json, isDeleted)
        current = history[0]
    }
}
