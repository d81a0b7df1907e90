internal import CSQLiteSystem
internal import Crypto

/// A write-ahead log of sealed frames (Encryption format, "The log").
///
/// SQLite writes a frame in two steps, 24 bytes of header and a page, and this class in one, so that both are sealed together:
/// of the header the checksums, which SQLite computes of what is not encrypted, the rest as associated data.
final class EncryptedLogFile: EncryptedFile {
    private enum Frame {
        static let headerSize = 24
        static let size = headerSize + SealedPage.size
        /// Page number, size of the database after a commit, and the salts of the log stay readable.
        static let openSize = 16
        static let checksumSize = headerSize - openSize
        static let sealedSize = checksumSize + SealedPage.contentSize
    }
    private static let logHeaderSize = 32

    /// Why SQLite reads whole frames.
    private enum Purpose {
        /// To find out where the log ends: a frame that does not open is the end.
        case recovery
        /// To compute the checksums of frames that this connection has just written.
        case checksums
    }

    /// The name of the file below, which keeps a reference to it.
    let name: LogName
    private let key: SymmetricKey
    // Exclusivity of these is given by the connection's owner.
    @exclusivity(unchecked) private var nonces: NonceSequence
    @exclusivity(unchecked) private var purpose = Purpose.recovery
    /// The frame whose header has been written and whose page is still to come; its header is in `frame`.
    @exclusivity(unchecked) private var begun: Int64?
    /// The frame that is open in `frame`, waiting for its new checksums.
    @exclusivity(unchecked) private var opened: Int64?
    /// What is sealed with a frame but stands in the open: its number in the log, then the first part of its header.
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
            // Zeros are no frame to SQLite, as the remains of a write that a crash has cut off are none.
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return SQLITE_OK
        default:
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return result
        }
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: frame, count: Frame.size))
        return SQLITE_OK
    }

    /// Reads a frame and opens it, in `frame`.
    private func openFrame(_ number: Int64) -> Int32 {
        let result = readBelow(into: UnsafeMutableRawBufferPointer(start: frame, count: Frame.size), at: offset(of: number))
        guard result == SQLITE_OK else { return result }
        setAuthenticated(number)
        let sealed = frame + Frame.openSize
        let isOpen = SealedPage.open(
            sealed,
            count: Frame.sealedSize,
            authenticating: UnsafeRawBufferPointer(authenticated),
            with: key,
            to: sealed
        )
        guard isOpen else { return SQLITE_CORRUPT }
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
            return writeBelow(bytes, at: offset)
        }
        switch (start, bytes.count) {
        case (0, Frame.headerSize):
            frame.copyMemory(from: source, byteCount: Frame.headerSize)
            if opened == number { return sealFrame(number) }
            begun = number
            return SQLITE_OK
        case (Frame.headerSize, SealedPage.size) where SealedPage.leavesRoom(source):
            if begun != number {
                // A page that the transaction has written before. SQLite computes the checksum afterwards.
                let result = readBelow(
                    into: UnsafeMutableRawBufferPointer(start: frame, count: Frame.openSize),
                    at: self.offset(of: number)
                )
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

    /// Seals what is in `frame`, and writes it.
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
        return writeBelow(UnsafeRawBufferPointer(start: frame, count: Frame.size), at: offset(of: number))
    }

    // MARK: Places

    /// The frame that `offset` lies in, counted from 0, and where in it.
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
