internal import CSQLiteSystem

/// The layer between SQLite and the files of databases that are not encrypted: a VFS (https://sqlite.org/vfs.html) that is the system's
/// but for the writes to write-ahead logs; see ``LogWrites``.
enum JoiningFileSystem {
    /// The name under which it is registered with SQLite; `nil` if SQLite has no file system.
    static let name: String? = register()

    private static func register() -> String? {
        guard let system = sqlite3_vfs_find(nil), let systemName = system.pointee.zName else { return nil }
        let name = "joining-\(String(cString: systemName))"
        let nameBytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: name.utf8.count + 1)
        _ = nameBytes.initialize(from: name.utf8CString)
        var made = system.pointee
        made.pNext = nil
        made.zName = UnsafePointer(nameBytes.baseAddress)
        made.pAppData = UnsafeMutableRawPointer(system)
        made.szOsFile = Int32(LayeredFile.memorySize) + system.pointee.szOsFile
        made.xDelete = { table, name, syncsDirectory in
            let system = JoiningFileSystem.system(table)
            return system.pointee.xDelete(system, name, syncsDirectory)
        }
        made.xAccess = { table, name, flags, result in
            let system = JoiningFileSystem.system(table)
            return system.pointee.xAccess(system, name, flags, result)
        }
        made.xFullPathname = { table, name, count, result in
            let system = JoiningFileSystem.system(table)
            return system.pointee.xFullPathname(system, name, count, result)
        }
        made.xOpen = { table, name, file, flags, openedFlags in
            let system = JoiningFileSystem.system(table)
            let isLog = flags & SQLITE_OPEN_WAL != 0
            guard isLog || flags & SQLITE_OPEN_MAIN_DB != 0, let file else {
                return system.pointee.xOpen(system, name, file, flags, openedFlags)
            }
            file.pointee.pMethods = nil
            let below = LayeredFile.below(file)
            below.pointee.pMethods = nil
            let result = system.pointee.xOpen(system, name, below, flags, openedFlags)
            guard result == SQLITE_OK else { return result }
            if isLog {
                PlainLogFile(below: below).install(in: file, asLog: name)
            } else {
                PlainDatabaseFile(below: below).install(in: file)
            }
            return SQLITE_OK
        }
        let table = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        table.initialize(to: made)
        return sqlite3_vfs_register(table, 0) == SQLITE_OK ? name : nil
    }

    private static func system(_ table: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs> {
        table.unsafelyUnwrapped.pointee.pAppData.assumingMemoryBound(to: sqlite3_vfs.self)
    }
}
