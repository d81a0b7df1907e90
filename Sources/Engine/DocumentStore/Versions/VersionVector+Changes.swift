/// The vectors of new revisions (Version vectors 2.7). A vector with more versions than the maximum loses the oldest previous ones, so that documents
/// can be changed and conflicts resolved whatever peers have sent. A database that made one of these may then find a conflict.
extension VersionVector {
    /// Returns the vector of a revision that was made from this one; this vector itself if it is by the same database and the same time.
    ///
    /// - Throws: `olderThanKnown` if this vector has a later version by the same database.
    package func adding(_ version: Version) throws(VersionError) -> VersionVector {
        if let known = self[version.source] {
            guard known <= version.time else { throw .olderThanKnown(version) }
            if known == version.time { return self }
        }
        // In a merge, the database that merged can occur twice: only its latest version is kept.
        let current = current?.source
        let others = versions.enumerated().filter { index, other in
            other.source != version.source && (index == 0 || other.source != current)
        }
        return try Self.vector([version], previous: others.map(\.element))
    }

    /// Returns the vector of a revision with new content that replaces this one and a conflicting one.
    ///
    /// As in the original, the merged versions are the current ones, also if one vector knows a later version by the database of the other's
    /// current one.
    ///
    /// - Parameter time: The time of the new revision, which is later than all versions by this database.
    /// - Throws: `sameAuthor` if the current versions of both are by the same database; `olderThanKnown` if the time is not later.
    package func merging(_ other: VersionVector, at time: UInt64) throws(VersionError) -> VersionVector {
        let version = Version(existing: time, .me)
        guard let mine = current else { return try other.adding(version) }
        guard let theirs = other.current else { return try adding(version) }
        guard mine.source != theirs.source else { throw .sameAuthor(mine.source) }
        guard time > max(self[.me] ?? 0, other[.me] ?? 0) else { throw .olderThanKnown(version) }
        let merged = [mine, theirs].sorted(by: Version.isNewer)
        var times = latestTimes(and: other)
        for source in [.me, mine.source, theirs.source] { times[source] = nil }
        return try Self.vector([version] + merged, previous: Self.newestFirst(times))
    }

    /// Returns the vector of this revision after it has won over a conflicting one, whose content is discarded.
    package func trivialMerge(over loser: VersionVector) throws(VersionError) -> VersionVector {
        guard let current else { return loser }
        var times = latestTimes(and: loser)
        let keepsMerged = versions[..<currentCount].allSatisfy { loser[$0.source] ?? 0 <= (self[$0.source] ?? 0) }
        let kept = keepsMerged ? merged : []
        let first = Version(existing: times.removeValue(forKey: current.source) ?? current.time, current.source)
        for version in kept { times[version.source] = nil }
        return try Self.vector([first] + kept, previous: Self.newestFirst(times))
    }

    /// Returns a vector of the current version, which those that it merges follow, and of previous versions.
    private static func vector(_ current: [Version], previous: [Version]) throws(VersionError) -> VersionVector {
        let room = max(0, maximumCount - current.count)
        guard previous.count > room else { return try VersionVector(checking: current + previous, currentCount: current.count) }
        let newest = Set(previous.sorted(by: Version.isNewer).prefix(room))
        return try VersionVector(checking: current + previous.filter(newest.contains), currentCount: current.count)
    }

    /// Returns the latest time of every database in either vector.
    private func latestTimes(and other: VersionVector) -> [SourceID: UInt64] {
        var times: [SourceID: UInt64] = [:]
        for version in versions + other.versions { times[version.source] = max(times[version.source] ?? 0, version.time) }
        return times
    }

    private static func newestFirst(_ times: [SourceID: UInt64]) -> [Version] {
        times.map { Version(existing: $1, $0) }.sorted(by: Version.isNewer)
    }
}
