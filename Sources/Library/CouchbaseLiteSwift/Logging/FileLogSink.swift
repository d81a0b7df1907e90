import LogOutput

/// Writes log messages to files.
///
/// There is one file per level, `cbl_<level>_<milliseconds since 1970>.cbllog`, which contains the messages of exactly
/// that level. The directory, and a file for each level that is logged, are created when the sink is set. A file that
/// has grown beyond ``maxFileSize`` is followed by a new one, and the oldest files are deleted. Files of earlier runs
/// are counted, too. Setting a sink with the same directory and format again continues the same files.
///
/// Every file is UTF-8 text: two lines about the file, then one line per message. Without ``usePlaintext`` it begins
/// with the four bytes `CF B2 AB 1B` and a line feed, which tools for these files expect; the compressed format that
/// the original library uses there is not written.
///
/// If files cannot be written, for example because the disk is full, messages are lost, and the failure is reported once on standard error.
public struct FileLogSink: Sendable {
    /// The default of ``usePlaintext``: `false`.
    @available(*, deprecated, message: "The default is false")
    public static let defaultUsePlaintext = false
    /// The default of ``maxKeptFiles``: 2.
    public static let defaultMaxKeptFiles: Int32 = 2
    /// The default of ``maxFileSize``: 524,288 bytes.
    public static let defaultMaxSize: Int64 = 524_288

    let settings: LogFileSettings

    /// The minimum level of the messages that are written.
    public var level: LogLevel { LogLevel(settings.level) }
    /// The path of the directory of the files, which is created if it does not exist.
    public var directory: String { settings.directory }
    /// Whether files are plain text, without the four bytes at the beginning. Default: `false`.
    public var usePlaintext: Bool { settings.isPlainText }
    /// The number of files that are kept per level, including the current one; at least one is kept. Default: ``defaultMaxKeptFiles``.
    public var maxKeptFiles: Int32 { settings.maxKeptFiles }
    /// The size in bytes beyond which a file is followed by a new one. Default: ``defaultMaxSize``.
    public var maxFileSize: Int64 { settings.maxFileSize }

    /// Creates a sink, which writes nothing before it is set.
    ///
    /// - Parameters:
    ///   - level: The minimum level of the messages that are written.
    ///   - directory: The path of the directory of the files; see ``directory``.
    ///   - usePlainText: Whether files are plain text; see ``usePlaintext``.
    ///   - maxKeptFiles: The number of files that are kept per level, at most `Int32.max`; see ``maxKeptFiles``.
    ///   - maxFileSize: The size in bytes beyond which a file is followed by a new one; see ``maxFileSize``.
    public init(
        level: LogLevel,
        directory: String,
        usePlainText: Bool = false,
        maxKeptFiles: Int = 2,
        maxFileSize: UInt64 = 524_288
    ) {
        self.init(
            level: level,
            directory: directory,
            usePlainText: usePlainText,
            maxKeptFiles: Int32(clamping: maxKeptFiles),
            maxFileSize: Int64(clamping: maxFileSize)
        )
    }

    /// Creates a sink from the types of the properties, as releases up to 3.2 have it.
    @_disfavoredOverload
    public init(
        level: LogLevel,
        directory: String,
        usePlainText: Bool = false,
        maxKeptFiles: Int32 = defaultMaxKeptFiles,
        maxFileSize: Int64 = defaultMaxSize
    ) {
        settings = LogFileSettings(
            level: level.event,
            directory: directory,
            isPlainText: usePlainText,
            maxKeptFiles: maxKeptFiles,
            maxFileSize: maxFileSize,
            library: LibraryVersion.description
        )
    }

    init(settings: LogFileSettings) { self.settings = settings }
}

/// The name and version of the library, for logs.
package enum LibraryVersion {
    /// The version, which is that of the tool too.
    package static let number = "0.9.0"

    /// The version in the form that the original's tools look for (API 13). The sources do not contain the build number.
    static let description =
        "CouchbaseLite/\(number) (Swift; \(ProcessInfo.processInfo.operatingSystemVersionString)) Build/0 Commit/unknown"
}
