import Fleece
import SQLiteEngine

/// Replaces a database of 1.x by one of the current format (Storage format 6).
///
/// Documents keep their winning revision with its history, and their attachments. Conflicting revisions, old bodies, local documents,
/// views, expirations, identifiers and checkpoints are not migrated.
struct LegacyMigration {
    /// The number of documents written in one transaction: large enough to make the cost of commits small, and small enough to keep the
    /// write-ahead log of the new database small.
    private static let documentsPerTransaction = 1000

    private let old: Connection
    private let bundle: BundlePath
    private let version: FileVersion
    private let options: DatabaseFile.Options

    /// Creates a new bundle from the one that `old` is connected to, and installs it in place of the old one. Afterwards `old` can only be
    /// closed. Does nothing if another process has already migrated the database.
    ///
    /// - Throws: `cannotUpgrade` if something in the old database cannot be migrated, `locked` if the old database is open elsewhere,
    ///   errors of the files. After an error the old bundle is unchanged.
    static func run(_ old: Connection, _ bundle: BundlePath, _ options: DatabaseFile.Options) throws {
        guard !LegacyBundle(bundle).hasEncryptedAttachments else {
            throw StoreError.cannotUpgrade(
                path: bundle.directory,
                version: nil,
                reason: "its attachments are encrypted by Couchbase Lite 1.x, which is not supported"
            )
        }
        try old.transaction(.deferred) {
            let version = FileVersion(Int(try old.scalar("PRAGMA user_version") ?? 0))
            guard !old.hasMoved, FileVersion.legacy.contains(version) else { return }
            // The exclusive lock is taken only here, because the older journal modes hold no locks outside of transactions.
            try old.withExclusiveAccess {
                try LegacyMigration(old: old, bundle: bundle, version: version, options: options).run()
            }
        }
    }

    private func run() throws {
        let replacement = try BundleReplacement(of: bundle)
        do {
            try copy(to: replacement.unfinished)
        } catch let failure as LegacyDatabase.Failure {
            let reason = failure.description
            throw StoreError.cannotUpgrade(path: bundle.directory, version: version.number, reason: reason)
        }
        try replacement.install()
    }

    private func copy(to unfinished: BundlePath) throws {
        let source = try LegacyDatabase(old)
        var options = options
        options.createsIfMissing = true
        let file = try DatabaseFile(opened: OpenedFile(unfinished, options), options: options)
        do {
            // An unfinished replacement is never used, and a finished one is made durable as a whole.
            try file.writer().connection.execute("PRAGMA synchronous=off")
            while try copyDocuments(from: source, to: file) {}
        } catch {
            // The first error counts.
            try? file.close()
            throw error
        }
        try file.close()
    }

    /// Copies the documents of one transaction, at most ``documentsPerTransaction``.
    ///
    /// - Returns: `false` if all documents have been copied.
    private func copyDocuments(from source: LegacyDatabase, to file: DatabaseFile) throws -> Bool {
        let attachments = LegacyAttachments(source: LegacyBundle(bundle), blobs: file.blobs)
        guard let collection = try file.collection(.default) else {
            let reason = "the new database has no default collection"
            throw StoreError.cannotUpgrade(path: bundle.directory, version: version.number, reason: reason)
        }
        return try file.transaction { writer in
            for _ in 0..<Self.documentsPerTransaction {
                let isThere = try source.next(maximumDepth: writer.maximumTreeDepth) { document, json in
                    try copy(document, json, to: collection, attachments, in: writer)
                }
                guard isThere else { return false }
            }
            return true
        }
    }

    private func copy(
        _ document: LegacyDatabase.Document,
        _ json: UnsafeRawBufferPointer,
        to collection: CollectionStore,
        _ attachments: LegacyAttachments,
        in writer: Writer
    ) throws {
        guard DocumentIdentifier.isValid(document.id) else {
            throw LegacyDatabase.Failure(documentID: document.id, reason: "its ID is not valid any more")
        }
        let body: [UInt8]
        do {
            body = try encode(json, in: writer)
        } catch let error as JSONError {
            throw LegacyDatabase.Failure(documentID: document.id, reason: "its properties are damaged: \(error)")
        } catch let error as FleeceError {
            throw LegacyDatabase.Failure(documentID: document.id, reason: "its properties cannot be stored: \(error)")
        }
        let digests = try body.withUnsafeBytes { bytes in
            guard let root = Value(root: bytes), root.dictionary != nil else {
                throw LegacyDatabase.Failure(documentID: document.id, reason: "its properties are not a JSON object")
            }
            return document.hasAttachments ? BlobReferences.digests(in: root, sharedKeys: writer.keys.snapshot) : []
        }
        for digest in digests { try attachments.migrate(digest) }
        try collection.insert(document, body: body, in: writer)
    }

    private func encode(_ json: UnsafeRawBufferPointer, in writer: Writer) throws -> [UInt8] {
        writer.encoder.reset()
        if json.isEmpty {
            writer.encoder.beginDictionary()
            writer.encoder.endDictionary()
        } else {
            try JSON.parse(json, into: &writer.encoder)
        }
        return Array(try writer.encoder.finish())
    }
}

extension CollectionStore {
    /// Stores a document that does not exist yet, with its history, like a document received from another database.
    fileprivate func insert(_ document: LegacyDatabase.Document, body: [UInt8], in writer: Writer) throws {
        let last = document.history.count - 1
        var revisions = document.history.enumerated().map { index, id in
            Revision(id: id, parent: index < last ? index + 1 : nil, flags: [], sequence: 0)
        }
        revisions[0].body = body
        revisions[0].flags = .leaf
        if document.isDeleted { revisions[0].flags.insert(.deleted) }
        if document.hasAttachments { revisions[0].flags.insert(.hasAttachments) }
        try insert(RevisionTree(revisions), as: document.id, in: writer)
    }
}
