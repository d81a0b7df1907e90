import LogCore
import SQLiteEngine

extension DatabaseFile {
    /// Makes indexes anew that an earlier version of this library may have written with other keys, all in one transaction. Costs one
    /// look-up when there is nothing to do.
    ///
    /// To be called before anybody else has the file. When it cannot be done, as while another process is writing, the file is used
    /// as it is, and the next opening tries again.
    ///
    /// - Returns: What there is to be said of it, see ``OpeningReport``.
    func renewOutdatedIndexes() -> [(level: EventLevel, message: String)] {
        guard let support = options.indexes, let writer = writerIfWritable else { return [] }
        do {
            guard try IndexFormat.isOutdated(on: writer.connection) else { return [] }
            writer.connection.busyTimeout = .zero
            defer { writer.connection.busyTimeout = options.busyTimeout }
            let failures: [String]? = try transaction { writer in
                // Another process may have been faster.
                guard try IndexFormat.isOutdated(on: writer.connection) else { return nil }
                let failures = try support.rebuild(self, writer)
                try IndexFormat.note(on: writer.connection)
                return failures
            }
            guard let failures else { return [] }
            let message =
                "built the indexes anew of the database at \(bundle.directory), which an earlier version may have written"
            return failures.map { (.warning, $0) } + [(.info, message)]
        } catch {
            let message = "could not build the indexes anew of the database at \(bundle.directory): \(error)"
            return [(.warning, message)]
        }
    }
}
