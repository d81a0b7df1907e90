import Base
import Foundation
import Synchronization

/// Writes log files: one per level, rotated when they exceed the maximum size.
package final class FileLogWriter: Sendable {
    private struct State: Sendable {
        var settings: LogFileSettings
        /// The number of the change that set the settings.
        var change = 0
        var files: [EventLevel: LogFile] = [:]
        /// Whether the failure to write files has been reported.
        var hasFailed = false
        var isClosed = false
    }

    private let directory: String
    private let state: Mutex<State>

    init(_ settings: LogFileSettings) {
        directory = settings.directory
        state = Mutex(State(settings: settings))
    }

    /// Returns whether `settings` uses the same files; sizes and levels may differ.
    package func hasFiles(of settings: LogFileSettings) -> Bool {
        directory.isExactly(settings.directory) && state.withLock { $0.settings.isPlainText } == settings.isPlainText
    }

    /// Creates the directory, and a file for each level that is logged and has none yet (API 13).
    ///
    /// - Parameters:
    ///   - settings: The new settings.
    ///   - change: The number of the change of the settings. Threads that set a file sink can call this in another order;
    ///     the call with the highest number counts.
    /// - Returns: The error message; `nil` if it succeeded, or if the previous attempt failed too.
    package func open(_ settings: LogFileSettings, change: Int) -> String? {
        attempt { state in
            guard change >= state.change else { return }
            state.change = change
            state.settings = settings
            try settings.makeDirectory()
            for level in EventLevel.allCases where settings.includes(level) && state.files[level] == nil {
                state.files[level] = try LogFile(level, settings)
            }
        }
    }

    /// Writes a line to the file of its level.
    ///
    /// - Returns: The error message; `nil` if it succeeded, or if the previous attempt failed too.
    package func write(_ line: LogLine) -> String? {
        let data = line.utf8
        return attempt { try write(data, to: line.level, &$0) }
    }

    /// Closes all files. Lines that other threads write later are dropped.
    package func close() {
        state.withLock { state in
            state.files.removeAll()
            state.isClosed = true
        }
    }

    private func attempt(_ work: (inout State) throws -> Void) -> String? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            do {
                try work(&state)
                state.hasFailed = false
                return nil
            } catch {
                defer { state.hasFailed = true }
                return state.hasFailed ? nil : "Log files in \(directory) cannot be written: \(error)"
            }
        }
    }

    private func write(_ data: Data, to level: EventLevel, _ state: inout State) throws {
        var file = try state.files[level] ?? LogFile(level, state.settings)
        do {
            try file.append(data)
        } catch {
            // The directory may have been unmounted or replaced: the next write creates a new file.
            state.files[level] = nil
            throw error
        }
        state.files[level] = file.size > state.settings.maxFileSize ? nil : file
    }
}
