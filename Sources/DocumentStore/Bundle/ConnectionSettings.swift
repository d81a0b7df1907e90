import SQLiteEngine

/// What every connection is set to (Storage format 2.3).
struct ConnectionSettings {
    private let options: DatabaseFile.Options

    init(_ options: DatabaseFile.Options) {
        self.options = options
    }

    /// In bytes. macOS does not keep maps and files in step well enough.
    #if os(macOS)
        private static let memoryMapSize = 0
    #else
        private static let memoryMapSize = 50 * 1024 * 1024
    #endif

    func apply(to connection: Connection) throws {
        connection.busyTimeout = options.busyTimeout
        try connection.setDefensive(true)
        let memoryMap = options.usesMemoryMap ? Self.memoryMapSize : 0
        try connection.execute(
            """
            PRAGMA cache_size=-10240; PRAGMA mmap_size=\(memoryMap); PRAGMA case_sensitive_like=true;
            """
        )
        guard connection.mode != .readOnly else { return }
        try connection.execute(
            """
            PRAGMA synchronous=\(options.fullSync ? "full" : "normal"); PRAGMA journal_size_limit=5242880;
            PRAGMA fullfsync=ON;
            """
        )
    }
}
