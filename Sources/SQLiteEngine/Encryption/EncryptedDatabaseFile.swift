internal import CSQLiteSystem
internal import Crypto

/// A database file of sealed pages. The header comes first, so that page n, counted from 1, is at n × 4096.
final class EncryptedDatabaseFile: EncryptedFile {
    private let header: EncryptionHeader
    private let key: SymmetricKey
    // Exclusivity of these is given by the connection's owner.
    @exclusivity(unchecked) private var nonces: NonceSequence
    /// Room for a page and, before it, for the nonce that opening it puts there.
    private let room = UnsafeMutableRawPointer.allocate(byteCount: NonceSequence.nonceSize + SealedPage.size, alignment: 16)
    private var page: UnsafeMutableRawPointer { room + NonceSequence.nonceSize }

    init(below: Pointer, header: EncryptionHeader, key: SymmetricKey, nonces: NonceSequence) {
        self.header = header
        self.key = key
        self.nonces = nonces
        super.init(below: below)
    }

    deinit {
        room.deallocate()
    }

    override var hiddenSize: Int64 { Int64(EncryptionHeader.size) }

    override var isExpected: Bool {
        let encoded = header.encoded
        var found = [UInt8](repeating: 0, count: encoded.count)
        guard found.withUnsafeMutableBytes({ readBelow(into: $0, at: 0) }) == SQLITE_OK else { return false }
        return found == encoded
    }

    /// SQLite reads whole pages, and parts of the first.
    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        let start = Int(offset % Int64(SealedPage.size))
        guard let destination = buffer.baseAddress, start + buffer.count <= SealedPage.size else { return Self.cannotRead }
        let pageOffset = offset - Int64(start)
        let result = readBelow(into: UnsafeMutableRawBufferPointer(start: page, count: SealedPage.size), at: pageOffset + hiddenSize)
        guard result == SQLITE_OK else {
            // A page that is cut short opens as little as one that is not there.
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return result
        }
        let isOpen = withPageNumber(at: pageOffset) {
            SealedPage.open(page, count: SealedPage.contentSize, authenticating: $0, with: key, to: page)
        }
        guard isOpen else {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            guard offset == 0, buffer.count == Self.sqliteHeaderSize else { return SQLITE_CORRUPT }
            Self.writeSettings(to: buffer)
            return SQLITE_OK
        }
        (page + SealedPage.contentSize).initializeMemory(as: UInt8.self, repeating: 0, count: SealedPage.overhead)
        destination.copyMemory(from: page + start, byteCount: buffer.count)
        return SQLITE_OK
    }

    /// The header that SQLite's first page begins with, which is read by itself when a file is opened
    /// (https://sqlite.org/fileformat2.html#the_database_header).
    private static let sqliteHeaderSize = 100

    /// Writes the settings that are the same in every encrypted database: what SQLite needs to know before it looks into the log.
    ///
    /// The first page may be damaged by a crash in the middle of a checkpoint. The log then has it as it was to be, but SQLite opens
    /// the file before the log. It takes nothing but these settings from there, which are not the file's word but ours, and reads the
    /// page itself from the log. If that does not have it, the page is an error as any other.
    private static func writeSettings(to header: UnsafeMutableRawBufferPointer) {
        header.copyBytes(from: "SQLite format 3\0".utf8)
        header.storeBytes(of: UInt16(SealedPage.size).bigEndian, toByteOffset: 16, as: UInt16.self)
        // Write and read version: the database has a write-ahead log.
        header[18] = 2
        header[19] = 2
        header[20] = UInt8(SealedPage.overhead)
        // The fractions of a page that parts of large keys take.
        header[21] = 64
        header[22] = 32
        header[23] = 32
    }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        guard let source = bytes.baseAddress, bytes.count == SealedPage.size, offset % Int64(SealedPage.size) == 0
        else {
            return Self.cannotWrite
        }
        guard SealedPage.leavesRoom(source) else { return Self.cannotWrite }
        page.copyMemory(from: source, byteCount: SealedPage.contentSize)
        do {
            try withPageNumber(at: offset) {
                try SealedPage.seal(page, count: SealedPage.contentSize, authenticating: $0, with: key, nonces: &nonces)
            }
        } catch {
            return Self.cannotWrite
        }
        return writeBelow(UnsafeRawBufferPointer(start: page, count: SealedPage.size), at: offset + hiddenSize)
    }

    /// The number of the page is sealed with it, so that pages cannot change places.
    @inline(__always)
    private func withPageNumber<Result>(at offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let number = UInt32(truncatingIfNeeded: offset / Int64(SealedPage.size) + 1).bigEndian
        return try withUnsafeBytes(of: number, body)
    }
}
