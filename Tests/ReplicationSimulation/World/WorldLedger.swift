import DocumentStore
import ExactStrings

/// A document of a world.
struct DocumentName: Hashable, CustomStringConvertible {
    let collection: CollectionID
    private let exactID: ExactString

    init(collection: CollectionID, id: String) {
        self.collection = collection
        exactID = ExactString(id)
    }

    var id: String { exactID.string }
    var description: String { collection.isDefault ? id : "\(collection.name)/\(id)" }
}

/// What has happened in a world, as far as it must be true in the end.
struct WorldLedger {
    /// The marks of all edits.
    var marks: [DocumentName: Set<ExactString>] = [:]
    /// Documents that were deleted somewhere, or in conflict; those where they were purged.
    var deleted: Set<DocumentName> = []
    var conflicted: Set<DocumentName> = []
    var purged: [DocumentName: Set<Int>] = [:]
    /// The documents that a target has refused to take from a database.
    var refused: [[Int]: Set<DocumentName>] = [:]
    /// The body of every revision that was the current one somewhere.
    private var bodies: [DocumentName: [RevisionID: String]] = [:]
    /// The revisions that were current at the server since the document was last deleted there: after that anybody may make it anew.
    private(set) var served: [DocumentName: [RevisionID]] = [:]

    /// Notes a current revision. False when its body is not the same everywhere.
    mutating func note(_ change: LocalChange, of name: DocumentName, _ json: String, at node: Int) -> Bool {
        let revision = change.revision
        if node == 0 {
            if change.isDeleted { served[name] = [] } else { served[name, default: []].append(revision) }
        }
        let known = bodies[name, default: [:]].updateValue(json, forKey: revision)
        return known.map { $0.isExactly(json) } ?? true
    }
}
