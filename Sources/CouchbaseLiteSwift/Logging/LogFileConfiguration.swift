import Synchronization

/// Which log files there are, as ``FileLogger`` is told. Once it has been given to that it must not be changed any more.
public class LogFileConfiguration: @unchecked Sendable {
    // Unchecked because the class is open to the module; all that changes is in `state`, under its lock.

    /// Whether files have no mark at their beginning when nothing else is said: false.
    public static let defaultUsePlaintext = false
    /// Whether files have no mark at their beginning when nothing else is said: false.
    public static let defaultUsePlainText = false
    /// How large files get when nothing else is said: 524,288 bytes.
    public static let defaultMaxSize: UInt64 = 524_288
    /// How many older files of a level are kept when nothing else is said: 1.
    public static let defaultMaxRotateCount = 1

    /// The directory of the files, which is made when it is missing.
    public let directory: String

    private struct State {
        var usePlainText = LogFileConfiguration.defaultUsePlaintext
        var maxSize = LogFileConfiguration.defaultMaxSize
        var maxRotateCount = LogFileConfiguration.defaultMaxRotateCount
        var isFrozen = false
    }
    private let state = Mutex(State())

    /// Files in `directory`, and the defaults.
    public init(directory: String) {
        self.directory = directory
    }

    /// Whether files have no mark at their beginning.
    public var usePlainText: Bool {
        get { state.withLock { $0.usePlainText } }
        set { change { $0.usePlainText = newValue } }
    }

    /// The size in bytes beyond which a file is followed by a new one.
    public var maxSize: UInt64 {
        get { state.withLock { $0.maxSize } }
        set { change { $0.maxSize = newValue } }
    }

    /// How many files of a level are kept beside the one being written.
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

    func freeze() {
        state.withLock { $0.isFrozen = true }
    }

    /// The same in the newer form.
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
