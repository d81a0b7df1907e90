import DocumentStore

/// The options with which a database is opened. Not thread-safe.
///
/// A class, so that code written for the older API (`let`) and for the newer one (`var`) compiles. Functions copy their configuration.
public final class DatabaseConfiguration {
    /// The default value of ``fullSync``: `false`.
    public static let defaultFullSync = false
    /// The default value of ``mmapEnabled``: `true`.
    @available(*, deprecated, message: "Whether files are mapped affects only the speed")
    public static let defaultMmapEnabled = true

    /// The default value of ``versioning``: ``Versioning/automatic``.
    public static let defaultVersioning = Versioning.automatic

    /// How the revisions of a database are named.
    public enum Versioning: Sendable {
        /// By revision trees, as in Couchbase Lite 2.x and 3.x.
        case trees
        /// By version vectors, as in Couchbase Lite 4.x. Such databases are replicated with Sync Gateway 4 and with databases that have version
        /// vectors, and can pull from Sync Gateway 3. By listeners, and as the target of a replicator, they also serve databases with revision trees.
        case versionVectors
        /// As the database says. A new database gets revision trees.
        case automatic
    }

    /// The directory that contains the database's own directory. Missing directories are created.
    ///
    /// The default is `Application Support/<bundle id>/CouchbaseLite` on Apple systems, or the current directory for a process without a
    /// bundle identifier. On Linux it is `$XDG_DATA_HOME` or `~/.local/share`, followed by the name of the executable and `CouchbaseLite`.
    public var directory: String

    /// Whether a commit waits until its data is on the storage medium, so that a power failure loses no committed change. This makes
    /// commits slower. The default is `false`. Among several objects of a process that have the same database open, one that sets this
    /// enables it for all.
    public var fullSync = defaultFullSync

    /// Whether the database file may be mapped into memory. This affects only the speed. The default is `true`.
    @available(*, deprecated, message: "Whether files are mapped affects only the speed")
    public var mmapEnabled: Bool {
        get { usesMemoryMap }
        set { usesMemoryMap = newValue }
    }
    var usesMemoryMap = true

    /// The key with which the database is encrypted, or with which a new database will be encrypted; `nil`, the default, for an
    /// unencrypted one.
    public var encryptionKey: EncryptionKey?

    /// How the revisions of a new database are named, and those of an existing one must be named: ``Database/init(name:config:)`` throws
    /// ``CBLError/unsupported`` if it has another form. The default is ``Versioning/automatic``, which opens databases of both forms.
    ///
    /// ``Database/upgradeToVersionVectors(ignoringRemotes:)`` changes the form.
    public var versioning = defaultVersioning

    /// The value of `isReadOnly` in the deprecated API of the developer previews.
    var opensForReadingOnly = false

    /// Creates a configuration with the default values.
    public init() { directory = DefaultDirectory.path }

    /// Creates a copy of `config`; if it is `nil`, a configuration with the default values.
    public init(config: DatabaseConfiguration?) {
        directory = config?.directory ?? DefaultDirectory.path
        fullSync = config?.fullSync ?? Self.defaultFullSync
        usesMemoryMap = config?.usesMemoryMap ?? true
        opensForReadingOnly = config?.opensForReadingOnly ?? false
        encryptionKey = config?.encryptionKey
        versioning = config?.versioning ?? Self.defaultVersioning
    }
}
