internal import CSQLiteSystem
internal import Crypto

/// A database file of encrypted and authenticated pages. The header comes first, so that page n, counted from 1, is at offset n × 4096.
final class EncryptedDatabaseFile: LayeredFile {
    private let header: EncryptionHeader
    private let key: SymmetricKey
    // The connection's owner ensures exclusive access to these properties.
    @exclusivity(unchecked) private var nonces: NonceSequence
    /// A buffer for a page, preceded by space for the nonce that opening the page writes there.
    private let room = UnsafeMutableRawPointer.allocate(byteCount: NonceSequence.nonceSize + SealedPage.size, alignment: 16)
    private var page: UnsafeMutableRawPointer { room + NonceSequence.nonceSize }

    init(below: Pointer, header: EncryptionHeader, key: SymmetricKey, nonces: NonceSequence) {
        self.header = header
        self.key = key
        self.nonces = nonces
        super.init(below: below)
    }

    deinit { room.deallocate() }

    override var hiddenSize: Int64 { Int64(EncryptionHeader.size) }

    override var isExpected: Bool {
        let encoded = header.encoded
        var found = [UInt8](repeating: 0, count: encoded.count)
        guard found.withUnsafeMutableBytes({ readBelow(into: $0, at: 0) }) == SQLITE_OK else { return false }
        return found == encoded
    }

    /// SQLite reads whole pages, and parts of the first page.
    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        let start = Int(offset % Int64(SealedPage.size))
        guard let destination = buffer.baseAddress, start + buffer.count <= SealedPage.size else { return Self.cannotRead }
        let pageOffset = offset - Int64(start)
        let result = readBelow(into: UnsafeMutableRawBufferPointer(start: page, count: SealedPage.size), at: pageOffset + hiddenSize)
        guard result == SQLITE_OK else {
            // A truncated page cannot be opened, like a page that does not exist.
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return result
        }
        let isOpen = withPageNumber(at: pageOffset) {
            SealedPage.open(page, count: SealedPage.contentSize, authenticating: $0, with: key)
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

    /// The size of the header in SQLite's first page, which SQLite reads separately when it opens a file
    /// (https://sqlite.org/fileformat2.html#the_database_header).
    private static let sqliteHeaderSize = 100

    /// Writes the settings that are the same in all encrypted databases, which SQLite needs before it reads the log.
    ///
    /// A crash during a checkpoint may damage the first page. The log then contains the page, but SQLite opens the file before the log. It
    /// only takes these settings from the file's header, which do not depend on the file's content, and reads the page itself from the log.
    /// If the log does not contain the page, reading it fails as for any other damaged page.
    private static func writeSettings(to header: UnsafeMutableRawBufferPointer) {
        header.copyBytes(from: "SQLite format 3\0".utf8)
        header.storeBytes(of: UInt16(SealedPage.size).bigEndian, toByteOffset: 16, as: UInt16.self)
        // Write and read version: the database has a write-ahead log.
        header[18] = 2
        header[19] = 2
        header[20] = UInt8(SealedPage.overhead)
        // The payload fractions, which are constants of the format.
        header[21] = 64
        header[22] = 32
        header[23] = 32
    }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        guard let source = bytes.baseAddress, bytes.count == SealedPage.size, offset % Int64(SealedPage.size) == 0,
            SealedPage.isReservedSpaceEmpty(source)
        else { return Self.cannotWrite }
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

    /// Passes the page number as associated data to `body`. It is authenticated with the page, so that pages cannot be exchanged.
    @inline(__always)
    private func withPageNumber<Result>(at offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let number = UInt32(truncatingIfNeeded: offset / Int64(SealedPage.size) + 1).bigEndian
        return try withUnsafeBytes(of: number, body)
    }
}
