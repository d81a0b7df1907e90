import CSQLiteSystem
import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite("Writes to write-ahead logs")
struct LogWritesTests {
    private static let pageSize = 4096
    private static let frameSize = 24 + pageSize

    /// Writes a frame in two steps, as SQLite does.
    private func writeFrame(_ number: Int, isCommit: Bool, to file: PlainLogFile) -> Int32 {
        var header = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 24)
        header.replaceSubrange(4..<8, with: [0, 0, 0, isCommit ? 9 : 0])
        let page = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Self.pageSize)
        let start = Int64(32 + number * Self.frameSize)
        let result = header.withUnsafeBytes { file.write($0, at: start) }
        return result == SQLITE_OK ? page.withUnsafeBytes { file.write($0, at: start + 24) } : result
    }

    /// Writes the header of a log.
    private func begin(_ file: PlainLogFile) {
        let header = [UInt8](repeating: 0xFF, count: 32)
        #expect(header.withUnsafeBytes { file.write($0, at: 0) } == SQLITE_OK)
    }

    @Test("the frames of a commit are written together, in their order")
    func together() {
        let below = RecordedFile()
        let file = PlainLogFile(below: below.pointer)
        begin(file)
        for number in 0..<3 { #expect(writeFrame(number, isCommit: number == 2, to: file) == SQLITE_OK) }
        #expect(below.writes.map(\.offset) == [0, 32])
        #expect(below.writes.map(\.bytes.count) == [32, 3 * Self.frameSize])
        let second = below.writes[1].bytes.dropFirst(Self.frameSize)
        #expect(Array(second.prefix(9)) == [1, 1, 1, 1, 0, 0, 0, 0, 1])
        #expect(writeFrame(3, isCommit: true, to: file) == SQLITE_OK)
        #expect(below.writes.count == 3)
    }

    @Test("frames that do not fit into the memory for pending writes are written before the end of the commit")
    func large() {
        let below = RecordedFile()
        let file = PlainLogFile(below: below.pointer)
        begin(file)
        for number in 0..<100 { #expect(writeFrame(number, isCommit: number == 99, to: file) == SQLITE_OK) }
        #expect(below.writes.allSatisfy { $0.bytes.count <= 1 << 16 })
        #expect(below.writes.count < 10)
        #expect(below.contents.count == 32 + 100 * Self.frameSize)
        #expect((0..<100).allSatisfy { below.contents[32 + $0 * Self.frameSize + 24 + 7] == UInt8($0) })
    }

    @Test("pending frames are written before the log is read, flushed, truncated, measured or closed")
    func otherOperations() {
        let operations: [(String, (LayeredFile.Pointer, sqlite3_io_methods) -> Int32)] = [
            (
                "read",
                { file, methods in
                    var buffer = [UInt8](repeating: 0, count: 8)
                    return buffer.withUnsafeMutableBytes { methods.xRead(file, $0.baseAddress, 8, 32) }
                }
            ),
            ("flush", { $1.xSync($0, SQLITE_SYNC_NORMAL) }),
            ("truncate", { $1.xTruncate($0, 100_000) }),
            (
                "measure",
                { file, methods in
                    var size: sqlite3_int64 = 0
                    return methods.xFileSize(file, &size)
                }
            ),
            ("close", { $1.xClose($0) }),
        ]
        for (name, operation) in operations {
            let installed = InstalledLogFile()
            begin(installed.file)
            #expect(writeFrame(0, isCommit: false, to: installed.file) == SQLITE_OK)
            #expect(installed.below.writes.count == 1, "\(name)")
            #expect(operation(installed.pointer, installed.methods) == SQLITE_OK, "\(name)")
            #expect(installed.below.writes.count == 2, "\(name)")
            #expect(installed.below.writes.last?.bytes.count == Self.frameSize, "\(name)")
        }
    }

    @Test("the header of a frame that was just read is written at once, because no page follows it")
    func rewrittenHeader() {
        let below = RecordedFile()
        let file = PlainLogFile(below: below.pointer)
        begin(file)
        for number in 0..<2 { #expect(writeFrame(number, isCommit: number == 1, to: file) == SQLITE_OK) }
        var frame = [UInt8](repeating: 0, count: Self.frameSize)
        #expect(frame.withUnsafeMutableBytes { file.read(into: $0, at: Int64(32 + Self.frameSize)) } == SQLITE_OK)
        let header = [UInt8](repeating: 7, count: 24)
        #expect(header.withUnsafeBytes { file.write($0, at: Int64(32 + Self.frameSize)) } == SQLITE_OK)
        #expect(below.writes.last?.bytes == header)
        #expect(below.writes.last?.offset == Int64(32 + Self.frameSize))
    }

    @Test("an error of a late write is returned, and what failed is not written again")
    func failure() {
        let below = RecordedFile()
        let file = PlainLogFile(below: below.pointer)
        begin(file)
        below.result = SQLITE_FULL
        #expect(writeFrame(0, isCommit: false, to: file) == SQLITE_OK)
        #expect(writeFrame(1, isCommit: true, to: file) == SQLITE_FULL)
        below.result = SQLITE_OK
        #expect(file.writePending() == SQLITE_OK)
        #expect(below.writes.map(\.bytes.count) == [32])
    }
}

/// A file that records what is written.
private final class RecordedFile {
    private struct Memory {
        var base: sqlite3_file
        var file: Unmanaged<RecordedFile>
    }

    private(set) var writes: [(offset: Int64, bytes: [UInt8])] = []
    /// The result of writing.
    var result = SQLITE_OK
    private let memory: UnsafeMutableRawPointer
    let pointer: LayeredFile.Pointer
    static let memorySize = MemoryLayout<Memory>.stride

    /// Creates the file in memory of its own, or in `memory`.
    init(in given: UnsafeMutableRawPointer? = nil) {
        memory = given ?? .allocate(byteCount: Self.memorySize, alignment: 16)
        pointer = memory.assumingMemoryBound(to: sqlite3_file.self)
        memory.initializeMemory(
            as: Memory.self,
            to: Memory(base: sqlite3_file(pMethods: Self.methods), file: .passUnretained(self))
        )
    }

    /// What the file contains.
    var contents: [UInt8] {
        var contents: [UInt8] = []
        for write in writes {
            let start = Int(write.offset)
            if contents.count < start + write.bytes.count {
                contents += [UInt8](repeating: 0, count: start + write.bytes.count - contents.count)
            }
            contents.replaceSubrange(start..<(start + write.bytes.count), with: write.bytes)
        }
        return contents
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        if result == SQLITE_OK { writes.append((offset, Array(bytes))) }
        return result
    }

    // Initialized once, and only read afterwards.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var made = sqlite3_io_methods()
        made.iVersion = 1
        made.xWrite = { pointer, bytes, count, offset in
            UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Memory.self).pointee.file
                ._withUnsafeGuaranteedRef { $0.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset) }
        }
        made.xRead = { _, _, _, _ in SQLITE_OK }
        made.xSync = { _, _ in SQLITE_OK }
        made.xTruncate = { _, _ in SQLITE_OK }
        made.xFileSize = { _, _ in SQLITE_OK }
        made.xClose = { _ in SQLITE_OK }
        table.initialize(to: made)
        return UnsafePointer(table)
    }()
}

/// A log file in memory as SQLite allocates it, with a recorded file below.
private final class InstalledLogFile {
    let below: RecordedFile
    let file: PlainLogFile
    let pointer: LayeredFile.Pointer

    var methods: sqlite3_io_methods { pointer.pointee.pMethods.pointee }

    init() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: LayeredFile.memorySize + RecordedFile.memorySize, alignment: 16)
        pointer = memory.assumingMemoryBound(to: sqlite3_file.self)
        below = RecordedFile(in: memory + LayeredFile.memorySize)
        file = PlainLogFile(below: LayeredFile.below(pointer))
        file.install(in: pointer)
    }
}
