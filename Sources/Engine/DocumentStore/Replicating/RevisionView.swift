/// How the revisions of a database are shown to a client.
package enum RevisionView: Equatable, Sendable {
    /// As they are stored.
    case stored
    /// As they are stored in a database with version vectors, which has this ID. The IDs by which clients with trees know a revision count as
    /// ancestors, because such a client can have been upgraded.
    case withTreeNames(SourceID)
    /// As revisions of trees, from a database with version vectors, which has this ID (Version vectors 7.6).
    case trees(SourceID)

    /// Whether revisions are shown as those of trees.
    package var isTrees: Bool { if case .trees = self { true } else { false } }

    /// The ID of the database, if revisions have names for clients with trees.
    var source: SourceID? {
        switch self {
        case .stored: nil
        case .withTreeNames(let source), .trees(let source): source
        }
    }
}

extension DatabaseFile {
    /// Returns how the revisions of the database are shown to clients that know version vectors.
    package func viewForVersions() throws -> RevisionView {
        try read { context in
            let isServing = try InfoStore.integer(InfoStore.treeClients, on: context.connection) == 1
            return try isServing ? versionSource().map { .withTreeNames($0) } ?? .stored : .stored
        }
    }
}
