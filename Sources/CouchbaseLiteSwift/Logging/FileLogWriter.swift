import Synchronization

/// Writes log files: one for each level, renewed as they grow.
final class FileLogWriter: Sendable {
    private struct State: Sendable {
        var files: [LogLevel: LogFile] = [:]
        /// Whether it has been said that files cannot be written.
        var hasFailed = false
        var isClosed = false
    }

    private let settings: FileLogSink
    private let state = Mutex(State())

    init(_ settings: FileLogSink) {
        self.settings = settings
    }

    /// Writes a line to the files of its level and those below it, down to that of `lowest`.
    ///
    /// - Returns: Why that failed; nil when it worked, and when it failed the last time too.
    func write(_ line: LogLine, downTo lowest: LogLevel) -> String? {
        let data = line.utf8
        return state.withLock { state in
            guard !state.isClosed else { return nil }
            do {
                for level in LogLevel.ofMessages where lowest.includes(level) && level.includes(line.level) {
                    try write(data, to: level, &state)
                }
                state.hasFailed = false
                return nil
            } catch {
                defer { state.hasFailed = true }
                return state.hasFailed ? nil : "The log in \(settings.directory) cannot be written: \(error)"
            }
        }
    }

    /// Closes all files. What others still want to write is dropped.
    func close() {
        state.withLock { state in
            state.files.removeAll()
            state.isClosed = true
        }
    }

    private func write(_ data: Data, to level: LogLevel, _ state: inout State) throws {
        var file = try state.files[level] ?? LogFile(level, settings)
        do {
            try file.append(data)
        } catch {
            // Somebody may have unmounted or replaced the directory: next time a new file is tried.
            state.files[level] = nil
            throw error
        }
        state.files[level] = file.size > settings.maxFileSize ? nil : file
    }
}
