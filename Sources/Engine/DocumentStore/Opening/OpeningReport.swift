import Base

/// Logs the opening of a file: whether it is new, was upgraded, or was not closed properly.
struct OpeningReport {
    /// The size of the write-ahead log before opening, in bytes. A file that was closed properly has no log.
    private let logSize: UInt64
    /// The messages about rebuilt indexes.
    var indexes: [(level: EventLevel, message: String)] = []

    /// Records the state. Must be called before the file at `bundle` is opened.
    init(before bundle: BundlePath) { logSize = EngineLog.isEnabled(.info, .database) ? bundle.logSize : 0 }

    /// Logs how `file` was opened. Must be called without holding locks.
    func log(_ file: DatabaseFile) {
        let path = file.bundle.directory
        if logSize > 0 {
            EngineLog.log(
                .info,
                .database,
                "the database at \(path) was not closed in order, or is open elsewhere: found a log of \(logSize) bytes"
            )
        }
        for note in indexes { EngineLog.log(note.level, .database, note.message) }
        EngineLog.log(.info, .database, message(file, path))
        if !file.removedTriggers.isEmpty {
            let names = file.removedTriggers.map { "\"\($0)\"" }.joined(separator: ", ")
            EngineLog.log(
                .warning,
                .database,
                "removed triggers of another program from the database at \(path), which would have changed documents: \(names)"
            )
        }
    }

    private func message(_ file: DatabaseFile, _ path: String) -> String {
        if file.options.isReadOnly {
            return "opened the database at \(path) read-only, file version \(file.version.number)"
        }
        if file.versionFound == .none { return "created the database at \(path)" }
        if file.versionFound != file.version {
            return
                "upgraded the database at \(path) from file version \(file.versionFound.number) to \(file.version.number)"
        }
        return "opened the database at \(path), file version \(file.version.number)"
    }
}
