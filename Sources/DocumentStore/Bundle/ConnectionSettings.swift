import SQLiteEngine

/// What every connection is set to (Storage format 2.3).
struct ConnectionSettings {
    private let options: DatabaseFile.Options

    init(_ options: DatabaseFile.Options) {
        self.options = options
    }

    func apply(to connection: Connection) throws {
        connection.busyTimeout = options.busyTimeout
        let memoryMap = options.usesMemoryMap ? 50 * 1024 * 1024 : 0
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
