import CSQLiteSystem

/// A file that SQLite has opened through an ``EncryptedFileSystem``. Subclasses implement reading and writing; all other operations are
/// forwarded to the underlying file of the system's file system.
///
/// Used by one thread at a time, like the connection it belongs to.
class EncryptedFile {
    typealias Pointer = UnsafeMutablePointer<sqlite3_file>

    /// The start of the memory that SQLite allocates for a file. The memory of the underlying file follows.
    private struct Memory {
        var base: sqlite3_file
        var file: Unmanaged<EncryptedFile>
    }

    /// The number of bytes that SQLite allocates in front of the underlying file's memory.
    static let memorySize = MemoryLayout<Memory>.stride

    static func below(_ pointer: Pointer) -> Pointer {
        (UnsafeMutableRawPointer(pointer) + memorySize).assumingMemoryBound(to: sqlite3_file.self)
    }

    /// SQLite's codes for failed reads and writes, which Swift does not import.
    static let cannotRead = SQLITE_IOERR | 1 << 8
    static let cannotWrite = SQLITE_IOERR | 3 << 8

    final let below: Pointer

    init(below: Pointer) { self.below = below }

    /// Stores the file in the memory that SQLite has allocated. It is retained until SQLite closes it.
    final func install(in pointer: Pointer) {
        UnsafeMutableRawPointer(pointer).initializeMemory(
            as: Memory.self,
            to: Memory(base: sqlite3_file(pMethods: Self.methods), file: .passRetained(self))
        )
    }

    // MARK: Overridden by subclasses

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 { Self.cannotRead }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 { Self.cannotWrite }

    /// The number of bytes at the start of the underlying file that are hidden from SQLite.
    var hiddenSize: Int64 { 0 }

    /// Whether the underlying file, which has just been opened, is the expected one.
    var isExpected: Bool { true }

    // MARK: The underlying file

    final func readBelow(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        below.methods.xRead(below, buffer.baseAddress, Int32(buffer.count), offset)
    }

    final func writeBelow(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        below.methods.xWrite(below, bytes.baseAddress, Int32(bytes.count), offset)
    }
}

// MARK: - Methods called by SQLite

extension EncryptedFile {
    /// The table of methods, shared by all files. Never freed, because SQLite keeps the address.
    // `nonisolated(unsafe)` is safe because it is initialized once and only read afterwards.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = makeMethods()

    @inline(__always)
    private static func with<Result>(_ pointer: Pointer?, _ body: (EncryptedFile) -> Result) -> Result {
        UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Memory.self).pointee.file
            ._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the methods of the underlying file and that file.
    @inline(__always)
    private static func forward<Result>(_ pointer: Pointer?, _ body: (sqlite3_io_methods, Pointer) -> Result) -> Result {
        let below = below(pointer.unsafelyUnwrapped)
        return body(below.methods, below)
    }

    private static func makeMethods() -> UnsafePointer<sqlite3_io_methods> {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var made = sqlite3_io_methods()
        // Version 3 would enable memory maps, in which SQLite would read encrypted data.
        made.iVersion = 2
        made.xClose = { EncryptedFile.close($0.unsafelyUnwrapped) }
        made.xRead = { pointer, buffer, count, offset in
            let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
            return EncryptedFile.with(pointer) { $0.read(into: buffer, at: offset) }
        }
        made.xWrite = { pointer, bytes, count, offset in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            return EncryptedFile.with(pointer) { $0.write(bytes, at: offset) }
        }
        made.xTruncate = { pointer, size in
            EncryptedFile.with(pointer) { $0.below.methods.xTruncate($0.below, size + $0.hiddenSize) }
        }
        made.xFileSize = { pointer, size in
            EncryptedFile.with(pointer) { file in
                let result = file.below.methods.xFileSize(file.below, size)
                if let size { size.pointee = max(0, size.pointee - file.hiddenSize) }
                return result
            }
        }
        made.xFileControl = { pointer, operation, argument in
            EncryptedFile.with(pointer) { $0.control(operation, argument) }
        }
        made.xDeviceCharacteristics = { pointer in
            // Without the guarantee that a write does not change adjacent bytes, SQLite would write frames of the log in pieces.
            EncryptedFile.forward(pointer) { $0.xDeviceCharacteristics($1) } | SQLITE_IOCAP_POWERSAFE_OVERWRITE
        }
        made.xSync = { file, flags in EncryptedFile.forward(file) { $0.xSync($1, flags) } }
        made.xLock = { file, level in EncryptedFile.forward(file) { $0.xLock($1, level) } }
        made.xUnlock = { file, level in EncryptedFile.forward(file) { $0.xUnlock($1, level) } }
        made.xCheckReservedLock = { file, result in EncryptedFile.forward(file) { $0.xCheckReservedLock($1, result) } }
        made.xSectorSize = { file in EncryptedFile.forward(file) { $0.xSectorSize($1) } }
        made.xShmMap = { file, region, size, extends, result in
            EncryptedFile.forward(file) { $0.xShmMap($1, region, size, extends, result) }
        }
        made.xShmLock = { file, offset, count, flags in EncryptedFile.forward(file) { $0.xShmLock($1, offset, count, flags) } }
        made.xShmBarrier = { file in EncryptedFile.forward(file) { $0.xShmBarrier($1) } }
        made.xShmUnmap = { file, deletes in EncryptedFile.forward(file) { $0.xShmUnmap($1, deletes) } }
        table.initialize(to: made)
        return UnsafePointer(table)
    }

    private static func close(_ pointer: Pointer) -> Int32 {
        let file = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Memory.self).pointee.file
        let below = below(pointer)
        // Released last, because the underlying file may refer to memory of this object.
        defer { file.release() }
        return below.methods.xClose(below)
    }

    private func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        if operation == SQLITE_FCNTL_SIZE_HINT, let argument {
            // The hint does not include the hidden bytes.
            var size = argument.loadUnaligned(as: Int64.self) + hiddenSize
            return below.methods.xFileControl(below, operation, &size)
        }
        return below.methods.xFileControl(below, operation, argument)
    }
}

extension EncryptedFile.Pointer {
    @inline(__always)
    fileprivate var methods: sqlite3_io_methods { pointee.pMethods.unsafelyUnwrapped.pointee }
}

/// A rollback journal that contains no pages, as SQLite uses it while it fills a file that had no pages before. It is not encrypted.
final class EncryptedJournalFile: EncryptedFile {
    /// The maximum size of a journal's header, in bytes, which is its largest part that is not a page.
    private static let headerSize = 512

    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        readBelow(into: buffer, at: offset)
    }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        bytes.count <= Self.headerSize ? writeBelow(bytes, at: offset) : Self.cannotWrite
    }
}
