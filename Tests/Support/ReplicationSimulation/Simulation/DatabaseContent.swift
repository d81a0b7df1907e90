package import Base
package import DocumentStore
import Fleece
import Replication

/// The content of a database that must be equal in two replicated databases.
package struct DatabaseContent: Equatable, CustomStringConvertible {
    package struct Document: Equatable {
        package let revision: RevisionID
        package let isDeleted: Bool
        /// JSON with sorted keys.
        package var json: String { exactJSON.string }
        fileprivate let exactJSON: ExactString
    }

    package let documents: [CollectionID: [ExactString: Document]]

    /// Returns whether another database has the same documents, by whatever names each of them knows their revisions.
    package func hasSameDocuments(as other: DatabaseContent) -> Bool {
        documents.count == other.documents.count
            && documents.allSatisfy { id, documents in
                guard let others = other.documents[id], others.count == documents.count else { return false }
                return documents.allSatisfy { $1.isDeleted == others[$0]?.isDeleted && $1.exactJSON == others[$0]?.exactJSON }
            }
    }
    /// Blobs that are referenced by documents but not stored.
    package let missingBlobs: [String]
    /// Documents in conflict.
    package let conflicts: [String]

    /// The collections with one line for each document, for comparison.
    package var description: String {
        documents.sorted { $0.key < $1.key }
            .map { id, documents in
                let lines = documents.sorted { $0.key < $1.key }
                    .map { "\($0): \($1.revision)\($1.isDeleted ? " deleted" : "") \($1.json)" }
                return ([id.fullName] + lines).joined(separator: "\n  ")
            }
            .joined(separator: "\n")
    }
}

extension SimulatedDatabase {
    /// Returns the content of the given collections; of all collections if `collections` is `nil`.
    package func content(of collections: [CollectionID]? = nil) throws -> DatabaseContent {
        let own = try file.versionSource()
        var all: [CollectionID: [ExactString: DatabaseContent.Document]] = [:]
        var missing: [String] = []
        var conflicts: [String] = []
        for id in try collections ?? file.collectionIDs() {
            guard let replica = try replica.collection(id) else { continue }
            var documents: [ExactString: DatabaseContent.Document] = [:]
            for change in try replica.changes(after: 0, limit: .max, remote: nil) {
                guard let record = try replica.store.document(change.documentID, includingDeleted: true) else { continue }
                let json = try record.body.withRoot { root in
                    for digest in BlobReferences.digests(in: root, sharedKeys: record.sharedKeys)
                    where try !file.blobs.contains(digest) {
                        missing.append("\(change.documentID): \(digest)")
                    }
                    return try JSON.string(root, sharedKeys: record.sharedKeys, form: .canonical)
                }
                documents[ExactString(change.documentID)] = DatabaseContent.Document(
                    revision: own.map(change.revision.absolute) ?? change.revision,
                    isDeleted: change.isDeleted,
                    exactJSON: ExactString(json ?? "")
                )
            }
            all[id] = documents
            conflicts += try replica.conflictedDocuments()
        }
        return DatabaseContent(documents: all, missingBlobs: missing, conflicts: conflicts)
    }
}
