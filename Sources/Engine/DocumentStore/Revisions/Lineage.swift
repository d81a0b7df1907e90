/// What is known of the history of a revision outside of a tree: a version vector, or only an ID in a tree (Version vectors 3.2).
enum Lineage: Hashable, Sendable {
    /// A revision of a tree, whose ancestors are not known.
    case tree(TreeRevisionID)
    /// A revision with a vector, and the current version of the vector.
    case vector(VersionVector, current: Version)

    /// Reads the column `version` of a record, or the same form elsewhere.
    ///
    /// - Throws: The reason why it is invalid, without a final period.
    init(binary: UnsafeRawBufferPointer) throws(LineageError) {
        if let id = TreeRevisionID(binary: binary) {
            self = .tree(id)
            return
        }
        guard VersionVector.isVector(binary) else { throw LineageError(description: "its revision ID is invalid") }
        do throws(VersionError) {
            let vector = try VersionVector(binary: binary)
            guard let current = vector.current else { throw VersionError.invalidBinary(.badTime, offset: 1) }
            self = .vector(vector, current: current)
        } catch {
            throw LineageError(description: "its \(error)")
        }
    }

    /// Creates the lineage of a revision of which only the ID is known.
    init(_ id: RevisionID) {
        switch id {
        case .tree(let id): self = .tree(id)
        case .version(let version): self = .vector(VersionVector(version), current: version)
        }
    }

    /// Whether only an ID in a tree is known.
    var isTree: Bool { id.tree != nil }

    /// The ID of the revision.
    var id: RevisionID {
        switch self {
        case .tree(let id): .tree(id)
        case .vector(_, let current): .version(current)
        }
    }

    /// The vector; empty for an ID in a tree.
    var vector: VersionVector {
        guard case .vector(let vector, _) = self else { return .empty }
        return vector
    }

    /// Whether this revision is known to be later than another one of the same document: it has the higher generation in a tree, a vector that
    /// includes the other one, or a vector where the other one has only an ID in a tree.
    func isNewer(than other: Lineage) -> Bool {
        switch (self, other) {
        case (.tree(let id), .tree(let other)): id.generation > other.generation
        case (.tree, .vector): false
        case (.vector(let vector, _), _): vector.compare(other.vector) == .newer
        }
    }

    /// The vector, or the one that stands for an ID in a tree (Version vectors 2.8); `nil` if the generation of the ID is too high for a version.
    var comparableVector: VersionVector? {
        switch self {
        case .tree(let id): id.version.map { VersionVector($0) }
        case .vector(let vector, _): vector
        }
    }

    /// The binary form.
    var binary: [UInt8] {
        switch self {
        case .tree(let id): id.binary
        case .vector(let vector, _): vector.binary
        }
    }

    /// The versions before the current one, newest first; empty for an ID in a tree.
    var ancestors: [RevisionID] {
        guard case .vector(let vector, _) = self else { return [] }
        return vector.versions.dropFirst().map { .version($0) }
    }
}

/// The reason why the stored ID or vector of a revision is invalid.
struct LineageError: Error, CustomStringConvertible {
    let description: String
}
