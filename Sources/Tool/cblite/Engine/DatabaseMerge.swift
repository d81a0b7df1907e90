import CouchbaseLiteSwift
import DocumentStore
import Fleece

/// Which version is kept of a document that was changed in both databases.
enum MergeRule: String, CaseIterable {
    /// The rule of replication: a deletion wins, then the longer history, then the greater revision ID (Replication 4.7). With version vectors a
    /// deletion wins, then the later version (Version vectors 5.4).
    case standard = "default"
    case local
    case other
}

/// What a merge has changed.
struct MergeSummary {
    /// Documents that were new.
    var added = 0
    /// Documents that got a newer revision.
    var updated = 0
    /// Documents that were deleted.
    var deleted = 0
    /// Documents that were changed in both databases, by the version kept.
    var keptLocal = 0
    var keptOther = 0
    var blobs = 0
    /// Documents of the other database whose revision cannot be stored, and why.
    var failed: [Failed] = []

    struct Failed {
        let collection: String
        let id: String
        /// A phrase without a final period.
        let message: String
    }

    var conflicts: Int { keptLocal + keptOther }
}

/// Copies the revisions of a database into another one, like a pull, but without changing the other database: its checkpoints are not
/// stored there.
struct DatabaseMerge {
    let destination: Database
    let source: Database
    let rule: MergeRule
    /// Whether all changes are rolled back.
    let isDryRun: Bool
    var summary = MergeSummary()
    /// Translates versions of the source, which name the source itself as "me".
    private let translation: RevisionTranslation

    private static let batchSize = 1000

    /// Thrown to roll back the transaction of a dry run.
    private struct RolledBack: Error {}

    /// - Throws: `revisionTrees` if only the source has version vectors.
    init(into destination: Database, from source: Database, rule: MergeRule, isDryRun: Bool) throws {
        translation = try RevisionTranslation(from: source.openFile(), to: destination.openFile())
        self.destination = destination
        self.source = source
        self.rule = rule
        self.isDryRun = isDryRun
    }

    /// Merges one collection, and creates it if it does not exist in the destination.
    mutating func merge(_ collection: CollectionName, progress: (Int) -> Void) throws {
        let id = try CollectionID(name: collection.name, scope: collection.scope)
        guard let from = try source.openFile().collection(id) else { throw try collection.missing(in: source) }
        var (batch, count) = ([LocalChange](), 0)
        try from.forEachChange(after: 0) { change in
            batch.append(change)
            guard batch.count == Self.batchSize else { return true }
            try merge(batch, from, id)
            count += batch.count
            batch = []
            progress(count)
            return true
        }
        try merge(batch, from, id)
        progress(count + batch.count)
    }

    /// Merges some documents in one transaction.
    private mutating func merge(_ batch: [LocalChange], _ from: CollectionStore, _ id: CollectionID) throws {
        guard !batch.isEmpty else { return }
        if !isDryRun { for change in batch where change.hasAttachments { try copyBlobs(of: change, in: from) } }
        do {
            let file = try destination.openFile()
            try file.transaction { writer in
                let into = try file.createCollection(id)
                for change in batch { try merge(change, from, into, writer) }
                if isDryRun { throw RolledBack() }
            }
        } catch is RolledBack {}
    }

    private mutating func merge(_ change: LocalChange, _ from: CollectionStore, _ into: CollectionStore, _ writer: Writer) throws {
        guard let revision = try from.revision(change.revision, of: change.documentID) else { return }
        let before = try into.change(of: change.documentID, remote: nil)
        let received = translation.received(copying: revision)
        let outcome = try into.insert(received, remote: nil, in: writer)
        if case .refusedAsConflict = outcome {
            return try into.insert(received, in: writer) { conflict in noted(resolution(of: conflict)) }
        }
        if let fault = outcome.fault {
            summary.failed.append(.init(collection: from.id.fullName, id: change.documentID, message: fault))
        }
        guard case .inserted(_, let isConflict) = outcome else { return }
        if isConflict { return try resolve(change.documentID, in: into, writer) }
        switch (before, revision.isDeleted) {
        case (nil, false): summary.added += 1
        // A tombstone of a document that was never here is not worth reporting.
        case (nil, true): break
        case (_, true): summary.deleted += 1
        default: summary.updated += 1
        }
    }

    private mutating func resolve(_ id: String, in collection: CollectionStore, _ writer: Writer) throws {
        guard let conflict = try collection.conflict(in: id) else { return }
        _ = try collection.resolve(conflict, with: noted(resolution(of: conflict)), in: writer)
    }

    private func resolution(of conflict: StoredConflict) -> ConflictResolution {
        switch rule {
        case .local: .local
        case .other: .remote
        case .standard:
            if conflict.local.isDeleted || conflict.remote.isDeleted {
                conflict.deletion
            } else {
                conflict.prefersLocal ? .local : .remote
            }
        }
    }

    private mutating func noted(_ resolution: ConflictResolution) -> ConflictResolution {
        if case .remote = resolution { summary.keptOther += 1 } else { summary.keptLocal += 1 }
        return resolution
    }

    /// Copies the contents that the destination does not have. Content that is missing in the source too is ignored: the document can be
    /// used without it.
    private mutating func copyBlobs(of change: LocalChange, in collection: CollectionStore) throws {
        guard let revision = try collection.revision(change.revision, of: change.documentID) else { return }
        let digests = revision.body.withRoot { BlobReferences.digests(in: $0, sharedKeys: revision.sharedKeys) } ?? []
        let (from, into) = (try source.openFile().blobs, try destination.openFile().blobs)
        for digest in digests {
            guard try !into.contains(digest), let reader = try from.reader(of: digest) else { continue }
            var writer = try BlobWriter(store: into)
            while case let piece = try reader.read(upTo: 1 << 16), !piece.isEmpty { try piece.withUnsafeBytes { try writer.write($0) } }
            _ = try writer.install()
            summary.blobs += 1
        }
    }
}
