import Base
import Fleece
import Foundation

/// Copies a database with version vectors to a new one with revision trees: the way back to Couchbase Lite 3.x (Version vectors 11).
package enum TreesCopy {
    /// What was copied, and what was not.
    package struct Report: Sendable {
        /// The number of documents, without tombstones.
        package internal(set) var documents = 0
        /// The number of tombstones.
        package internal(set) var tombstones = 0
        /// The number of documents in conflict, whose revisions are branches of the copy.
        package internal(set) var conflicts = 0
        /// The number of documents and tombstones that had a version vector. Their revisions have new IDs, so that other databases do not recognize
        /// them.
        package internal(set) var renamed = 0
        /// The names of the indexes, which are not copied.
        package internal(set) var indexes: [String] = []
        /// The revisions that could not be copied: current ones, and those in conflict with them.
        package internal(set) var losses: [Loss] = []
    }

    /// A revision that could not be copied.
    package struct Loss: Sendable {
        /// The document and the revision, as `collection/document revision`.
        package let subject: String
        /// The reason, without a final period.
        package let message: String
    }

    /// The number of documents in a transaction.
    private static let batchSize = 1000

    /// Copies the current revisions of all documents and tombstones, those in conflict with them, expirations and blobs. Documents that have a tree
    /// keep it as far as it is a history of these revisions. The copy has new UUIDs, no checkpoints and no remotes, and the encryption of the
    /// original. It appears when it is complete. A revision that a tree cannot hold, because of its history, is reported as lost.
    ///
    /// - Parameters:
    ///   - indexNames: Returns the names of the indexes of the database.
    ///   - progress: Called with the number of documents so far; it may throw to stop.
    /// - Throws: `revisionTrees` if the database has no version vectors; `alreadyExists`; the errors of reading and writing. After an error there
    ///   are no leftovers.
    package static func copy(
        _ source: BundlePath,
        to destination: BundlePath,
        options: DatabaseFile.Options,
        indexNames: (DatabaseFile) throws -> [String],
        progress: (Int) throws -> Void = { _ in }
    ) throws -> Report {
        guard !FileManager.default.fileExists(atPath: destination.directory) else {
            throw StoreError.alreadyExists(path: destination.directory)
        }
        var reading = options
        reading.isReadOnly = true
        let original = try DatabaseRegistry.open(source.directory, options: reading)
        defer { DatabaseRegistry.closeLoggingErrors(original) }
        guard try original.hasVersionVectors() else { throw StoreError.revisionTrees(path: source.directory) }
        let replacement = try BundleReplacement(of: destination)
        let made = BundlePath(replacement.unfinished.directory + "/trees.cblite2")
        var writing = options
        (writing.isReadOnly, writing.createsIfMissing, writing.versioning) = (false, true, .trees)
        let copy = try DatabaseRegistry.open(made.directory, options: writing)
        // Documents and blobs must belong together while others write and compact.
        let lock = BundleLock(source, .copying)
        defer { lock?.release() }
        var report = Report()
        do {
            try original.read { context in
                try context.refreshSharedKeys()
                for id in try original.collectionIDs() {
                    guard let from = try original.collection(id) else { continue }
                    try self.copy(from, to: copy.createCollection(id), context, &report, progress)
                }
            }
            report.indexes = try indexNames(original)
            try original.blobs.copyAll(to: copy.blobs)
        } catch {
            DatabaseRegistry.closeLoggingErrors(copy)
            throw error
        }
        try DatabaseRegistry.close(copy)
        try replacement.installAsNew(made)
        EngineLog.log(.info, .database, "converted the database at \(source.directory) to revision trees")
        return report
    }

    private static func copy(
        _ source: CollectionStore,
        to destination: CollectionStore,
        _ context: ConnectionContext,
        _ report: inout Report,
        _ progress: (Int) throws -> Void
    ) throws {
        var position: UInt64 = 0
        while true {
            let changes = try source.changes(after: position, limit: batchSize, remote: nil)
            guard let last = changes.last else { return }
            position = last.sequence
            try destination.file.transaction { writer in
                for change in changes {
                    guard let row = try source.row(of: change.documentID, on: context) else { continue }
                    guard try copy(row, context.sharedKeys, to: destination, in: writer, &report) else { continue }
                    if change.isDeleted { report.tombstones += 1 } else { report.documents += 1 }
                }
            }
            try progress(report.documents + report.tombstones)
        }
    }

    /// Copies the revisions of a document. Returns `false` if none could be copied.
    private static func copy(
        _ row: StoredRow,
        _ keys: SharedKeys,
        to destination: CollectionStore,
        in writer: Writer,
        _ report: inout Report
    ) throws -> Bool {
        let revisions: [BranchRevision]
        switch try row.revisions() {
        case .tree(let tree): revisions = BranchRevision.all(in: tree)
        case .known(let known): revisions = BranchRevision.all(in: known)
        }
        var copied = 0
        for revision in revisions {
            let received = ReceivedRevision(
                documentID: row.id,
                revision: .tree(revision.id),
                history: revision.history.map { .tree($0) },
                isDeleted: revision.isDeleted,
                body: OwnedBody(FleeceData(revision.body), keys: keys, hasBlobs: revision.hasAttachments)
            )
            if let fault = try destination.insert(received, remote: nil, in: writer).fault {
                report.losses.append(Loss(subject: "\(destination.id.fullName)/\(row.id) \(revision.id)", message: fault))
            } else {
                copied += 1
            }
        }
        guard copied > 0 else { return false }
        if !row.lineage.isTree { report.renamed += 1 }
        if copied > 1 { report.conflicts += 1 }
        if let expiration = row.expiration { _ = try destination.setExpiration(expiration, of: row.id, in: writer) }
        return true
    }
}

/// A revision that is a leaf of the copy of a document.
private struct BranchRevision {
    let id: TreeRevisionID
    /// The ancestors, newest first.
    let history: [TreeRevisionID]
    let isDeleted: Bool
    let hasAttachments: Bool
    let body: [UInt8]

    /// Returns the current revision and the other active leaves of a tree.
    static func all(in tree: RevisionTree) -> [BranchRevision] {
        tree.revisions.indices.filter { $0 == 0 || tree.isActive($0) }.compactMap { index in
            let revision = tree.revisions[index]
            guard let body = revision.body else { return nil }
            return BranchRevision(
                id: revision.id,
                history: tree.history(from: index).dropFirst().map(\.id),
                isDeleted: revision.isDeleted,
                hasAttachments: revision.flags.contains(.hasAttachments),
                body: body
            )
        }
    }

    /// Returns the current revision and those in conflict with it. They get IDs as if they had been made from the last known revision of the former
    /// tree.
    static func all(in known: KnownRevisions) -> [BranchRevision] {
        let conflicting = known.remotes.sorted { $0.key < $1.key }.map(\.value).filter { $0.flags.contains(.conflicted) }
        var branches: [BranchRevision] = []
        for revision in [known.current] + conflicting {
            guard let body = revision.body else { continue }
            let isDeleted = revision.flags.contains(.deleted)
            var history = known.legacyBranch
            let id: TreeRevisionID
            switch revision.lineage {
            case .tree(let tree):
                id = tree
                history.removeAll { $0.generation >= tree.generation }
            case .vector(_, let version) where known.names?.version == version:
                id = history.removeFirst()
            case .vector:
                id = body.withUnsafeBytes { TreeRevisionID.generate(parent: history.first, isDeleted: isDeleted, body: $0) }
            }
            guard !branches.contains(where: { $0.id == id }) else { continue }
            let hasAttachments = revision.flags.contains(.hasAttachments)
            branches.append(BranchRevision(id: id, history: history, isDeleted: isDeleted, hasAttachments: hasAttachments, body: body))
        }
        return branches
    }
}
