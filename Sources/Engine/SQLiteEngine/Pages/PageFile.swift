import Base
import Crypto
import Foundation

/// The pages of a database file, read without SQLite: one that is damaged is missing, and the others can still be read (SQLite, "Database
/// File Format" 1). Pages that were committed to the write-ahead log are taken from there.
package final class PageFile {
    /// The size of a page in bytes.
    package let pageSize: Int
    /// The bytes of a page that SQLite uses; the others are reserved, in an encrypted file for the tag and the nonce.
    package let usableSize: Int
    /// The number of the last page that may exist.
    package let pageCount: Int
    /// What was found to be wrong with the files as a whole.
    package let notes: [String]

    private let database: SystemFile
    private let log: LogPages?
    /// Where page 1 begins.
    private let offset: Int
    private let key: SymmetricKey?

    private static let magic = Array("SQLite format 3\0".utf8)
    private static let smallestPage = 512
    private static let largestPage = 65_536
    private static let usualPage = 4096
    /// The largest number of pages by which a log makes the file larger.
    private static let mostPagesInLog = 1 << 22

    /// - Parameters:
    ///   - log: The path of the write-ahead log, whether it exists or not.
    ///   - keys: The keys of an encrypted file; `nil` if it is not encrypted.
    /// - Throws: `CocoaError` if the file cannot be read.
    package init(_ path: String, log logPath: String, keys: FileKeys?) throws {
        let head = DatabaseFileHead.read(path, count: 100)
        var notes: [String] = []
        key = keys?.pages
        offset = keys == nil ? 0 : EncryptionHeader.size
        if keys != nil {
            (pageSize, usableSize) = (SealedPage.size, SealedPage.contentSize)
        } else {
            let isWhole = head.count >= 100 && head.starts(with: Self.magic)
            let stored = isWhole ? Int(head[16]) << 8 | Int(head[17]) : 0
            let size = stored == 1 ? Self.largestPage : stored
            let isValid = Self.isPageSize(size)
            if !isValid { notes.append("the header of the file is damaged") }
            // The log states the size too.
            let logHead = isValid ? [] : DatabaseFileHead.read(logPath, count: 12)
            let sizeInLog = logHead.count == 12 ? logHead[8...].reduce(0) { $0 << 8 | Int($1) } : 0
            pageSize = isValid ? size : Self.isPageSize(sizeInLog) ? sizeInLog : Self.usualPage
            let reserved = isValid ? Int(head[20]) : 0
            usableSize = pageSize - reserved >= 480 ? pageSize - reserved : pageSize
        }
        let log = LogPages(logPath, pageSize: pageSize, key: keys?.log, notes: &notes)
        guard let database = SystemFile(path) else { throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: path]) }
        let size = max(Int(database.size) - offset, 0)
        // A log can state any size.
        let pages = size / pageSize
        pageCount = min(max(pages, min(log?.lastPage ?? 0, pages + Self.mostPagesInLog)), Int(UInt32.max) - 1)
        if size % pageSize != 0 { notes.append("the file ends inside of a page") }
        self.database = database
        self.log = log
        self.notes = notes
    }

    private static func isPageSize(_ size: Int) -> Bool {
        size >= smallestPage && size & (size - 1) == 0 && size <= largestPage
    }

    /// Returns the content of a page, counted from 1, without the reserved bytes; `nil` if it does not exist, cannot be read, or fails
    /// authentication.
    package func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        if let logged = log?.page(number) { return Array(logged.prefix(usableSize)) }
        var bytes = [UInt8](repeating: 0, count: Self.nonceSpace + pageSize)
        let position = offset + (number - 1) * pageSize
        let isRead = bytes.withUnsafeMutableBytes { buffer in
            database.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[Self.nonceSpace...]), at: Int64(position))
        }
        guard isRead else { return nil }
        guard let key else { return Array(bytes[Self.nonceSpace..<Self.nonceSpace + usableSize]) }
        let number = UInt32(number).bigEndian
        let isOpen = bytes.withUnsafeMutableBytes { buffer in
            withUnsafeBytes(of: number) { authenticated in
                buffer.baseAddress.map {
                    SealedPage.open($0 + Self.nonceSpace, count: SealedPage.contentSize, authenticating: authenticated, with: key)
                } ?? false
            }
        }
        return isOpen ? Array(bytes[Self.nonceSpace..<Self.nonceSpace + usableSize]) : nil
    }

    /// Returns the copies of a page that an earlier use of the write-ahead log has left behind its valid frames, the newest first.
    ///
    /// The log is used from its beginning again after everything in it was copied to the database. Nothing tells whether such a copy belongs to
    /// a complete transaction.
    func oldCopies(ofPage number: Int) -> [[UInt8]] {
        log?.oldCopies(ofPage: number).map { Array($0.prefix(usableSize)) } ?? []
    }

    /// Opening a page writes its nonce before it.
    fileprivate static let nonceSpace = 16
}

/// The pages in a write-ahead log that belong to complete transactions (SQLite, "WAL-mode File Format" 2; Encryption format, "The log").
private final class LogPages {
    private let descriptor: Int32
    private let pageSize: Int
    private let key: SymmetricKey?
    /// The number of the last frame with each page.
    private var frames: [UInt32: Int] = [:]
    /// The number of all frames in the file, and of those of complete transactions.
    private var (frameCount, validCount) = (0, 0)
    private(set) var lastPage = 0

    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private var frameSize: Int { Self.frameHeaderSize + pageSize }

    init?(_ path: String, pageSize: Int, key: SymmetricKey?, notes: inout [String]) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        self.pageSize = pageSize
        self.key = key
        guard descriptor >= 0 else { return nil }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > Self.headerSize else { return }
        frameCount = (size - Self.headerSize) / frameSize
        let header = read(Self.headerSize, at: 0)
        guard header.count == Self.headerSize else { return }
        let magic = Self.number(header, 0)
        guard magic & ~1 == 0x377F_0682, Int(Self.number(header, 8)) == pageSize else {
            notes.append("the header of the write-ahead log is damaged")
            return
        }
        var checksum = WALChecksum(isBigEndian: magic & 1 == 1)
        checksum.add(header[..<24])
        guard checksum.matches(header[24...]) else {
            notes.append("the header of the write-ahead log is damaged")
            return
        }
        readFrames(Array(header[16..<24]), checksum)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Finds the frames of complete transactions. The first frame that is not valid ends the log: it may be left from an earlier use.
    private func readFrames(_ salts: [UInt8], _ start: WALChecksum) {
        var checksum = start
        var pending: [UInt32: Int] = [:]
        for index in 0..<frameCount {
            guard let frame = self.frame(index) else { return }
            let page = Self.number(frame, 0)
            guard page > 0, frame[8..<16].elementsEqual(salts) else { return }
            checksum.add(frame[..<8])
            checksum.add(frame[Self.frameHeaderSize...])
            guard checksum.matches(frame[16..<24]) else { return }
            pending[page] = index
            let size = Self.number(frame, 4)
            guard size > 0 else { continue }
            frames.merge(pending) { $1 }
            pending.removeAll(keepingCapacity: true)
            lastPage = Int(size)
            validCount = index + 1
        }
    }

    func page(_ number: Int) -> ArraySlice<UInt8>? {
        frames[UInt32(truncatingIfNeeded: number)].flatMap { frame($0)?[Self.frameHeaderSize...] }
    }

    /// See ``PageFile/oldCopies(ofPage:)``.
    func oldCopies(ofPage number: Int) -> [ArraySlice<UInt8>] {
        var copies: [ArraySlice<UInt8>] = []
        // Pages change often: an older copy than these does not contain more.
        for index in (validCount..<max(frameCount, validCount)).reversed() where copies.count < 16 {
            // The number is not encrypted, so that only the frames of this page are decrypted.
            let head = read(4, at: Self.headerSize + index * frameSize)
            guard head.count == 4, Int(Self.number(head, 0)) == number, let frame = self.frame(index) else { continue }
            copies.append(frame[Self.frameHeaderSize...])
        }
        return copies
    }

    /// Returns a frame with its header, decrypted.
    private func frame(_ index: Int) -> [UInt8]? {
        var bytes = read(frameSize, at: Self.headerSize + index * frameSize)
        guard bytes.count == frameSize else { return nil }
        guard let key else { return bytes }
        let open = Array(bytes[..<16])
        let authenticated = withUnsafeBytes(of: UInt32(truncatingIfNeeded: index).bigEndian) { Array($0) } + open
        let isOpen = bytes.withUnsafeMutableBytes { buffer in
            authenticated.withUnsafeBytes { authenticated in
                buffer.baseAddress.map {
                    SealedPage.open($0 + 16, count: 8 + SealedPage.contentSize, authenticating: authenticated, with: key)
                } ?? false
            }
        }
        guard isOpen else { return nil }
        // Opening has overwritten the header with the nonce, and SQLite computes checksums with zeros for the reserved bytes.
        bytes.replaceSubrange(0..<16, with: open)
        bytes.replaceSubrange((bytes.count - SealedPage.overhead)..., with: [UInt8](repeating: 0, count: SealedPage.overhead))
        return bytes
    }

    private func read(_ count: Int, at position: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(position)) }
        return Array(bytes.prefix(max(got, 0)))
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The checksum of a write-ahead log, which goes on from frame to frame (SQLite, "WAL-mode File Format" 4.2).
private struct WALChecksum {
    private let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { buffer in
            for offset in stride(from: 0, to: buffer.count & ~7, by: 8) {
                first &+= word(buffer, offset) &+ second
                second &+= word(buffer, offset + 4) &+ first
            }
        }
    }

    private func word(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    /// Compares with a stored checksum, which is big-endian in either case.
    func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        let numbers = Array(bytes)
        guard numbers.count >= 8 else { return false }
        func number(_ offset: Int) -> UInt32 { numbers[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        return number(0) == first && number(4) == second
    }
}
