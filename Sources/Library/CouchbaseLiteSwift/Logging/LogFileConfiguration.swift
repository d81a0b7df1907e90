import LogOutput

/// The configuration of log files for ``FileLogger``. Thread-safe.
///
/// Changing it after it has been set there is a programming error, which traps.
@available(*, deprecated, message: "Use FileLogSink")
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
    public var directory: String { draft.directory }

    let draft: LogFileDraft

    /// Creates a configuration for files in `directory`, with default values for the other properties.
    public init(directory: String) {
        let values = LogFileDraft.Values(
            isPlainText: Self.defaultUsePlaintext,
            maxSize: Self.defaultMaxSize,
            maxRotateCount: Self.defaultMaxRotateCount
        )
        draft = LogFileDraft(directory: directory, values)
    }

    /// Whether files are plain text, without four marker bytes at the beginning; see ``FileLogSink``. Default: ``defaultUsePlaintext``.
    public var usePlainText: Bool {
        get { draft.values.isPlainText }
        set { change { $0.isPlainText = newValue } }
    }

    /// The size in bytes beyond which a file is followed by a new one. Default: ``defaultMaxSize``.
    public var maxSize: UInt64 {
        get { draft.values.maxSize }
        set { change { $0.maxSize = newValue } }
    }

    /// The number of files that are kept per level in addition to the current one. Default: ``defaultMaxRotateCount``.
    public var maxRotateCount: Int {
        get { draft.values.maxRotateCount }
        set { change { $0.maxRotateCount = newValue } }
    }

    private func change(_ change: (inout LogFileDraft.Values) -> Void) {
        guard draft.change(change) else {
            _CBLMisuse.inconsistency("The configuration of log files that are in use cannot be changed.")
        }
    }
}
