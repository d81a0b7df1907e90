package import Fleece

/// The ID of a revision: of one in a tree, or a version. A database with version vectors can have both, because documents keep their trees until
/// they are changed (Version vectors 3.2).
package enum RevisionID: Hashable, Sendable {
    /// The ID in a tree, for example `2-826d817506218838cdfee7e9e3b72900175dc85f`.
    case tree(TreeRevisionID)
    /// A version, for example `18c5f3a2b1000000@*`.
    case version(Version)

    /// Reads the column `version` of a record: the ID of a revision in a tree, or a version vector, of which only the first version is read.
    /// Returns `nil` if neither is valid.
    @inline(__always)
    package init?(binary: UnsafeRawBufferPointer) {
        if let id = TreeRevisionID(binary: binary) {
            self = .tree(id)
        } else if let version = VersionVector.current(inBinary: binary) {
            self = .version(version)
        } else {
            return nil
        }
    }

    /// Parses the textual form of an ID in a tree, or of a version. Returns `nil` if it is neither.
    package init?(_ text: String) {
        if let id = RevisionID(tree: text) {
            self = id
        } else if let version = Version(text) {
            self = .version(version)
        } else {
            return nil
        }
    }

    /// Parses the textual form of an ID in a tree, the only ones that sessions and interfaces for revision trees accept; `nil` for any other
    /// text.
    package init?(tree text: String) {
        guard let id = TreeRevisionID(text) else { return nil }
        self = .tree(id)
    }

    /// The ID in a tree; `nil` for a version.
    package var tree: TreeRevisionID? {
        guard case .tree(let id) = self else { return nil }
        return id
    }

    /// The version: that of the revision, or the one that stands for its ID in a tree; `nil` if the generation of the ID is too high for a
    /// version.
    package var version: Version? {
        switch self {
        case .tree(let id): id.version
        case .version(let version): version
        }
    }

    /// The number of the revision in its branch of a tree; 0 for a version.
    package var generation: UInt64 { tree?.generation ?? 0 }

    /// The time of a version, in nanoseconds since 1970. For an ID in a tree its generation, so that every version is later (Version
    /// vectors 4.1).
    package var timestamp: UInt64 {
        switch self {
        case .tree(let id): id.generation
        case .version(let version): version.time
        }
    }

    /// The binary form. That of a version is a vector of one.
    package var binary: [UInt8] {
        switch self {
        case .tree(let id): id.binary
        case .version(let version): version.binary
        }
    }

    /// The digest of an ID in a tree, as in its textual form; empty for a version.
    package var digestText: String { tree?.digestText ?? "" }

    /// Returns the ID with the ID of the database in place of ``SourceID/me``.
    package func absolute(_ own: SourceID) -> RevisionID {
        guard case .version(let version) = self else { return self }
        return .version(version.absolute(own))
    }

    /// Returns the ID with ``SourceID/me`` in place of the ID of the database that stores it.
    package func relative(to own: SourceID) -> RevisionID {
        guard case .version(let version) = self else { return self }
        return .version(version.relative(to: own))
    }

    /// Returns whether both name the same revision: they are equal, or one is an ID in a tree and the other the version that stands for it
    /// (Version vectors 2.4).
    package func isSame(as other: RevisionID) -> Bool {
        switch (self, other) {
        case (.tree(let id), .version(let version)), (.version(let version), .tree(let id)): id.version == version
        default: self == other
        }
    }
}

extension RevisionID: Comparable {
    /// Orders as conflicts are decided by default: IDs in trees by their generations and digests, and before all versions; versions by their
    /// times, then by their sources.
    package static func < (left: RevisionID, right: RevisionID) -> Bool {
        switch (left, right) {
        case (.tree(let left), .tree(let right)): left < right
        case (.tree, .version): true
        case (.version, .tree): false
        case (.version(let left), .version(let right)): (left.time, left.source) < (right.time, right.source)
        }
    }
}

extension RevisionID: CustomStringConvertible {
    /// The textual form.
    package var description: String {
        switch self {
        case .tree(let id): id.description
        case .version(let version): version.description
        }
    }
}

extension RevisionID {
    /// Returns the ID of the revision of a tree with a body that is a child of `parent`, for bodies encoded elsewhere. A version as parent
    /// counts as none.
    package static func generated(parent: RevisionID?, isDeleted: Bool, body: FleeceData) -> RevisionID {
        .tree(.generate(parent: parent?.tree, isDeleted: isDeleted, body: body.bytes))
    }
}
