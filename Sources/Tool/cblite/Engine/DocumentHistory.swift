import CouchbaseLiteSwift
import DocumentStore
import Fleece

/// A revision of a document. The public API has the IDs of the current branch only.
struct DocumentRevision {
    fileprivate let info: RevisionInfo

    var id: String { info.id.description }
    var parent: String? { info.parent?.description }
    /// The sequence, or 0 if it is not known.
    var sequence: UInt64 { info.sequence }
    var isLeaf: Bool { info.isLeaf }
    var isDeleted: Bool { info.isDeleted }
    var isConflict: Bool { info.isConflict }
    var isClosed: Bool { info.isClosed }
    var isRejected: Bool { info.isRejected }
    var hasBlobs: Bool { info.hasAttachments }
    var hasBody: Bool { info.hasBody }
    /// The remote databases for which this is the latest known revision.
    var remotes: [Int] { info.remotes }
}

/// A document in conflict. The public API has conflicts only with replication, and shows neither deleted versions nor the common ancestor.
struct DocumentConflict {
    /// A version of the document.
    struct Version {
        fileprivate let stored: ConflictRevision
        fileprivate let sharedKeys: SharedKeys

        var revision: String { stored.id.description }
        var isDeleted: Bool { stored.isDeleted }

        /// Returns the properties as JSON.
        func json() throws -> String {
            let json = try stored.body.withRoot { try JSON.string($0, sharedKeys: sharedKeys, form: .canonical) }
            guard let json else { throw FleeceError(.badRoot) }
            return json
        }
    }

    fileprivate let conflict: StoredConflict

    var documentID: String { conflict.documentID }
    var local: Version { version(conflict.local) }
    var remote: Version { version(conflict.remote) }
    /// The newest common ancestor, if it is still stored.
    var base: Version? { conflict.base.map(version) }

    private func version(_ revision: ConflictRevision) -> Version { Version(stored: revision, sharedKeys: conflict.sharedKeys) }

    /// Resolves the conflict. Returns the current revision after that.
    func resolve(keepingLocal: Bool, in collection: DocumentCollection) throws -> (revision: String, isDeleted: Bool) {
        let resolved = try collection.database.openFile().transaction { writer in
            try collection.store.resolve(conflict, with: keepingLocal ? .local : .remote, in: writer)
        }
        guard let resolved else { throw StoreError.conflict(documentID: documentID) }
        return (resolved.revision.description, resolved.isDeleted)
    }
}

extension DocumentCollection {
    /// Returns all known revisions of a document, the current one first; `nil` if the document does not exist.
    func revisions(of id: String) throws -> [DocumentRevision]? { try store.revisions(of: id)?.map { DocumentRevision(info: $0) } }

    /// Returns the conflicts of all documents.
    func conflicts() throws -> [DocumentConflict] { try store.conflictedDocuments().compactMap { try conflict(of: $0) } }

    /// Returns the conflict of a document; `nil` if it has none.
    func conflict(of id: String) throws -> DocumentConflict? { try store.conflict(in: id).map { DocumentConflict(conflict: $0) } }

    /// Returns whether a document or its tombstone exists.
    func contains(_ id: String) throws -> Bool { try store.document(id, includingDeleted: true) != nil }
}
