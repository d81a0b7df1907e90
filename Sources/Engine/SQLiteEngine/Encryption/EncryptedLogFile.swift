import CSQLiteSystem
import Crypto

/// A write-ahead log of encrypted and authenticated frames (Encryption format, "The log").
///
/// SQLite writes a frame in two steps: 24 bytes of header, then a page. This class writes it in one step, so that both are sealed together.
/// The checksums in the header, which SQLite computes from plaintext, are encrypted; the rest of the header is associated data.
final class EncryptedLogFile: LayeredFile {
    private enum Frame {
        static let headerSize = LogFrame.headerSize
        static let size = headerSize + SealedPage.size
        /// The page number, the size of the database after a commit, and the salts of the log are not encrypted.
        static let openSize = 16
        static let checksumSize = headerSize - openSize
        static let sealedSize = checksumSize + SealedPage.contentSize
    }
    private static let logHeaderSize = 32

    /// The reason why SQLite reads whole frames.
    private enum Purpose {
        /// To find the end of the log: a frame that cannot be opened ends the log.
        case recovery
        /// To compute the checksums of frames that this connection has just written.
        case checksums
    }

    /// The name of the underlying file, which holds a pointer to it.
    let name: LogName
    private let key: SymmetricKey
    // The connection's owner ensures exclusive access to these properties.
    @exclusivity(unchecked) private var nonces: NonceSequence
    @exclusivity(unchecked) private var purpose = Purpose.recovery
    @exclusivity(unchecked) private var writes = LogWrites()
    /// The number of the frame whose header has been written and whose page is pending. The header is in `frame`.
    @exclusivity(unchecked) private var begun: Int64?
    /// The number of the decrypted frame in `frame` that waits for its new checksums.
    @exclusivity(unchecked) private var opened: Int64?
    /// The associated data of a frame: its number in the log, then the unencrypted part of its header.
    private let authenticated = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 + Frame.openSize, alignment: 16)
    private let frame = UnsafeMutableRawPointer.allocate(byteCount: Frame.size, alignment: 16)

    init(below: Pointer, name: LogName, key: SymmetricKey, nonces: NonceSequence) {
        self.name = name
        self.key = key
        self.nonces = nonces
        super.init(below: below)
    }

    deinit {
        authenticated.deallocate()
        frame.deallocate()
    }

    // MARK: Reading

    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        begun = nil
        opened = nil
        let written = writes.prepareToRead(self)
        guard written == SQLITE_OK else { return written }
        let (number, start) = place(of: offset)
        switch (start, buffer.count) {
        case _ where offset < Self.logHeaderSize:
            purpose = buffer.count == Self.logHeaderSize ? .recovery : .checksums
            return readBelow(into: buffer, at: offset)
        case (0, Frame.size): return readFrame(number, into: buffer)
        case (Frame.openSize, Frame.checksumSize): purpose = .checksums
        case (Frame.headerSize, 1...SealedPage.size): break
        default: return Self.cannotRead
        }
        let result = openFrame(number)
        guard result == SQLITE_OK else {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return result
        }
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: frame + start, count: buffer.count))
        return SQLITE_OK
    }

    private func readFrame(_ number: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        let result = openFrame(number)
        switch (result, purpose) {
        case (SQLITE_OK, .checksums):
            opened = number
        case (SQLITE_OK, .recovery):
            break
        case (SQLITE_CORRUPT, .recovery):
            // Zeros are not a valid frame to SQLite, and neither is the rest of a write that was interrupted by a crash.
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return SQLITE_OK
        default:
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return result
        }
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: frame, count: Frame.size))
        return SQLITE_OK
    }

    /// Reads a frame into `frame` and decrypts it there.
    private func openFrame(_ number: Int64) -> Int32 {
        let result = readBelow(into: UnsafeMutableRawBufferPointer(start: frame, count: Frame.size), at: offset(of: number))
        guard result == SQLITE_OK else { return result }
        setAuthenticated(number)
        let sealed = frame + Frame.openSize
        guard SealedPage.open(sealed, count: Frame.sealedSize, authenticating: UnsafeRawBufferPointer(authenticated), with: key) else {
            return SQLITE_CORRUPT
        }
        // Opening has overwritten the header with the nonce.
        frame.copyMemory(from: authenticated.baseAddress.unsafelyUnwrapped + 4, byteCount: Frame.openSize)
        (sealed + Frame.sealedSize).initializeMemory(as: UInt8.self, repeating: 0, count: SealedPage.overhead)
        return SQLITE_OK
    }

    // MARK: Writing

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        let (number, start) = place(of: offset)
        guard let source = bytes.baseAddress else { return Self.cannotWrite }
        defer { opened = nil }
        if offset == 0, bytes.count == Self.logHeaderSize {
            begun = nil
            return writes.write(bytes, at: offset, .other, to: self)
        }
        switch (start, bytes.count) {
        case (0, Frame.headerSize):
            frame.copyMemory(from: source, byteCount: Frame.headerSize)
            if opened == number { return sealFrame(number) }
            begun = number
            return SQLITE_OK
        case (Frame.headerSize, SealedPage.size) where SealedPage.isReservedSpaceEmpty(source):
            if begun != number {
                // The transaction has written this page before. SQLite computes the checksums afterwards.
                let head = UnsafeMutableRawBufferPointer(start: frame, count: Frame.openSize)
                let written = writes.prepareToRead(self)
                guard written == SQLITE_OK else { return written }
                let result = readBelow(into: head, at: self.offset(of: number))
                guard result == SQLITE_OK else { return result }
                (frame + Frame.openSize).initializeMemory(as: UInt8.self, repeating: 0, count: Frame.checksumSize)
            }
            begun = nil
            (frame + Frame.headerSize).copyMemory(from: source, byteCount: SealedPage.contentSize)
            return sealFrame(number)
        default:
            return Self.cannotWrite
        }
    }

    /// Seals the content of `frame` and writes it.
    private func sealFrame(_ number: Int64) -> Int32 {
        setAuthenticated(number)
        do {
            try SealedPage.seal(
                frame + Frame.openSize,
                count: Frame.sealedSize,
                authenticating: UnsafeRawBufferPointer(authenticated),
                with: key,
                nonces: &nonces
            )
        } catch {
            return Self.cannotWrite
        }
        let sealed = UnsafeRawBufferPointer(start: frame, count: Frame.size)
        return writes.write(sealed, at: offset(of: number), .frameEnd(isCommit: LogFrame.endsCommit(sealed)), to: self)
    }

    override func writePending() -> Int32 { writes.writePending(to: self) }

    // MARK: Positions

    /// Returns the number of the frame that contains `offset`, counted from 0, and the position in the frame.
    private func place(of offset: Int64) -> (number: Int64, start: Int) {
        let (number, start) = (offset - Int64(Self.logHeaderSize)).quotientAndRemainder(dividingBy: Int64(Frame.size))
        return (number, Int(start))
    }

    private func offset(of number: Int64) -> Int64 {
        Int64(Self.logHeaderSize) + number * Int64(Frame.size)
    }

    private func setAuthenticated(_ number: Int64) {
        guard let address = authenticated.baseAddress else { return }
        address.storeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, as: UInt32.self)
        (address + 4).copyMemory(from: frame, byteCount: Frame.openSize)
    }
}

/// The name of an encrypted database's log, which does not end in `-wal` as SQLite's does.
///
/// A connection without the key, of this library or another program, would use a log with the usual name. Because it finds no valid frame
/// in it, it would delete the log on closing, or copy the log's content over the database.
package final class LogName {
    /// The suffix that is appended to the name of the database file.
    package static let suffix = "-log"
    private static let usualSuffix = "-wal"

    private let bytes: UnsafeMutableBufferPointer<CChar>
    /// The name, valid as long as the object exists. Two NULs follow, which SQLite requires for a name without parameters.
    var pointer: UnsafePointer<CChar>? { UnsafePointer(bytes.baseAddress) }

    /// - Parameter usual: The name that SQLite uses.
    init(_ usual: UnsafePointer<CChar>?) {
        let usual = usual.map { String(cString: $0) } ?? ""
        let isLog = usual.hasSuffix(Self.usualSuffix)
        let name = isLog ? usual.dropLast(Self.usualSuffix.count) + Self.suffix : usual
        let text = Array(name.utf8CString) + [0]
        bytes = .allocate(capacity: text.count)
        _ = bytes.initialize(from: text)
    }

    deinit { bytes.deallocate() }

    /// Calls `body` with the name of the file on disk.
    static func with<Result>(_ usual: UnsafePointer<CChar>?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        let name = LogName(usual)
        return withExtendedLifetime(name) { body(name.pointer) }
    }
}
