extension Writer {
    /// Returns the name of a new revision of this database: its version on top of the vector of the revision that it replaces (Version vectors
    /// 2.7, 4.2).
    ///
    /// - Parameters:
    ///   - vector: The vector of the replaced revision; empty if there is none, or if it is one of a tree.
    ///   - documentID: The document, for errors.
    /// - Throws: `corruptDocument` if no later version can be stored.
    func nextLineage(after vector: VersionVector, of documentID: String) throws(StoreError) -> Lineage {
        try StoreError.checking(documentID) { () throws(VersionError) in
            let version = try nextVersion(after: [vector])
            return .vector(try vector.adding(version), current: version)
        }
    }

    /// Returns the name of a new revision that merges two in conflict (Version vectors 5.3).
    ///
    /// - Throws: `corruptDocument` if no later version can be stored.
    func mergedLineage(_ local: VersionVector, _ remote: VersionVector, of documentID: String) throws(StoreError) -> Lineage {
        try StoreError.checking(documentID) { () throws(VersionError) in
            let version = try nextVersion(after: [local, remote])
            do throws(VersionError) {
                return .vector(try local.merging(remote, at: version.time), current: version)
            } catch {
                // Copies of a database can share its own source. Then the new version is on top of all known ones.
                guard case .sameAuthor = error else { throw error }
                return .vector(try remote.trivialMerge(over: local).adding(version), current: version)
            }
        }
    }

    /// Returns a new version of this database, which is later than all versions of the vectors whose times are acceptable.
    ///
    /// - Throws: `invalidTime` if a stored version of this database is so late that none after it can be stored.
    private func nextVersion(after vectors: [VersionVector]) throws(VersionError) -> Version {
        let wall = context.file?.options.clock.nanoseconds ?? 0
        for vector in vectors { versionClock.supersede(vector, wall) }
        let version = Version(existing: versionClock.now(wall), .me)
        guard LogicalTime.isStorable(version.time) else { throw .invalidTime(version) }
        return version
    }
}

extension StoreError {
    /// Runs an operation on vectors of a document.
    ///
    /// - Throws: `corruptDocument` with the error of the operation.
    static func checking<Result>(_ documentID: String, _ body: () throws(VersionError) -> Result) throws(StoreError) -> Result {
        do throws(VersionError) {
            return try body()
        } catch {
            throw .corruptDocument(documentID: documentID, reason: error.description)
        }
    }
}
