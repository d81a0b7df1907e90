internal import CSQLiteSystem
internal import Crypto
internal import Foundation
internal import Synchronization

/// The layer between SQLite and the files of one encrypted database: a VFS (https://sqlite.org/vfs.html) that encrypts written data and
/// decrypts and authenticates read data. A ``Connection`` opened with it works like any other.
///
/// Temporary files, and rollback journals that contain pages, are rejected because they would not be encrypted. Connections keep their
/// temporary data in memory, and the database is always in WAL mode.
package final class EncryptedFileSystem: Sendable {
    /// The keys of the database.
    package let keys: FileKeys
    let header: EncryptionHeader
    /// The name under which it is registered with SQLite.
    let name: String
    // Unsafe because pointers are not sendable. What they refer to is only written by `init` and, under SQLite's own lock, by SQLite.
    nonisolated(unsafe) private let table: UnsafeMutablePointer<sqlite3_vfs>
    nonisolated(unsafe) private let nameBytes: UnsafeMutableBufferPointer<CChar>
    /// The underlying file system of the operating system.
    nonisolated(unsafe) private let system: UnsafeMutablePointer<sqlite3_vfs>
    /// Creates the nonces. Replaced by tests that need predictable output.
    private let makeNonces: @Sendable () -> NonceSequence

    private static let nextNumber = Atomic(0)

    init(
        header: EncryptionHeader,
        key: SymmetricKey,
        makeNonces: @escaping @Sendable () -> NonceSequence = { NonceSequence() }
    ) throws(SQLiteError) {
        self.header = header
        self.makeNonces = makeNonces
        keys = FileKeys(key, fileSalt: header.fileSalt)
        guard let system = sqlite3_vfs_find(nil) else {
            throw SQLiteError(extendedCode: SQLITE_ERROR, message: "SQLite has no file system")
        }
        self.system = system
        name = "encrypted-\(Self.nextNumber.add(1, ordering: .relaxed).newValue)"
        nameBytes = .allocate(capacity: name.utf8.count + 1)
        _ = nameBytes.initialize(from: name.utf8CString)
        table = .allocate(capacity: 1)
        table.initialize(to: Self.makeTable(over: system))
        table.pointee.zName = UnsafePointer(nameBytes.baseAddress)
        table.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        let result = sqlite3_vfs_register(table, 0)
        guard result == SQLITE_OK else { throw .last(of: nil, code: result, sql: nil) }
    }

    deinit {
        // Each connection retains the file system, so no connection is open here.
        sqlite3_vfs_unregister(table)
        table.deallocate()
        nameBytes.deallocate()
    }

    private static func makeTable(over system: UnsafeMutablePointer<sqlite3_vfs>) -> sqlite3_vfs {
        // The methods that do not concern a file are the system's. They use paths, clocks and random numbers, but not the table through
        // which they are called.
        var made = system.pointee
        made.pNext = nil
        made.szOsFile = Int32(LayeredFile.memorySize) + system.pointee.szOsFile
        made.xDelete = { table, name, syncsDirectory in
            let system = EncryptedFileSystem.of(table).system
            return LogName.with(name) { system.pointee.xDelete(system, $0, syncsDirectory) }
        }
        made.xAccess = { table, name, flags, result in
            let system = EncryptedFileSystem.of(table).system
            return LogName.with(name) { system.pointee.xAccess(system, $0, flags, result) }
        }
        made.xOpen = { table, name, file, flags, openedFlags in
            EncryptedFileSystem.of(table).openFile(name, file.unsafelyUnwrapped, flags, openedFlags)
        }
        return made
    }

    private static func of(_ table: UnsafeMutablePointer<sqlite3_vfs>?) -> EncryptedFileSystem {
        Unmanaged.fromOpaque(table.unsafelyUnwrapped.pointee.pAppData).takeUnretainedValue()
    }

    private func openFile(
        _ name: UnsafePointer<CChar>?,
        _ file: LayeredFile.Pointer,
        _ flags: Int32,
        _ openedFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        file.pointee.pMethods = nil
        let below = LayeredFile.below(file)
        below.pointee.pMethods = nil
        let opened: LayeredFile
        let usualName = name
        var name = name
        // The header is written before SQLite opens a database, so SQLite must not create the file.
        var flags = flags
        if flags & SQLITE_OPEN_MAIN_DB != 0 {
            flags &= ~SQLITE_OPEN_CREATE
            opened = EncryptedDatabaseFile(below: below, header: header, key: keys.pages, nonces: makeNonces())
        } else if flags & SQLITE_OPEN_WAL != 0 {
            let log = EncryptedLogFile(below: below, name: LogName(name), key: keys.log, nonces: makeNonces())
            name = log.name.pointer
            opened = log
        } else if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 {
            opened = EncryptedJournalFile(below: below)
        } else {
            return SQLITE_CANTOPEN
        }
        let result = system.pointee.xOpen(system, name, below, flags, openedFlags)
        guard result == SQLITE_OK else { return result }
        opened.install(in: file, asLog: flags & SQLITE_OPEN_WAL != 0 ? usualName : nil)
        // The file may have been replaced by one with another key.
        guard opened.isExpected else {
            _ = file.pointee.pMethods.pointee.xClose(file)
            file.pointee.pMethods = nil
            return SQLITE_NOTADB
        }
        return SQLITE_OK
    }
}

extension EncryptedFileSystem {
    /// Creates the file system for the encrypted database file at `path`.
    ///
    /// Takes about a quarter of a second if the secret is a password that has not been used for the file before.
    ///
    /// - Throws: ``EncryptionError``, if the secret is wrong or the header is invalid.
    package convenience init(opening path: String, with secret: EncryptionSecret) throws {
        let header = try EncryptionHeader(DatabaseFileHead.read(path, count: EncryptionHeader.size))
        try self.init(header: header, secret: secret)
    }

    private convenience init(header: EncryptionHeader, secret: EncryptionSecret) throws {
        guard let key = secret.key(for: header.derivation), header.isAuthentic(for: key) else { throw EncryptionError.wrongKey }
        try self.init(header: header, key: key)
    }

    /// Returns whether `secret` opens the files of this file system.
    package func isOpened(by secret: EncryptionSecret) -> Bool {
        guard let key = secret.key(for: header.derivation) else { return false }
        return header.isAuthentic(for: key)
    }

    /// Creates the file of a new encrypted database at `path`. It contains only the header, so SQLite finds no pages. Used for
    /// ``Connection/vacuum(into:encryption:)``.
    package static func begin(at path: String, with secret: EncryptionSecret) throws -> EncryptedFileSystem {
        let derivation = secret.derivationForNewFile()
        guard let key = secret.key(for: derivation) else { throw EncryptionError.wrongKey }
        let system = try EncryptedFileSystem(header: EncryptionHeader(derivation: derivation, key: key), key: key)
        try system.begin(at: path)
        return system
    }

    /// Creates another file with the same header and therefore the same keys, for a copy.
    package func begin(at path: String) throws(SQLiteError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .file("create", path) }
        defer { close(file) }
        let block = header.encoded
        guard write(file, block, block.count) == block.count, fsync(file) == 0 else { throw .file("write", path) }
    }
}

extension SQLiteError {
    /// Returns the error for a failed system call, from the current `errno`.
    fileprivate static func file(_ action: String, _ path: String) -> SQLiteError {
        let code = errno
        let extendedCode =
            switch code {
            case ENOSPC, EDQUOT: SQLITE_FULL
            case EROFS, EACCES, EPERM: SQLITE_READONLY
            default: action == "create" ? SQLITE_CANTOPEN : SQLITE_IOERR
            }
        return SQLiteError(extendedCode: extendedCode, message: "cannot \(action) \(path): \(String(cString: strerror(code)))")
    }
}

/// A rollback journal that contains no pages, as SQLite uses it while it fills a file that had no pages before. It is not encrypted.
final class EncryptedJournalFile: LayeredFile {
    /// The maximum size of a journal's header, in bytes, which is its largest part that is not a page.
    private static let headerSize = 512

    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        readBelow(into: buffer, at: offset)
    }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        bytes.count <= Self.headerSize ? writeBelow(bytes, at: offset) : Self.cannotWrite
    }
}
