internal import CSQLiteSystem

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
