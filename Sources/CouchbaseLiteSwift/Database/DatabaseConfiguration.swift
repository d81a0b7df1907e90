/// How a database is opened.
///
/// A class, so that both `let` and `var` of the older and newer API work; what takes a configuration copies it.
public final class DatabaseConfiguration {
    /// Whether ``fullSync`` is on when nothing else is said: false.
    public static let defaultFullSync = false
    /// Whether ``mmapEnabled`` is on when nothing else is said: true.
    public static let defaultMmapEnabled = true

    /// The directory that holds, or will hold, the database's own directory. Missing parent directories are created.
    ///
    /// At first the default one: on Apple's systems `Application Support/<bundle id>/CouchbaseLite`, or the current
    /// directory for a process without a bundle; on Linux `$XDG_DATA_HOME` or `~/.local/share`, then the name of the
    /// executable, then `CouchbaseLite`.
    public var directory: String

    /// Whether a save returns only when the medium has the data, so that a power failure loses nothing either. Slower.
    public var fullSync = defaultFullSync

    /// Whether the file may be mapped into memory. No visible effect but speed.
    public var mmapEnabled = defaultMmapEnabled

    /// What the database is encrypted with, or is to be when it does not exist yet; nil for one that is not encrypted.
    public var encryptionKey: EncryptionKey?

    /// What the preview's `isReadOnly` says.
    var opensForReadingOnly = false

    /// A configuration with the defaults.
    public init() {
        directory = DefaultDirectory.path
    }

    /// A copy of `config`; nil gives the defaults.
    public init(config: DatabaseConfiguration?) {
        directory = config?.directory ?? DefaultDirectory.path
        fullSync = config?.fullSync ?? Self.defaultFullSync
        mmapEnabled = config?.mmapEnabled ?? Self.defaultMmapEnabled
        opensForReadingOnly = config?.opensForReadingOnly ?? false
        encryptionKey = config?.encryptionKey
    }
}

/// Where databases are kept unless the app says otherwise (API 2).
enum DefaultDirectory {
    static var path: String {
        #if canImport(Darwin)
        guard let identifier = Bundle.main.bundleIdentifier,
            let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        else { return FileManager.default.currentDirectoryPath }
        return support.appendingPathComponent(identifier).appendingPathComponent("CouchbaseLite").path
        #else
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? NSHomeDirectory() + "/.local/share"
        return "\(base)/\(ProcessInfo.processInfo.processName)/CouchbaseLite"
        #endif
    }
}
