package import Fleece
import SQLiteEngine

/// A revision to send to a peer (Replication 3.8).
package struct OutgoingRevision: Sendable {
    /// The ID of the document.
    package let documentID: String
    /// The ID of the revision, which need not be the current one.
    package let revision: RevisionID
    /// Whether the revision is a tombstone.
    package let isDeleted: Bool
    /// Whether the body refers to blobs.
    package let hasAttachments: Bool
    /// A Fleece dictionary, not validated.
    package let body: FleeceData
    /// The list of keys to which the numbers in the body belong.
    package let sharedKeys: SharedKeys
    /// The known ancestors, newest first: versions, then IDs in trees.
    package let history: [RevisionID]
    /// The number of the first ancestors that were merged to make the revision; 0 if it is a revision of a tree, or no merge.
    package let mergedCount: Int
    /// Whether it is the document's current revision.
    package let isCurrent: Bool
    /// The ID by which clients with trees know the revision, if it is a version that is shown with such IDs; otherwise `nil` (Version vectors 7.6).
    package var treeName: TreeRevisionID?

    /// Returns whether a revision is known to be an ancestor of this one. A version includes all earlier ones of the same database, and counts as
    /// the ID in a tree for which it stands (Version vectors 2.7, 2.8).
    package func descends(from id: RevisionID) -> Bool {
        if history.contains(id) { return true }
        return ([revision] + history).contains { known in
            switch (known, id) {
            case (.version(let known), .version(let version)): known.source == version.source && known.time >= version.time
            case (.version, .tree), (.tree, .version): known.isSame(as: id)
            case (.tree, .tree): false
            }
        }
    }
}

extension CollectionStore {
    /// Returns one revision of a document with its body and history, or `nil` if the document, the revision or its body is not stored any
    /// more.
    ///
    /// Takes one lookup by key, and copies the body once.
    ///
    /// - Parameter view: How the revisions of the database are shown to the peer. In trees, only the current one is stored.
    package func revision(_ id: RevisionID, of documentID: String, as view: RevisionView = .stored) throws -> OutgoingRevision? {
        try checkExists()
        return try file.readDocuments { context in
            let statements = context.statements(of: self).row
            func read(_ statement: Statement) throws -> OutgoingRevision? {
                try context.refreshSharedKeys()
                if let known = try Self.knownRevisions(of: documentID, in: statement) {
                    if case .trees(let own) = view {
                        return OutgoingRevision(id, in: known, treeOf: own, documentID, context.sharedKeys)
                    }
                    return known.revision(with: id, as: view).flatMap {
                        OutgoingRevision($0, in: known, of: documentID, view, keys: context.sharedKeys)
                    }
                }
                do throws(RevisionTreeError) {
                    return try Self.revision(id, of: documentID, in: statement, keys: context.sharedKeys)
                } catch {
                    throw StoreError.corruptDocument(documentID: documentID, reason: error.description)
                }
            }
            // The document can be found without the revision.
            if let found = try statements.live.find(documentID, on: context.connection, read) { return found }
            guard tables.tombstoneName != nil else { return nil }
            return try statements.tombstones.find(documentID, on: context.connection, read) ?? nil
        }
    }

    /// Runs `body` so that its reads on this thread all see the same state of the file, whoever commits meanwhile.
    ///
    /// Intended for reading many documents once each: memory-mapped pages are released afterwards.
    package func withOneSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try checkExists()
        return try file.readDocuments { context in
            defer { context.connection.unmap() }
            return try body()
        }
    }

    /// Returns the body of a revision and the shared keys it uses, or `nil` if the body is not stored any more.
    package func body(
        of revision: RevisionID,
        documentID: String,
        as view: RevisionView = .stored
    ) throws -> (body: FleeceData, keys: SharedKeys)? {
        try self.revision(revision, of: documentID, as: view).map { ($0.body, $0.sharedKeys) }
    }

    /// Reads the revisions of a record that 4.x has written from the columns ``CollectionTables/rowColumns``; `nil` for a record with a tree.
    private static func knownRevisions(of documentID: String, in statement: Statement) throws(StoreError) -> KnownRevisions? {
        let isTree = statement.isNull(at: 5) ? statement.blob(at: 4).first == 0 : !KnownRevisions.isEncoded(statement.blob(at: 5))
        if isTree, !VersionVector.isVector(statement.blob(at: 3)) { return nil }
        return try KnownRevisions(StoredRow(statement, id: documentID, isInTombstoneTable: false))
    }

    /// Reads a revision from the columns ``CollectionTables/rowColumns``.
    private static func revision(
        _ id: RevisionID,
        of documentID: String,
        in statement: Statement,
        keys: SharedKeys
    ) throws(RevisionTreeError) -> OutgoingRevision? {
        let column = statement.blob(at: 4)
        let hasTreeApart = !statement.isNull(at: 5)
        guard case .tree(let treeID) = id else { return nil }
        let tree = try StoredTree(hasTreeApart ? statement.blob(at: 5) : column)
        guard let index = tree.index(of: treeID) else { return nil }
        let body = index == 0 ? RecordLayout.currentBody(in: column) : tree.body(at: index)
        guard let body else { return nil }
        let flags = tree.flags(at: index)
        return OutgoingRevision(
            documentID: documentID,
            revision: id,
            isDeleted: flags.contains(.deleted),
            hasAttachments: flags.contains(.hasAttachments),
            body: FleeceData(copying: body),
            sharedKeys: keys,
            history: try tree.branch(from: index).dropFirst().map { (index) throws(RevisionTreeError) in
                RevisionID.tree(try tree.id(at: index))
            },
            mergedCount: 0,
            isCurrent: index == 0
        )
    }
}

extension KnownRevisions {
    /// Returns the revision that a peer knows by an ID; `nil` if it is not stored. A peer that had a tree can know the current one by the ID for which
    /// its version stands, or by its name for clients with trees, and sends deltas against it (Version vectors 6.7).
    fileprivate func revision(with id: RevisionID, as view: RevisionView) -> KnownRevision? {
        if let known = revision(with: id) { return known }
        if current.lineage.id.isSame(as: id) { return current }
        guard let id = id.tree, let own = view.source else { return nil }
        return treeIDs(own).first == id ? current : nil
    }
}

extension OutgoingRevision {
    /// Returns `nil` if the body is not stored.
    fileprivate init?(_ revision: KnownRevision, in known: KnownRevisions, of documentID: String, _ view: RevisionView, keys: SharedKeys) {
        guard let body = revision.body else { return nil }
        let isCurrent = revision.lineage.id == known.current.lineage.id
        self.init(
            documentID: documentID,
            revision: revision.lineage.id,
            isDeleted: revision.flags.contains(.deleted),
            hasAttachments: revision.flags.contains(.hasAttachments),
            body: FleeceData(body),
            sharedKeys: keys,
            history: known.ancestors(of: revision, namedBy: view.source),
            mergedCount: revision.lineage.vector.merged.count,
            isCurrent: isCurrent,
            treeName: isCurrent && !revision.lineage.isTree ? view.source.flatMap { known.treeIDs($0).first } : nil
        )
    }

    /// Creates the current revision as clients with trees know it; `nil` if it has another ID, or if its body is not stored.
    fileprivate init?(_ id: RevisionID, in known: KnownRevisions, treeOf own: SourceID, _ documentID: String, _ keys: SharedKeys) {
        let ids = known.treeIDs(own).map { RevisionID.tree($0) }
        guard ids.first == id, let body = known.current.body else { return nil }
        self.init(
            documentID: documentID,
            revision: id,
            isDeleted: known.current.flags.contains(.deleted),
            hasAttachments: known.current.flags.contains(.hasAttachments),
            body: FleeceData(body),
            sharedKeys: keys,
            history: Array(ids.dropFirst()),
            mergedCount: 0,
            isCurrent: true
        )
    }
}
