import Base
import Crypto
package import DocumentStore
import Foundation

/// Backups of databases in one file: see `Documentation/formats/backup.md`.
package enum Backup {
    /// What was written.
    package struct Summary: Sendable {
        /// The number of the section that was written, from 1.
        package fileprivate(set) var section = 1
        /// The size of the database file in bytes.
        package fileprivate(set) var databaseSize: UInt64 = 0
        /// The number of blobs of the database, those that earlier sections contain included.
        package fileprivate(set) var blobs = 0
        /// The size of all these blobs in bytes.
        package fileprivate(set) var blobBytes: UInt64 = 0
        /// The bytes that were added to the file.
        package fileprivate(set) var written: UInt64 = 0
    }

    /// Writes a backup to a new file. The file appears when it is complete and on the medium.
    ///
    /// - Parameters:
    ///   - replacing: Whether an existing file is replaced.
    ///   - progress: Called with the number of bytes that were read, and the number of all; it may throw to stop.
    /// - Throws: ``BackupError``; ``StoreError`` if the database cannot be opened.
    package static func make(
        of bundle: BundlePath,
        options: DatabaseFile.Options,
        to path: String,
        replacing: Bool = false,
        progress: (_ done: UInt64, _ total: UInt64) throws -> Void = { _, _ in }
    ) throws -> Summary {
        var status = stat()
        guard replacing || lstat(path, &status) != 0 else { throw BackupError.alreadyExists(path: path) }
        let unfinished = try UnfinishedFile(for: path)
        let header = BackupFormat.header
        guard header.withUnsafeBytes({ writeAll($0, to: unfinished.descriptor) }) else {
            throw BackupError.system(path: path, code: errno)
        }
        let writer = BlockWriter(descriptor: unfinished.descriptor, path: path, after: Array(SHA256.hash(data: header)))
        var summary = try add(bundle, options, to: writer, previous: nil, progress)
        try writeSectionCount(1, unfinished.descriptor, path)
        summary.written = UInt64(max(lseek(unfinished.descriptor, 0, SEEK_CUR), 0))
        try unfinished.install(replacing: replacing)
        synchronizeParent(of: path)
        return summary
    }

    /// Adds a section to a backup, with what has changed in the database since the last one. If this is interrupted, the backup is as it was
    /// before.
    ///
    /// - Throws: `damaged` if the backup is damaged; `inUse`; as ``make(of:options:to:replacing:progress:)``.
    package static func addIncrement(
        of bundle: BundlePath,
        options: DatabaseFile.Options,
        to path: String,
        progress: (_ done: UInt64, _ total: UInt64) throws -> Void = { _, _ in }
    ) throws -> Summary {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT ? BackupError.missing(path: path) : .system(path: path, code: errno) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw BackupError.inUse(path: path) }
        var scan = try BackupScan(path)
        try scan.run()
        if let problem = scan.problems.first {
            throw BackupError.damaged(path: path, first: problem.description, count: scan.problemCount)
        }
        // An unfinished section is removed.
        guard ftruncate(descriptor, off_t(scan.end.offset)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw BackupError.system(path: path, code: errno)
        }
        let writer = BlockWriter(descriptor: descriptor, path: path, after: scan.end.digest)
        let previous = scan.sections.last.map { last in
            Previous(chunks: scan.chunks, blobSizes: scan.blobs, isEncrypted: last.isEncrypted)
        }
        do {
            var summary = try add(bundle, options, to: writer, previous: previous, progress)
            summary.section = scan.sections.count + 1
            try writeSectionCount(summary.section, descriptor, path)
            summary.written = UInt64(max(lseek(descriptor, 0, SEEK_CUR), 0)) - scan.end.offset
            return summary
        } catch {
            _ = ftruncate(descriptor, off_t(scan.end.offset))
            try? writeSectionCount(scan.sections.count, descriptor, path)
            throw error
        }
    }

    /// What the section before contains.
    private struct Previous {
        let chunks: [UInt8]
        let blobSizes: [ExactString: UInt64]
        let isEncrypted: Bool
    }

    private static func writeSectionCount(_ count: Int, _ descriptor: Int32, _ path: String) throws(BackupError) {
        let bytes = BackupFormat.sectionCount(count)
        let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(BackupFormat.sectionCountOffset)) }
        guard written == bytes.count, synchronize(descriptor: descriptor) else { throw .system(path: path, code: errno) }
    }

    private static func synchronizeParent(of path: String) {
        let descriptor = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = synchronize(descriptor: descriptor)
        close(descriptor)
    }

    /// Writes one section, and waits until it is on the medium.
    private static func add(
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options,
        to output: consuming BlockWriter,
        previous: Previous?,
        _ progress: (UInt64, UInt64) throws -> Void
    ) throws -> Summary {
        var writer = output
        return try BundleSnapshot.withFiles(of: bundle, options: options) { snapshot in
            let blobs = try snapshot.blobFiles()
            // The content of a blob never changes, but its file does: a damaged one is replaced, and all are sealed again with a new key.
            let known = previous?.isEncrypted == snapshot.isEncrypted ? previous?.blobSizes ?? [:] : [:]
            var new = blobs.filter { known[ExactString($0.name)] != $0.size }
            var total = new.reduce(snapshot.database.size) { $0 &+ $1.size }
            writer.compresses = !snapshot.isEncrypted
            let start = SectionStart(
                time: Int64((Date().timeIntervalSince1970 * 1000).rounded()),
                isIncremental: previous != nil,
                isEncrypted: snapshot.isEncrypted,
                databaseSize: snapshot.database.size,
                name: URL(fileURLWithPath: bundle.directory).deletingPathExtension().lastPathComponent
            )
            try writer.append(.start, Array(try JSONEncoder().encode(start)))
            var section = SectionWriter(previousChunks: previous?.chunks ?? [])
            try section.writeDatabase(snapshot.database, to: &writer) { try progress($0, total) }
            if snapshot.isEncrypted, !section.beginsAsBefore {
                new = blobs
                total = new.reduce(snapshot.database.size) { $0 &+ $1.size }
            }
            try snapshot.withLog { log in
                try section.writeLog(log, to: &writer) { try snapshot.isComplete(log) }
            }
            var done = snapshot.database.size
            for blob in new {
                try snapshot.withBlob(blob.name) { try section.writeBlob(blob.name, $0, to: &writer) }
                done &+= blob.size
                try progress(done, total)
            }
            try section.writeChunks(to: &writer)
            let size = blobs.reduce(UInt64(0)) { $0 &+ $1.size }
            try section.finish(blobs.map(\.name), size, to: &writer)
            return Summary(databaseSize: snapshot.database.size, blobs: blobs.count, blobBytes: size)
        }
    }
}
