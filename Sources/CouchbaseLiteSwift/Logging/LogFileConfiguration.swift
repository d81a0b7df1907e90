import Synchronization

/// The configuration of log files for ``FileLogger``. Thread-safe.
///
/// Changing it after it has been set there is a programming error, which traps.
public final class LogFileConfiguration: Sendable {
    /// The default of ``usePlainText``: `false`.
    public static let defaultUsePlaintext = false
    /// The default of ``usePlainText``: `false`.
    public static let defaultUsePlainText = false
    /// The default of ``maxSize``: 524,288 bytes.
    public static let defaultMaxSize: UInt64 = 524_288
    /// The default of ``maxRotateCount``: 1.
    public static let defaultMaxRotateCount = 1

    /// The path of the directory of the files, which is created if it does not exist.
    public let directory: String

    private struct State {
        var usePlainText = LogFileConfiguration.defaultUsePlaintext
        var maxSize = LogFileConfiguration.defaultMaxSize
        var maxRotateCount = LogFileConfiguration.defaultMaxRotateCount
        var isFrozen = false
    }
    private let state = Mutex(State())

    /// Creates a configuration for files in `directory`, with default values for the other properties.
    public init(directory: String) { self.directory = directory }

    /// Whether files are plain text, without four marker bytes at the beginning; see ``FileLogSink``. Default: ``defaultUsePlaintext``.
    public var usePlainText: Bool {
        get { state.withLock { $0.usePlainText } }
        set { change { $0.usePlainText = newValue } }
    }

    /// The size in bytes beyond which a file is followed by a new one. Default: ``defaultMaxSize``.
    public var maxSize: UInt64 {
        get { state.withLock { $0.maxSize } }
        set { change { $0.maxSize = newValue } }
    }

    /// The number of files that are kept per level in addition to the current one. Default: ``defaultMaxRotateCount``.
    public var maxRotateCount: Int {
        get { state.withLock { $0.maxRotateCount } }
        set { change { $0.maxRotateCount = newValue } }
    }

    private func change(_ change: (inout State) -> Void) {
        let isFrozen = state.withLock { state in
            if !state.isFrozen { change(&state) }
            return state.isFrozen
        }
        if isFrozen { _CBLMisuse.inconsistency("The configuration of log files that are in use cannot be changed.") }
    }

    func freeze() { state.withLock { $0.isFrozen = true } }

    /// Returns the same configuration in the newer form.
    func sink(level: LogLevel) -> FileLogSink {
        state.withLock { state in
            FileLogSink(
                level: level,
                directory: directory,
                usePlainText: state.usePlainText,
                maxKeptFiles: Int32(clamping: max(0, min(state.maxRotateCount, Int(Int32.max) - 1)) + 1),
                maxFileSize: Int64(clamping: state.maxSize)
            )
        }
    }
}
