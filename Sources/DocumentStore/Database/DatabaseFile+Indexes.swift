import LogCore
import SQLiteEngine

extension DatabaseFile {
    /// Rebuilds indexes that an earlier version of this library may have written with other keys, all in one transaction. Takes one lookup
    /// if nothing needs to be done.
    ///
    /// Must be called before the file is shared. If it is not possible, for example because another process is writing, the file is used
    /// unchanged, and the next opening tries again.
    ///
    /// - Returns: Messages for the log, see ``OpeningReport``.
    func renewOutdatedIndexes() -> [(level: EventLevel, message: String)] {
        guard let support = options.indexes, let writer = writerIfWritable else { return [] }
        do {
            guard try IndexFormat.isOutdated(on: writer.connection) else { return [] }
            writer.connection.busyTimeout = .zero
            defer { writer.connection.busyTimeout = options.busyTimeout }
            let failures: [String]? = try transaction { writer in
                // Another process may have rebuilt them already.
                guard try IndexFormat.isOutdated(on: writer.connection) else { return nil }
                let failures = try support.rebuild(self, writer)
                try IndexFormat.note(on: writer.connection)
                return failures
            }
            guard let failures else { return [] }
            let message =
                "rebuilt the indexes of the database at \(bundle.directory), which an earlier version may have written"
            return failures.map { (.warning, $0) } + [(.info, message)]
        } catch {
            let message = "could not rebuild the indexes of the database at \(bundle.directory): \(error)"
            return [(.warning, message)]
        }
    }
}
