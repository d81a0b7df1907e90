import SQLiteEngine

/// The settings of every connection (Storage format 2.3).
struct ConnectionSettings {
    private let options: DatabaseFile.Options
    private let isEncrypted: Bool

    init(_ options: DatabaseFile.Options, _ encryption: EncryptedFileSystem?) {
        self.options = options
        isEncrypted = encryption != nil
    }

    /// The size of the memory map in bytes. It is not used on macOS, where memory maps and file writes are not kept consistent reliably.
    #if os(macOS)
    private static let memoryMapSize = 0
    #else
    private static let memoryMapSize = 1 << 30
    #endif

    /// The maximum size of the page cache, in KiB, which is also the memory that a sort uses before it writes to a temporary file. It is
    /// larger for an encrypted file, because reading a page again is more expensive than reading from the system's cache, and there is no
    /// memory map. The writer sorts only when it creates indexes.
    private func cacheSize(isReader: Bool) -> Int {
        min(isEncrypted ? 51_200 : isReader ? 24_576 : 10_240, options.maximumCacheSize ?? .max)
    }

    /// Applies the settings that must be set before functions are registered. Does not read the schema.
    func applyBeforeSchema(to connection: Connection) throws {
        connection.busyTimeout = options.busyTimeout
        try connection.setDefensive(true)
        // Registers a function `like`, which is replaced by this library's function where necessary.
        try connection.execute("PRAGMA case_sensitive_like=true")
    }

    /// Applies the other settings. Reads the schema, so all functions must be registered before.
    func apply(to connection: Connection) throws {
        // A memory map does not make the writer faster, and would use memory in addition to the map of the readers.
        let isReader = connection.mode == .readOnly
        let memoryMap = options.usesMemoryMap && !isEncrypted && isReader ? Self.memoryMapSize : 0
        try connection.execute("PRAGMA cache_size=-\(cacheSize(isReader: isReader)); PRAGMA mmap_size=\(memoryMap)")
        // SQLite keeps nothing about a page of the memory map, so it would check all cells of a page with each access, which takes longer
        // than the access. A reader cannot spread damage, and SQLite checks each cell that it uses.
        if memoryMap > 0 { try connection.execute("PRAGMA cell_size_check=OFF") }
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
