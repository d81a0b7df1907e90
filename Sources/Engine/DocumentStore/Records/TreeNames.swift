/// The IDs by which clients with revision trees know the current revision of a document with a version vector, and its ancestors (Version
/// vectors 7.6).
///
/// They are kept in the record from the time when the first such client is served. Before, and in databases that serve none, the record has none.
struct TreeNames: Equatable {
    /// The version for which the first ID stands.
    var version: Version
    /// The IDs, newest first: their generations decrease. Not empty.
    var ids: [TreeRevisionID]

    /// Returns the IDs of the current revision and its ancestors, newest first. The same state of a document always has the same IDs.
    ///
    /// - Parameters:
    ///   - names: The names in the record.
    ///   - legacy: The last revision of the former tree.
    ///   - own: The ID of the database.
    static func ids(_ lineage: Lineage, _ names: TreeNames?, legacy: TreeRevisionID?, own: SourceID) -> [TreeRevisionID] {
        let earlier = names?.ids ?? [legacy].compactMap(\.self)
        switch lineage {
        case .tree(let id): return [id] + earlier.drop { $0.generation >= id.generation }
        case .vector(let vector, let current):
            if let names, names.version == current { return names.ids }
            return ids(naming: current, vector, after: earlier, own: own)
        }
    }

    /// Returns the IDs of a revision that no client has named, and of its ancestors, newest first. Their generations decrease also where the
    /// highest possible one is reached: an ancestor that has it too is dropped.
    ///
    /// - Parameters:
    ///   - vector: The vector of the revision.
    ///   - earlier: The IDs of the revision before it and of the ancestors of that one, newest first.
    static func ids(
        naming version: Version,
        _ vector: VersionVector,
        after earlier: [TreeRevisionID],
        own: SourceID
    ) -> [TreeRevisionID] {
        // No generation is higher than ``TreeRevisionID/maximumGeneration``, so that this does not overflow.
        let generation = max(earlier.first?.generation ?? 0, vector.treeGeneration) + 1
        return decreasing([TreeRevisionID(naming: version.absolute(own), generation: generation)] + earlier)
    }

    /// Returns the IDs without those whose generations are not lower than the one before. A tree in the file can have them, names cannot.
    static func decreasing(_ ids: [TreeRevisionID]) -> [TreeRevisionID] {
        var last = UInt64.max
        return ids.filter { id in
            guard id.generation < last else { return false }
            last = id.generation
            return true
        }
    }

    /// Returns the names with the ID of the database in place of ``SourceID/me``.
    func absolute(_ own: SourceID) -> TreeNames { TreeNames(version: version.absolute(own), ids: ids) }
}

/// How a transaction gives revisions their ``TreeNames``.
struct TreeNaming {
    /// The ID of the database.
    let own: SourceID
    /// The maximum number of names of a document: that of the revisions in a branch of a tree.
    let maximumDepth: Int
}

extension TreeRevisionID {
    /// The generations of IDs that clients make are lower, so that there are higher ones for the next revisions (Version vectors 7.6).
    private static let generationLimit: UInt64 = 1 << 60

    /// Returns whether revisions can follow this one, whose ID a client has made.
    ///
    /// A document that came from elsewhere may have higher generations. Then the next ones are possible, so that its changes can be sent.
    ///
    /// - Parameters:
    ///   - known: The newest revision that the document has of this one and its ancestors; `nil` if it has none of them.
    ///   - distance: The number of revisions after that one, 0 for itself.
    func leavesRoom(after known: TreeRevisionID? = nil, distance: UInt64 = 0) -> Bool {
        if generation < Self.generationLimit { return true }
        guard let known else { return false }
        return distance == 0 || generation < Self.maximumGeneration && generation == known.generation + distance
    }

    /// Creates the ID of a revision that has a version. The digest contains the time and the first half of the source, so that the ID does not
    /// depend on the database that names the revision, except for the generation.
    init(naming version: Version, generation: UInt64) {
        let digest = withUnsafeBytes(of: (version.time.bigEndian, version.source.prefix.bigEndian)) { [UInt8]($0) }
        // The length and the generation are within the limits of the initializer.
        self = digest.withUnsafeBytes { TreeRevisionID(generation: min(max(generation, 1), Self.maximumGeneration), digest: $0)! }
    }
}

extension VersionVector {
    /// The highest generation of the revisions of trees for which versions stand; 0 if there are none.
    var treeGeneration: UInt64 { versions.lazy.compactMap(\.treeGeneration).max() ?? 0 }
}

extension KnownRevisions {
    /// The IDs by which clients with trees know the current revision and its ancestors, newest first.
    func treeIDs(_ own: SourceID) -> [TreeRevisionID] {
        // Not the branch of a revision that was replaced.
        if !formerBranch.isEmpty, current.lineage.id.tree == formerBranch.first { return formerBranch }
        return TreeNames.ids(current.lineage, names, legacy: legacy, own: own)
    }

    /// Makes another revision the current one, and gives it a name.
    ///
    /// - Parameter ids: The IDs by which clients know the revision and its ancestors; `nil` to make one for it. Ignored without `naming`.
    mutating func replaceCurrent(with revision: KnownRevision, _ naming: TreeNaming?, named ids: [TreeRevisionID]? = nil) {
        let earlier = naming.map { treeIDs($0.own) } ?? []
        replaceCurrent(with: revision)
        name(after: earlier, naming, as: ids)
    }

    /// Gives the current revision a name after it has replaced one that had other names.
    mutating func name(after earlier: [TreeRevisionID], _ naming: TreeNaming?, as ids: [TreeRevisionID]? = nil) {
        guard let naming, case .vector(let vector, let version) = current.lineage else { return names = nil }
        if let names, names.version == version { return }
        let all = ids.map(TreeNames.decreasing) ?? TreeNames.ids(naming: version, vector, after: earlier, own: naming.own)
        names = TreeNames(version: version, ids: Array(all.prefix(naming.maximumDepth)))
    }
}

extension StoredTree {
    /// The IDs of the current revision and its ancestors, newest first.
    fileprivate func currentBranch() throws(RevisionTreeError) -> [TreeRevisionID] {
        var ids: [TreeRevisionID] = []
        for index in try branch(from: 0) { ids.append(try id(at: index)) }
        return ids
    }
}

extension TreeNames {
    /// Returns the IDs of the current revision of a record and its ancestors, newest first, without reading its properties.
    ///
    /// - Parameters:
    ///   - version: The column `version`.
    ///   - extra: The column `extra`; if it is NULL, the column `body`.
    /// - Throws: The reason why the record is damaged.
    static func ids(
        version: UnsafeRawBufferPointer,
        extra: UnsafeRawBufferPointer,
        own: SourceID
    ) throws(LineageError) -> [TreeRevisionID] {
        let stored = try KnownRevisions.names(in: extra)
        // The common case, which needs only the first version of the vector.
        if let names = stored.names, RevisionID(binary: version) == .version(names.version) { return names.ids }
        let lineage = try Lineage(binary: version)
        if case .tree(let id) = lineage, !KnownRevisions.isEncoded(extra) {
            guard RevisionTree.isTree(extra) else { return [id] }
            do throws(RevisionTreeError) {
                return try StoredTree(extra).currentBranch()
            } catch {
                throw LineageError(description: error.description)
            }
        }
        return ids(lineage, stored.names, legacy: stored.legacy, own: own)
    }
}
