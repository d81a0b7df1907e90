internal import CSQLiteSystem

/// A database file that is read through SQLite's file system, without a connection. Not thread-safe.
///
/// If SQLite has the file open in this process, opening and closing it by other means would release SQLite's locks on it, because POSIX locks
/// belong to the process (SQLite, "How To Corrupt An SQLite Database File" 2.2).
final class SystemFile {
    /// The size of the file when it was opened, in bytes.
    let size: Int64
    /// SQLite uses the name until the file is closed.
    private let name: sqlite3_filename
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    /// Returns `nil` if the file cannot be opened for reading.
    init?(_ path: String) {
        guard let system = sqlite3_vfs_find(nil), let name = sqlite3_create_filename(path, "", "", 0, nil) else { return nil }
        let count = Int(system.pointee.szOsFile)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        let file = memory.assumingMemoryBound(to: sqlite3_file.self)
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB
        guard system.pointee.xOpen(system, name, file, flags, nil) == SQLITE_OK else {
            memory.deallocate()
            sqlite3_free_filename(name)
            return nil
        }
        (self.name, self.file, methods) = (name, file, file.pointee.pMethods.pointee)
        var size: Int64 = 0
        self.size = methods.xFileSize(file, &size) == SQLITE_OK ? size : 0
    }

    deinit {
        _ = methods.xClose(file)
        UnsafeMutableRawPointer(file).deallocate()
        sqlite3_free_filename(name)
    }

    /// Fills `buffer` from the position `offset`. Returns whether all of its bytes could be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
        guard let count = Int32(exactly: buffer.count) else { return false }
        return methods.xRead(file, buffer.baseAddress, count, offset) == SQLITE_OK
    }
}
