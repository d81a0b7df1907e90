import SQLiteEngine

extension Writer {
    /// How the writer names revisions.
    struct RevisionNaming {
        /// The maximum number of revisions in a branch of a document.
        fileprivate(set) var maximumTreeDepth = RevisionTree.defaultMaximumDepth
        /// Whether new revisions have version vectors, as the row `versioning` of the file says (Version vectors 3.1).
        fileprivate(set) var usesVersions = false
        /// How revisions are named for clients with revision trees; `nil` if the database has version vectors and serves no such clients, or has
        /// trees.
        fileprivate(set) var treeNaming: TreeNaming?
        /// The clock of new versions. It begins at zero when the file is opened; the stored versions make it continue.
        var clock = HybridClock()
    }

    /// See ``RevisionNaming/maximumTreeDepth``.
    var maximumTreeDepth: Int { guarded.names.maximumTreeDepth }
    /// See ``RevisionNaming/usesVersions``.
    var usesVersions: Bool { guarded.names.usesVersions }
    /// See ``RevisionNaming/treeNaming``.
    var treeNaming: TreeNaming? { guarded.names.treeNaming }

    /// Reads from the file how revisions are named.
    func readNaming() throws {
        let depth = try InfoStore.integer(InfoStore.maximumTreeDepth, on: connection) ?? 0
        guarded.names.maximumTreeDepth = depth == 0 ? RevisionTree.defaultMaximumDepth : Int(clamping: depth)
        guarded.names.usesVersions = try InfoStore.integer(InfoStore.versioning, on: connection) == InfoStore.versionVectors
        guarded.names.treeNaming =
            try usesVersions && InfoStore.integer(InfoStore.treeClients, on: connection) == 1 ? makeTreeNaming() : nil
    }

    /// Gives new revisions version vectors from now on. If the transaction is rolled back, they have trees again.
    func useVersions() {
        guard !usesVersions else { return }
        guarded.names.usesVersions = true
        onRollback { [unowned self] in guarded.names.usesVersions = false }
    }

    /// Names revisions for clients with revision trees from now on. If the transaction is rolled back, they get no such names.
    func useTreeNames() throws {
        guard treeNaming == nil, let naming = try makeTreeNaming() else { return }
        guarded.names.treeNaming = naming
        onRollback { [unowned self] in guarded.names.treeNaming = nil }
    }

    private func makeTreeNaming() throws -> TreeNaming? {
        try InfoStore.bytes(InfoStore.publicUUID, on: connection).flatMap { SourceID($0) }
            .map { TreeNaming(own: $0, maximumDepth: maximumTreeDepth) }
    }

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
        for vector in vectors { guarded.names.clock.supersede(vector, wall) }
        let version = Version(existing: guarded.names.clock.now(wall), .me)
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
