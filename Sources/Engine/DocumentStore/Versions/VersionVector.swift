/// The history of a revision: the latest version by every database that ever changed the document (Version vectors 2).
///
/// The first version names the revision itself. If the revision is a merge, the versions that were merged follow; then the latest versions
/// by all other databases.
package struct VersionVector: Hashable, Sendable {
    /// All versions: the current one, the merged ones, and the previous ones.
    package private(set) var versions: [Version]
    /// The number of the current and the merged versions; 0 only if there are no versions.
    package private(set) var currentCount: Int

    /// The maximum number of versions, and so of databases that have changed one document. It bounds what a peer can make this database store.
    package static let maximumCount = 10_000

    /// A vector without versions: that of a document which has no revision yet.
    package static let empty = VersionVector(existing: [], currentCount: 0)

    /// Creates the vector of a revision without history.
    package init(_ version: Version) { self.init(existing: [version], currentCount: 1) }

    /// Creates a vector that is known to be valid.
    init(existing versions: [Version], currentCount: Int) { (self.versions, self.currentCount) = (versions, currentCount) }

    /// Creates a vector.
    ///
    /// - Parameter currentCount: The number of the current and the merged versions, at least 1.
    /// - Throws: `tooMany`, `duplicateSource` or `currentNotNewer` (Version vectors 2.7, "Validity").
    init(checking versions: [Version], currentCount: Int) throws(VersionError) {
        self.init(existing: versions, currentCount: min(currentCount, versions.count))
        guard versions.count <= Self.maximumCount else { throw .tooMany(Self.maximumCount) }
        guard let current = versions.first, versions.count > 1 else { return }
        var seen: Set<SourceID> = [current.source]
        var hasOwnMerged = false
        for (index, version) in versions.enumerated().dropFirst() {
            if seen.insert(version.source).inserted { continue }
            // The database that merged may have made one of the merged versions too.
            guard version.source == current.source, index < currentCount, !hasOwnMerged else { throw .duplicateSource(version) }
            guard version.time < current.time else { throw .currentNotNewer(version) }
            hasOwnMerged = true
        }
    }

    /// Whether there are no versions.
    package var isEmpty: Bool { versions.isEmpty }

    /// The version of the revision; `nil` if the vector is empty.
    package var current: Version? { versions.first }

    /// The versions whose contents were merged into the revision; empty if it is not a merge.
    package var merged: ArraySlice<Version> { versions[..<currentCount].dropFirst() }

    /// The latest versions by other databases.
    package var previous: ArraySlice<Version> { versions[currentCount...] }

    /// The time of the latest version by a database; `nil` if there is none.
    package subscript(source: SourceID) -> UInt64? { versions.first { $0.source == source }?.time }

    /// Returns the vector with the ID of its database in place of ``SourceID/me``, as it is sent.
    package func absolute(_ own: SourceID) -> VersionVector {
        VersionVector(existing: versions.map { $0.absolute(own) }, currentCount: currentCount)
    }

    /// Returns a received vector with ``SourceID/me`` in place of the ID of the database that stores it.
    ///
    /// - Throws: `relative` if a version already names "me": that would be this database, although the peer means another.
    package func relative(to own: SourceID) throws(VersionError) -> VersionVector {
        if let version = versions.first(where: \.source.isMe) { throw .relative(version) }
        return VersionVector(existing: versions.map { $0.relative(to: own) }, currentCount: currentCount)
    }
}

/// The relation of one revision to another.
package enum RevisionOrder: Sendable {
    /// Both are the same revision.
    case same
    /// The first one is an ancestor of the other.
    case older
    /// The first one descends from the other.
    case newer
    /// They were made independently of each other.
    case conflicting
}

extension VersionVector {
    /// Returns the relation of this revision to another one (Version vectors 2.7, "Compare").
    ///
    /// Only the current versions matter: the other revision is an ancestor if this vector has a version by its database that is at least as
    /// late.
    package func compare(_ other: VersionVector) -> RevisionOrder {
        guard let mine = current else { return other.isEmpty ? .same : .older }
        guard let theirs = other.current else { return .newer }
        let order = compare(theirs)
        if order == .same { return .same }
        let knowsMine = other.compare(mine) != .older
        // If both or neither know the other's current version, they conflict.
        return (order == .newer) == knowsMine ? .conflicting : order
    }

    /// Returns whether a version is the current one (`same`), known (`newer`), or not known (`older`).
    func compare(_ version: Version) -> RevisionOrder {
        guard let time = self[version.source], time >= version.time else { return .older }
        return current == version ? .same : .newer
    }

    /// Returns whether both revisions are merges of the same versions. If their contents are equal too, they count as the same revision
    /// (Version vectors 2.7, "Same merge").
    package func isSameMerge(as other: VersionVector) -> Bool {
        currentCount > 1 && currentCount == other.currentCount && Set(merged) == Set(other.merged)
    }
}
