import Backup
import DocumentStore
import Foundation

/// Backups, which the public API does not have.
extension Opening {
    struct BackupSummary {
        let section: Int
        let databaseSize: UInt64
        let blobs: Int
        let blobBytes: UInt64
        let written: UInt64
    }

    /// Writes a backup to a file, or adds what has changed to one.
    func backUp(to path: String, isIncremental: Bool, isReplacing: Bool, progress: (UInt64, UInt64) throws -> Void) throws -> BackupSummary
    {
        let bundle = BundlePath(self.path)
        let made =
            isIncremental && FileManager.default.fileExists(atPath: path)
            ? try Backup.addIncrement(of: bundle, options: readingOptions, to: path, progress: progress)
            : try Backup.make(of: bundle, options: readingOptions, to: path, replacing: isReplacing, progress: progress)
        return BackupSummary(
            section: made.section,
            databaseSize: made.databaseSize,
            blobs: made.blobs,
            blobBytes: made.blobBytes,
            written: made.written
        )
    }

    /// Makes the database of a backup at this path.
    func restore(_ file: String, section: Int?, isRenewed: Bool, progress: (UInt64, UInt64) throws -> Void) throws -> BackupReport.Section {
        let options = isRenewed ? writingOptions : nil
        return BackupReport.Section(
            section: try Backup.restore(file, section: section, to: BundlePath(path), renewedWith: options, progress: progress)
        )
    }
}

/// What is in a backup, and what of it is damaged.
struct BackupReport {
    struct Section {
        fileprivate let section: BackupSection

        var number: Int { section.number }
        var time: Date { section.time }
        var isIncremental: Bool { section.isIncremental }
        var isEncrypted: Bool { section.isEncrypted }
        /// The name of the database, without characters that would control a terminal.
        var name: String { DisplayWidth.printable(section.name) }
        var databaseSize: UInt64 { section.databaseSize }
        var blobs: Int { section.blobs }
        var blobBytes: UInt64 { section.blobBytes }
        var storedSize: UInt64 { section.storedSize }
    }

    let sections: [Section]
    let problems: [String]
    let problemCount: Int
    let hasUnfinishedSection: Bool

    init(_ path: String, progress: (UInt64, UInt64) throws -> Void) throws {
        let report = try Backup.verify(path, progress: progress)
        sections = report.sections.map { Section(section: $0) }
        (problems, problemCount, hasUnfinishedSection) = (report.problems, report.problemCount, report.hasUnfinishedSection)
    }
}

extension Failure {
    init(_ error: BackupError) {
        let message = error.description
        switch error {
        case .system(_, let code): self.init(code == EACCES || code == EPERM || code == EROFS ? .noPermission : .inputOutput, message)
        case .alreadyExists: self.init(.cannotCreate, message)
        case .missing, .noSection: self.init(.notFound, message)
        case .inUse: self.init(.busy, message)
        case .tooNew: self.init(.unsupportedVersion, message)
        case .notABackup, .damaged: self.init(.badData, message)
        }
    }
}
