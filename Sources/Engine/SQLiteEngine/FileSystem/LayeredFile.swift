import CSQLiteSystem

/// A file that SQLite has opened through a file system (VFS) of this library. Subclasses implement reading and writing; all other
/// operations are forwarded to the underlying file of the system's file system.
///
/// Used by one thread at a time, like the connection it belongs to.
class LayeredFile {
    typealias Pointer = UnsafeMutablePointer<sqlite3_file>

    /// The start of the memory that SQLite allocates for a file. The memory of the underlying file follows.
    private struct Memory {
        var base: sqlite3_file
        var file: Unmanaged<LayeredFile>
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
    /// The write-ahead log, if this is a database file whose log was opened. What the log has kept back is written before the connection
    /// gives up the lock of writers. A closed log has kept back nothing.
    // The connection's owner ensures exclusive access.
    @exclusivity(unchecked) final var log: LayeredFile?

    init(below: Pointer) { self.below = below }

    /// Stores the file in the memory that SQLite has allocated. It is retained until SQLite closes it.
    ///
    /// - Parameter log: The name with which SQLite opens a write-ahead log; `nil` for other files.
    final func install(in pointer: Pointer, asLog log: UnsafePointer<CChar>? = nil) {
        UnsafeMutableRawPointer(pointer).initializeMemory(
            as: Memory.self,
            to: Memory(base: sqlite3_file(pMethods: Self.methods), file: .passRetained(self))
        )
        // The database file was opened through the same file system, because SQLite opens all files of a connection through one.
        if let log { Self.with(sqlite3_database_file_object(log)) { $0.log = self } }
    }

    // MARK: Overridden by subclasses

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 { Self.cannotRead }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 { Self.cannotWrite }

    /// The number of bytes at the start of the underlying file that are hidden from SQLite.
    var hiddenSize: Int64 { 0 }

    /// Whether the underlying file, which has just been opened, is the expected one.
    var isExpected: Bool { true }

    /// Writes what was kept back, before the file is flushed, truncated, measured or closed.
    func writePending() -> Int32 { SQLITE_OK }

    // MARK: The underlying file

    final func readBelow(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        below.methods.xRead(below, buffer.baseAddress, Int32(buffer.count), offset)
    }

    final func writeBelow(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        below.methods.xWrite(below, bytes.baseAddress, Int32(bytes.count), offset)
    }
}

// MARK: - Methods called by SQLite

extension LayeredFile {
    /// The table of methods, shared by all files. Never freed, because SQLite keeps the address.
    // `nonisolated(unsafe)` is safe because it is initialized once and only read afterwards.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = makeMethods()

    /// Calls `body` with the object of a file that SQLite has opened through such a file system.
    @inline(__always)
    static func with<Result>(_ pointer: Pointer?, _ body: (LayeredFile) -> Result) -> Result {
        UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Memory.self).pointee.file
            ._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the methods of the underlying file and that file.
    @inline(__always)
    private static func forward<Result>(_ pointer: Pointer?, _ body: (sqlite3_io_methods, Pointer) -> Result) -> Result {
        let below = Self.below(pointer.unsafelyUnwrapped)
        return body(below.methods, below)
    }

    private static func makeMethods() -> UnsafePointer<sqlite3_io_methods> {
        var made = sqlite3_io_methods()
        // Version 3 would enable memory maps, in which SQLite would read encrypted data.
        made.iVersion = 2
        made.xClose = { LayeredFile.close($0.unsafelyUnwrapped) }
        made.xRead = { pointer, buffer, count, offset in
            let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
            return LayeredFile.with(pointer) { $0.read(into: buffer, at: offset) }
        }
        made.xWrite = { pointer, bytes, count, offset in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            return LayeredFile.with(pointer) { $0.write(bytes, at: offset) }
        }
        made.xTruncate = { pointer, size in
            LayeredFile.with(pointer) { file in
                let result = file.writePending()
                return result == SQLITE_OK ? file.below.methods.xTruncate(file.below, size + file.hiddenSize) : result
            }
        }
        made.xFileSize = { pointer, size in
            LayeredFile.with(pointer) { file in
                var result = file.writePending()
                guard result == SQLITE_OK else { return result }
                result = file.below.methods.xFileSize(file.below, size)
                if let size { size.pointee = max(0, size.pointee - file.hiddenSize) }
                return result
            }
        }
        made.xFileControl = { pointer, operation, argument in
            LayeredFile.with(pointer) { $0.control(operation, argument) }
        }
        made.xDeviceCharacteristics = { pointer in
            // Without the guarantee that a write does not change adjacent bytes, SQLite would write frames of the log in pieces.
            LayeredFile.forward(pointer) { $0.xDeviceCharacteristics($1) } | SQLITE_IOCAP_POWERSAFE_OVERWRITE
        }
        made.xSync = { pointer, flags in
            LayeredFile.with(pointer) { file in
                let result = file.writePending()
                return result == SQLITE_OK ? file.below.methods.xSync(file.below, flags) : result
            }
        }
        made.xLock = { file, level in LayeredFile.forward(file) { $0.xLock($1, level) } }
        made.xUnlock = { file, level in LayeredFile.forward(file) { $0.xUnlock($1, level) } }
        made.xCheckReservedLock = { file, result in LayeredFile.forward(file) { $0.xCheckReservedLock($1, result) } }
        made.xSectorSize = { file in LayeredFile.forward(file) { $0.xSectorSize($1) } }
        made.xShmMap = { file, region, size, extends, result in
            LayeredFile.forward(file) { $0.xShmMap($1, region, size, extends, result) }
        }
        made.xShmLock = { pointer, offset, count, flags in
            // Only frames of a transaction that was rolled back are still kept back here, so a failure to write them changes nothing.
            if flags == SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE { LayeredFile.with(pointer) { _ = $0.log?.writePending() } }
            return LayeredFile.forward(pointer) { $0.xShmLock($1, offset, count, flags) }
        }
        made.xShmBarrier = { file in LayeredFile.forward(file) { $0.xShmBarrier($1) } }
        made.xShmUnmap = { file, deletes in LayeredFile.forward(file) { $0.xShmUnmap($1, deletes) } }
        return .permanent(made)
    }

    private static func close(_ pointer: Pointer) -> Int32 {
        let file = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Memory.self).pointee.file
        let below = Self.below(pointer)
        // Released last, because the underlying file may refer to memory of this object.
        defer { file.release() }
        let written = file._withUnsafeGuaranteedRef { $0.writePending() }
        let closed = below.methods.xClose(below)
        return written == SQLITE_OK ? closed : written
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

extension LayeredFile.Pointer {
    @inline(__always)
    fileprivate var methods: sqlite3_io_methods { pointee.pMethods.unsafelyUnwrapped.pointee }
}

/// A database file that is not encrypted.
final class PlainDatabaseFile: LayeredFile {
    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 { readBelow(into: buffer, at: offset) }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 { writeBelow(bytes, at: offset) }
}

/// The write-ahead log of a database that is not encrypted; see ``LogWrites``.
final class PlainLogFile: LayeredFile {
    // The connection's owner ensures exclusive access to these properties.
    @exclusivity(unchecked) private var writes = LogWrites()
    /// Whether the frame whose header was written last ends a commit.
    @exclusivity(unchecked) private var isCommit = false

    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        let result = writes.prepareToRead(self)
        return result == SQLITE_OK ? readBelow(into: buffer, at: offset) : result
    }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        switch bytes.count {
        case LogFrame.headerSize:
            isCommit = LogFrame.endsCommit(bytes)
            return writes.write(bytes, at: offset, .frameHeader, to: self)
        case LogFrame.minimumPageSize...: return writes.write(bytes, at: offset, .frameEnd(isCommit: isCommit), to: self)
        default: return writes.write(bytes, at: offset, .other, to: self)
        }
    }

    override func writePending() -> Int32 { writes.writePending(to: self) }
}
