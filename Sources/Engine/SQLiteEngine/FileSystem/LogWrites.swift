internal import CSQLiteSystem

/// The parts of a write-ahead log (https://sqlite.org/fileformat2.html#walformat).
enum LogFrame {
    static let headerSize = 24
    static let minimumPageSize = 512

    /// Returns whether the frame with this header is the last one of a commit: the number of pages after the commit, in the second four
    /// bytes, is not zero.
    static func endsCommit(_ header: UnsafeRawBufferPointer) -> Bool { header.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 }
}

/// The writes of a connection to a write-ahead log, of which those of one commit are made with as few system calls as possible.
///
/// SQLite writes each frame in two steps: 24 bytes of header, and then the page. Frames are kept back until the frame that ends the commit,
/// and then written together.
///
/// Nobody else can see the difference: other connections read only frames of complete commits, and what is kept back is written before the
/// log is read, flushed or truncated, and before the lock of writers is given up. An error of a late write is returned by
/// the call that makes it, which belongs to the same transaction.
struct LogWrites: ~Copyable {
    /// What a write contains.
    enum Part {
        /// The header of a frame; a page follows.
        case frameHeader
        /// The rest of a frame, or a whole frame.
        case frameEnd(isCommit: Bool)
        case other
    }

    private static let capacity = 1 << 16

    private let memory: UnsafeMutableRawPointer
    /// The number of bytes that are kept back, and where they belong.
    private var count = 0
    private var start: Int64 = 0
    /// The end of the last write; `nil` if the log was read since.
    private var end: Int64?

    init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    /// Writes to `file`, now or later, and returns SQLite's result code.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ part: Part, to file: LayeredFile) -> Int32 {
        // SQLite may rewrite headers of frames that it has just read, without their pages, as the last step before a commit is visible.
        // They do not follow another write.
        let followsWrite = offset == end
        end = offset + Int64(bytes.count)
        if count > 0, !followsWrite || bytes.count > Self.capacity - count {
            let result = writePending(to: file)
            guard result == SQLITE_OK else { return result }
        }
        guard followsWrite, bytes.count <= Self.capacity, let source = bytes.baseAddress else { return file.writeBelow(bytes, at: offset) }
        switch part {
        case .other, .frameEnd(isCommit: true):
            if count == 0 { return file.writeBelow(bytes, at: offset) }
            keep(source, bytes.count, at: offset)
            return writePending(to: file)
        case .frameHeader, .frameEnd(isCommit: false):
            keep(source, bytes.count, at: offset)
            return SQLITE_OK
        }
    }

    private mutating func keep(_ source: UnsafeRawPointer, _ size: Int, at offset: Int64) {
        if count == 0 { start = offset }
        (memory + count).copyMemory(from: source, byteCount: size)
        count += size
    }

    /// Writes what was kept back.
    mutating func writePending(to file: LayeredFile) -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        defer { count = 0 }
        return file.writeBelow(UnsafeRawBufferPointer(start: memory, count: count), at: start)
    }

    /// Writes what was kept back, because the log is read. The next write is not kept back.
    mutating func prepareToRead(_ file: LayeredFile) -> Int32 {
        end = nil
        return writePending(to: file)
    }
}
