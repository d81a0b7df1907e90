import Base
package import DocumentStore
import Foundation

extension Backup {
    /// What was found in a backup.
    package struct Report: Sendable {
        /// The complete sections, in the order of the file.
        package let sections: [BackupSection]
        /// The first damages, and where they are.
        package let problems: [String]
        /// The number of all damages.
        package let problemCount: Int
        /// Whether there is an unfinished section at the end, because adding it was interrupted.
        package let hasUnfinishedSection: Bool
    }

    /// Reads a whole backup and checks it. Needs no key.
    ///
    /// - Throws: ``BackupError`` if the file is not a backup at all, or cannot be read.
    package static func verify(_ path: String, progress: (_ done: UInt64, _ total: UInt64) throws -> Void = { _, _ in }) throws -> Report {
        var scan = try BackupScan(path)
        let size = scan.fileSize
        try scan.run { try progress($0, size) }
        return Report(
            sections: scan.sections,
            problems: scan.problems.map(\.description),
            problemCount: scan.problemCount,
            hasUnfinishedSection: scan.unfinished != nil
        )
    }

    /// Makes the database of a section anew. It appears at its path when it is complete and on the medium.
    ///
    /// The database keeps its UUIDs, so that its replications go on from the checkpoints that the backup has. Clients that replicate with it
    /// compare everything the next time; see ``RestorationMark``. Needs no key.
    ///
    /// - Parameters:
    ///   - number: The number of the section; `nil` for the last one.
    ///   - options: If not `nil`, the database gets new UUIDs, which needs its key.
    /// - Throws: `damaged` if the section or one before it is damaged; `noSection`; ``StoreError`` if the database exists or cannot be
    ///   written.
    package static func restore(
        _ path: String,
        section number: Int? = nil,
        to bundle: BundlePath,
        renewedWith options: DatabaseFile.Options? = nil,
        progress: (_ done: UInt64, _ total: UInt64) throws -> Void = { _, _ in }
    ) throws -> BackupSection {
        var check = try BackupScan(path)
        let total = check.fileSize &* 2
        try check.run(upTo: number) { try progress($0, total) }
        if let problem = check.problems.first {
            throw BackupError.damaged(path: path, first: problem.description, count: check.problemCount)
        }
        guard let section = check.sections.last, section.number == number ?? section.number else {
            throw BackupError.noSection(path: path, number: number ?? 1, count: check.sections.count)
        }
        var status = stat()
        guard lstat(bundle.directory, &status) != 0 else { throw StoreError.alreadyExists(path: bundle.directory) }
        let replacement = try BundleReplacement(of: bundle)
        let made = BundlePath(replacement.unfinished.directory + "/restored.cblite2")
        let files = RestoredFiles(made, upTo: section, blobs: Set(check.blobs.keys))
        var scan = try BackupScan(path, visitor: files)
        try scan.run(upTo: section.number) { try progress(total / 2 &+ $0, total) }
        // The file may have changed since it was checked.
        if let problem = scan.problems.first {
            throw BackupError.damaged(path: path, first: problem.description, count: scan.problemCount)
        }
        files.closeFile()
        if let options { try DatabaseCopy.renew(made, options) } else { try RestorationMark.set(made) }
        try replacement.installAsNew(made)
        return section
    }
}

/// The files of a database that is restored.
private final class RestoredFiles: BackupVisitor {
    private let bundle: BundlePath
    private let last: BackupSection
    private let blobs: Set<ExactString>
    private var isLast = false
    private var databaseFile: Int32 = -1
    /// The log of the last section, or a blob; -1 if what comes is not needed.
    private var openFile: Int32 = -1
    private var openPath = ""

    init(_ bundle: BundlePath, upTo last: BackupSection, blobs: Set<ExactString>) {
        self.bundle = bundle
        self.last = last
        self.blobs = blobs
    }

    deinit {
        for descriptor in [databaseFile, openFile] where descriptor >= 0 { close(descriptor) }
    }

    private func create(_ path: String, mode: mode_t = 0o600) throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw BackupError.system(path: path, code: errno) }
        return descriptor
    }

    private func write(_ bytes: [UInt8], at position: UInt64, to descriptor: Int32, _ path: String) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(clamping: position) + off_t(done))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw BackupError.system(path: path, code: errno)
            }
            done += count
        }
    }

    func closeFile() {
        if openFile >= 0 { close(openFile) }
        openFile = -1
    }

    func begin(_ section: BackupSection) throws {
        closeFile()
        isLast = section.number == last.number
        if databaseFile < 0 {
            try FileManager.default.createDirectory(
                atPath: bundle.attachments,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            databaseFile = try create(bundle.sqliteFile)
        }
        guard ftruncate(databaseFile, off_t(clamping: section.databaseSize)) == 0 else {
            throw BackupError.system(path: bundle.sqliteFile, code: errno)
        }
    }

    func database(_ bytes: [UInt8], at position: UInt64) throws {
        try write(bytes, at: position, to: databaseFile, bundle.sqliteFile)
    }

    func log(_ bytes: [UInt8], at position: UInt64) throws {
        guard isLast else { return }
        if position == 0 {
            closeFile()
            openPath = last.isEncrypted ? bundle.encryptedLog : bundle.writeAheadLog
            openFile = try create(openPath)
        }
        try write(bytes, at: position, to: openFile, openPath)
    }

    func blob(_ name: String) throws {
        closeFile()
        guard blobs.contains(name) else { return }
        openPath = bundle.attachments + "/" + name
        // A blob can come again in a later section, if it was deleted meanwhile.
        unlink(openPath)
        openFile = try create(openPath, mode: 0o400)
    }

    func content(_ bytes: [UInt8], at position: UInt64) throws {
        if openFile >= 0 { try write(bytes, at: position, to: openFile, openPath) }
    }
}
