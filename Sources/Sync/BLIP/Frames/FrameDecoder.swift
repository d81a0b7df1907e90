import Base

/// Decodes the frames of one direction: header, payload, running checksum (Replication 2.3, 2.5, 2.6).
struct FrameDecoder: ~Copyable {
    private let inflatedLimit: Int
    private var checksum: UInt = 0
    /// Created for the first compressed frame.
    private var inflater: Inflater?

    init(inflatedLimit: Int) { self.inflatedLimit = inflatedLimit }

    /// Reads the two numbers at the start of a frame; afterwards `frame` starts after them.
    static func header(of frame: inout ArraySlice<UInt8>) throws(BLIPError) -> (number: UInt64, flags: FrameFlags) {
        var index = frame.startIndex
        guard let number = Varint.read(frame, at: &index), let flags = Varint.read(frame, at: &index) else { throw .badHeader }
        frame = frame[index...]
        return (number, FrameFlags(rawValue: UInt8(truncatingIfNeeded: flags)))
    }

    /// Whether a frame with these flags needs a decompressor that has not been created yet.
    func needsInflater(_ flags: FrameFlags) -> Bool { inflater == nil && flags.contains(.compressed) }

    /// Decodes and verifies the payload of a frame.
    ///
    /// - Parameters:
    ///   - content: The bytes after the header. Must be passed for each frame that has a checksum, in order.
    ///   - consume: Receives the decompressed payload in pieces, before the checksum is verified: its results must not be used if this method
    ///     throws.
    mutating func decode(
        _ content: ArraySlice<UInt8>,
        _ number: UInt64,
        _ flags: FrameFlags,
        _ consume: (ArraySlice<UInt8>) throws(BLIPError) -> Void
    ) throws(BLIPError) {
        guard content.count >= FrameLimits.checksumSize else { throw .frameTooShort }
        let payload = content.dropLast(FrameLimits.checksumSize)
        let expected = content.suffix(FrameLimits.checksumSize).reduce(0) { $0 << 8 | UInt($1) }
        // Old peers send empty compressed frames, which contain no flush either (Replication 2.6).
        if flags.contains(.compressed), !payload.isEmpty {
            if inflater == nil { inflater = Inflater() }
            if inflater == nil { throw .noMemoryToDecompress(message: number) }
            inflater?.begin(payload)
            while let piece = try nextPiece(number) {
                add(toChecksum: piece)
                try consume(piece)
            }
        } else {
            add(toChecksum: payload)
            try consume(payload)
        }
        guard checksum == expected else { throw .badChecksum(message: number) }
    }

    private mutating func nextPiece(_ number: UInt64) throws(BLIPError) -> ArraySlice<UInt8>? {
        do throws(Inflater.Failure) {
            return try inflater?.next(limit: inflatedLimit) ?? nil
        } catch {
            switch error {
            case .invalid(let reason): throw .badCompression(message: number, reason: reason)
            case .tooLarge: throw .frameInflatesTooMuch(message: number, limit: inflatedLimit)
            }
        }
    }

    private mutating func add(toChecksum piece: ArraySlice<UInt8>) {
        checksum = piece.withUnsafeBytes { FrameEncoder.checksum(checksum, of: $0) }
    }
}
