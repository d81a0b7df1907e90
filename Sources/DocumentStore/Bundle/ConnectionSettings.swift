import SQLiteEngine

/// What every connection is set to (Storage format 2.3).
struct ConnectionSettings {
    private let options: DatabaseFile.Options
    private let isEncrypted: Bool

    init(_ options: DatabaseFile.Options, _ encryption: EncryptedFileSystem?) {
        self.options = options
        isEncrypted = encryption != nil
    }

    /// In bytes. macOS does not keep maps and files in step well enough.
    #if os(macOS)
    private static let memoryMapSize = 0
    #else
    private static let memoryMapSize = 50 * 1024 * 1024
    #endif

    /// In KiB. Reading an encrypted page again costs more than reading it from the system's cache; so more are kept instead of the
    /// map, which there is none of.
    private var cacheSize: Int { isEncrypted ? 51_200 : 10_240 }

    /// What can be set before SQLite has read the schema, and has to be set before functions are registered.
    func applyBeforeSchema(to connection: Connection) throws {
        connection.busyTimeout = options.busyTimeout
        try connection.setDefensive(true)
        // Registers a function `like`, which ours replaces where it must.
        try connection.execute("PRAGMA case_sensitive_like=true")
    }

    /// The rest. Reads the schema, so all functions must be registered.
    func apply(to connection: Connection) throws {
        // The writer reads no faster from a map, which would be resident beside that of those who read.
        let memoryMap = options.usesMemoryMap && connection.mode == .readOnly ? Self.memoryMapSize : 0
        try connection.execute("PRAGMA cache_size=-\(cacheSize); PRAGMA mmap_size=\(memoryMap)")
        // Temporary files would not be encrypted.
        if isEncrypted { try connection.execute("PRAGMA temp_store=memory") }
        guard connection.mode != .readOnly else {
            if let steps = options.maximumSteps { try connection.limitSteps(to: steps) }
            return
        }
        try connection.execute(
            """
            PRAGMA synchronous=\(options.fullSync ? "full" : "normal"); PRAGMA journal_size_limit=5242880;
            PRAGMA fullfsync=ON;
            """
        )
    }
}
