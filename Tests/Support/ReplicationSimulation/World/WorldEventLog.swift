import Base
import DocumentStore

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

/// A record of the events in a world that the final checks need.
struct WorldEventLog {
    /// The marks of all edits.
    var marks: [DocumentName: Set<ExactString>] = [:]
    /// Documents that were deleted in any database; in conflict in any database; and purged, with the numbers of the databases.
    var deleted: Set<DocumentName> = []
    var conflicted: Set<DocumentName> = []
    var purged: [DocumentName: Set<Int>] = [:]
    /// The IDs of documents, in any collection, of which a revision of a tree was in conflict.
    var conflictedTrees: Set<ExactString> = []
    /// The documents that a target has refused, by the numbers of the database and the target.
    var refused: [[Int]: Set<DocumentName>] = [:]
    /// The body of every revision that was current in any database.
    private var bodies: [DocumentName: [RevisionID: String]] = [:]
    /// The revisions that were current on the server since the document was last deleted there. A deleted document may be created again.
    private(set) var served: [DocumentName: [RevisionID]] = [:]

    /// Records a current revision. Returns `false` if the same revision has another body in another database.
    mutating func note(_ change: LocalChange, _ revision: RevisionID, of name: DocumentName, _ json: String, at node: Int) -> Bool {
        if node == 0 {
            if change.isDeleted { served[name] = [] } else { served[name, default: []].append(revision) }
        }
        let known = bodies[name, default: [:]].updateValue(json, forKey: revision)
        return known.map { $0.isExactly(json) } ?? true
    }
}
