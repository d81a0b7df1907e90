/// What goes to files.
///
/// There is a file for each level, `cbl_<level>_<milliseconds since 1970>.cbllog`, with the messages of that level and no other. The
/// directory, and a file for each level that is wanted, are made when the sink is set. A file that has grown beyond ``maxFileSize``
/// is followed by a new one, and the oldest are removed. Files of earlier runs count too. Setting a sink with the same directory and
/// format again goes on with the same files.
///
/// Every file is text in UTF-8, a line for each message after two lines about the file. Without ``usePlaintext`` it begins with
/// the four bytes `CF B2 AB 1B` and a line end, as tools that look for these expect; the compressed form that the original
/// library writes there is not written.
///
/// When files cannot be written, say because the disk is full, messages are lost, and the console says so once.
public struct FileLogSink: Sendable {
    /// Whether files have no mark at their beginning when nothing else is said: false.
    public static let defaultUsePlaintext = false
    /// How many files of a level there are when nothing else is said: 2.
    public static let defaultMaxKeptFiles: Int32 = 2
    /// How large files get when nothing else is said: 524,288 bytes.
    public static let defaultMaxSize: Int64 = 524_288

    /// The least serious level that is written.
    public let level: LogLevel
    /// The directory of the files, which is made when it is missing.
    public let directory: String
    /// Whether files have no mark at their beginning.
    public let usePlaintext: Bool
    /// How many files of a level are kept, the one being written among them. At least one is.
    public let maxKeptFiles: Int32
    /// The size in bytes beyond which a file is followed by a new one.
    public let maxFileSize: Int64

    /// Writes messages of `level` and above to files in `directory`.
    public init(
        level: LogLevel,
        directory: String,
        usePlainText: Bool = defaultUsePlaintext,
        maxKeptFiles: Int32 = defaultMaxKeptFiles,
        maxFileSize: Int64 = defaultMaxSize
    ) {
        self.level = level
        self.directory = directory
        self.usePlaintext = usePlainText
        self.maxKeptFiles = maxKeptFiles
        self.maxFileSize = maxFileSize
    }
}
