package import Base
import Synchronization

/// A configuration of log files that can be changed until it is used. Thread-safe.
package final class LogFileDraft: Sendable {
    /// What can be changed.
    package struct Values: Sendable {
        /// Whether files begin without the bytes that mark them.
        package var isPlainText: Bool
        /// The size in bytes beyond which a file is followed by a new one.
        package var maxSize: UInt64
        /// The number of files that are kept per level in addition to the current one.
        package var maxRotateCount: Int

        package init(isPlainText: Bool, maxSize: UInt64, maxRotateCount: Int) {
            (self.isPlainText, self.maxSize, self.maxRotateCount) = (isPlainText, maxSize, maxRotateCount)
        }
    }

    private struct State {
        var values: Values
        var isFrozen = false
    }

    /// The path of the directory, which cannot be changed.
    package let directory: String
    private let state: Mutex<State>

    /// Creates a configuration that can be changed.
    package init(directory: String, _ values: Values) {
        self.directory = directory
        state = Mutex(State(values: values))
    }

    /// The present values.
    package var values: Values { state.withLock { $0.values } }

    /// Changes the values. Returns `false`, without changing anything, if the configuration is used already.
    package func change(_ change: (inout Values) -> Void) -> Bool {
        state.withLock { state in
            if !state.isFrozen { change(&state.values) }
            return !state.isFrozen
        }
    }

    /// Prevents changes from now on.
    package func freeze() { state.withLock { $0.isFrozen = true } }

    /// Returns the settings of a file sink.
    ///
    /// - Parameter library: The name and version of the library.
    package func settings(level: EventLevel?, library: String) -> LogFileSettings {
        let values = values
        return LogFileSettings(
            level: level,
            directory: directory,
            isPlainText: values.isPlainText,
            maxKeptFiles: Int32(clamping: max(0, min(values.maxRotateCount, Int(Int32.max) - 1)) + 1),
            maxFileSize: Int64(clamping: values.maxSize),
            library: library
        )
    }
}
