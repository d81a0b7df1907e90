internal import CSQLiteSystem

/// The kind of a database file, as determined by its first bytes.
package enum DatabaseFileHead: Equatable, Sendable {
    /// The file does not exist, is empty, or cannot be read.
    case empty
    case sqlite
    /// Encrypted in the format of this library.
    case encrypted
    /// Encrypted by the codec of Couchbase Lite's Enterprise Edition (Storage format 4.4).
    case encryptedByOriginal
    case other

    /// The number of bytes needed to determine the kind.
    package static let size = 18

    /// Determines the kind from the first bytes of a file.
    package init(_ head: [UInt8]) {
        self =
            if head.isEmpty {
                .empty
            } else if head.starts(with: "SQLite format 3\0".utf8) {
                .sqlite
            } else if head.starts(with: EncryptionHeader.magic) {
                .encrypted
            } else if head.count >= Self.size, head[16] == 0x10, head[17] == 0 {
                .encryptedByOriginal
            } else {
                .other
            }
    }

    /// Determines the kind of the file at `path`.
    package init(ofFileAt path: String) { self.init(Self.read(path, count: Self.size)) }

    /// Returns the first bytes of a file, fewer if the file is shorter, or none if it cannot be read.
    ///
    /// The file is read through SQLite's file system: if SQLite has the file open in this process, opening and closing it by other means
    /// would release SQLite's locks on it.
    static func read(_ path: String, count: Int) -> [UInt8] {
        guard let system = sqlite3_vfs_find(nil), let name = sqlite3_create_filename(path, "", "", 0, nil) else { return [] }
        defer { sqlite3_free_filename(name) }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(system.pointee.szOsFile), alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(system.pointee.szOsFile))
        let file = memory.assumingMemoryBound(to: sqlite3_file.self)
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB
        guard system.pointee.xOpen(system, name, file, flags, nil) == SQLITE_OK else { return [] }
        let methods = file.pointee.pMethods.pointee
        defer { _ = methods.xClose(file) }
        var size: Int64 = 0
        guard methods.xFileSize(file, &size) == SQLITE_OK else { return [] }
        let available = Int(min(size, Int64(count)))
        return [UInt8](unsafeUninitializedCapacity: available) { buffer, filled in
            let isRead = methods.xRead(file, buffer.baseAddress, Int32(available), 0) == SQLITE_OK
            filled = isRead ? available : 0
        }
    }
}
