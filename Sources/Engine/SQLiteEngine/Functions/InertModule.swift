internal import CSQLiteSystem

extension Connection {
    /// Runs `body`, during which virtual tables of a module that SQLite does not have can be dropped, but neither read nor written.
    ///
    /// - Parameter name: The name of the module.
    package func withInertModule<Result>(named name: String, _ body: () throws -> Result) throws -> Result {
        try call { sqlite3_create_module_v2($0, name, InertModule.methods, nil, nil) }
        // Without methods, SQLite removes the module. If that fails, tables of the module stay unreadable.
        defer { try? call { sqlite3_create_module_v2($0, name, nil, nil, nil) } }
        return try body()
    }
}

// Unsafe pointers are safe here because SQLite calls the methods as their contract says (https://sqlite.org/vtab.html): `xConnect` gets a place for the
// table, and each table that it has made gets one call of `xDisconnect` or `xDestroy`, as the last one.

/// The methods of a module whose tables only exist.
private enum InertModule {
    // `nonisolated(unsafe)` is safe because it is initialized once and only read afterwards.
    nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        // `xCreate` is not set, so that no such table can be created. There is no `xOpen`, because `xBestIndex` refuses every plan.
        module.xConnect = { database, _, _, _, table, _ in
            let declared = sqlite3_declare_vtab(database, "CREATE TABLE x(value)")
            guard declared == SQLITE_OK else { return declared }
            let memory = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            memory.initialize(to: sqlite3_vtab())
            table.unsafelyUnwrapped.pointee = memory
            return SQLITE_OK
        }
        module.xBestIndex = { _, _ in SQLITE_ERROR }
        module.xDisconnect = { InertModule.free($0) }
        module.xDestroy = { InertModule.free($0) }
        return .permanent(module)
    }()

    private static func free(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
        table?.deallocate()
        return SQLITE_OK
    }
}
