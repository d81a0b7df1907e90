import Base
import Foundation
import SQLiteEngine

/// Copies whole databases.
package enum DatabaseCopy {
    /// Copies the database at `source`, which may be open, and may be on a read-only medium.
    ///
    /// The copy is built beside its destination and moved there when it is complete. It gets new UUIDs. The old private UUID is kept as the
    /// previous one, with which the replicator finds its old checkpoints (Storage format 2.1). A copy of a database of 1.x is upgraded.
    ///
    /// - Throws: `alreadyExists` if something exists at the destination, or ``StoreError`` if the source cannot be opened or the copy
    ///   cannot be written. After an error there are no leftovers.
    package static func copy(_ source: BundlePath, to destination: BundlePath, options: DatabaseFile.Options = .init()) throws {
        let files = FileManager.default
        BundleReplacement.recover(destination)
        guard !files.fileExists(atPath: destination.directory) else { throw StoreError.alreadyExists(path: destination.directory) }
        var isDirectory: ObjCBool = false
        let parent = URL(fileURLWithPath: destination.directory).deletingLastPathComponent()
        if !files.fileExists(atPath: parent.path, isDirectory: &isDirectory) {
            do {
                try makePrivateDirectory(parent.path)
            } catch {
                throw StoreError(error, path: destination.directory)
            }
        }
        let replacement = try BundleReplacement(of: destination)
        // One level deeper, because a copy of a database of 1.x is itself replaced by the upgrade.
        let copy = BundlePath(replacement.unfinished.directory + "/copy.cblite2")
        do {
            try makePrivateDirectory(copy.directory)
            try copyContents(source, to: copy, options)
            try renew(copy, options)
            try replacement.installAsNew(copy)
        } catch {
            throw error is CocoaError ? StoreError(error, path: destination.directory) : error
        }
        EngineLog.log(.info, .database, "copied the database at \(source.directory) to \(destination.directory)")
    }

    private static func copyContents(_ source: BundlePath, to destination: BundlePath, _ options: DatabaseFile.Options) throws {
        var reading = options
        reading.isReadOnly = true
        let lock = BundleLock(source, .copying)
        defer { lock?.release() }
        let logFileCleanup = LogFileCleanup(before: source)
        var isImmutable = false
        var encryption: EncryptedFileSystem?
        var blobs = (from: source.attachments, to: destination.attachments)
        do {
            // Opening checks the source, and determines how it must be read.
            let opened = try OpenedFile(source, reading)
            isImmutable = opened.isImmutable
            encryption = opened.encryption
        } catch StoreError.tooOld(_, let version) where FileVersion.legacy.contains(FileVersion(version)) {
            // The copy is upgraded when it is opened.
            blobs = (LegacyBundle(source).attachments, LegacyBundle(destination).attachments)
        }
        let original = try Connection(path: source.sqliteFile, mode: .readOnly, immutable: isImmutable, encryption: encryption)
        defer {
            original.closeLoggingErrors()
            logFileCleanup.remove()
        }
        // The copy has the same keys, so that the files of blobs can be copied unchanged.
        try encryption?.begin(at: destination.sqliteFile)
        let copy = try Connection(path: destination.sqliteFile, mode: .create, encryption: encryption)
        defer { copy.closeLoggingErrors() }
        try original.backup(to: copy)
        guard let from = try BlobDirectory(blobs.from) else { return }
        try makePrivateDirectory(blobs.to)
        guard let to = try BlobDirectory(blobs.to) else { throw StoreError.missing(path: blobs.to) }
        // Temporary files of unfinished blobs, and entries that are not files, are not copied.
        for name in try from.names() where name.utf8.suffix(5).elementsEqual(".blob".utf8) {
            guard case .file = try from.entry(name), let file = try from.file(name) else { continue }
            defer { file.close() }
            try file.copy(to: name, in: to)
        }
    }

    /// Gives a database new UUIDs. Versions made until now keep the old one as their source.
    package static func renew(_ bundle: BundlePath, _ options: DatabaseFile.Options) throws {
        var writing = options
        writing.isReadOnly = false
        writing.createsIfMissing = false
        let file = try DatabaseRegistry.open(bundle.directory, options: writing)
        do {
            try file.transaction { writer in
                if writer.usesVersions {
                    guard let own = try InfoStore.bytes(InfoStore.publicUUID, on: writer.connection).flatMap({ SourceID($0) }) else {
                        throw StoreError.corrupt(path: bundle.directory, reason: "it has no public UUID")
                    }
                    let versions = AbsoluteVersions(of: own, writer)
                    for id in try file.collectionIDs() {
                        if let collection = try file.collection(id) { try versions.apply(to: collection) }
                    }
                }
                if let old = try InfoStore.bytes(InfoStore.privateUUID, on: writer.connection) {
                    try InfoStore.set(InfoStore.previousPrivateUUID, to: old, on: writer.connection)
                }
                for key in [InfoStore.publicUUID, InfoStore.privateUUID] {
                    try InfoStore.set(key, to: InfoStore.makeUUID(), on: writer.connection)
                }
                // The peers of the original compare everything if they replicate with the copy (Replication 6.5).
                try RawStore.peerCheckpoints.removeAll(in: writer)
            }
        } catch {
            DatabaseRegistry.closeLoggingErrors(file)
            throw error
        }
        try DatabaseRegistry.close(file)
    }
}
