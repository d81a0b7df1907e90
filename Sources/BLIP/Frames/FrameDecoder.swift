// Unsafe code: zlib's checksum reads a slice through the pointer and the count that the slice gives.
import CZlib

/// Takes the frames of one direction apart: header, payload, running checksum (Replication 2.3, 2.5, 2.6).
struct FrameDecoder: ~Copyable {
    private let inflatedLimit: Int
    private var checksum: UInt = 0
    /// Made for the first compressed frame.
    private var inflater: Inflater?

    init(inflatedLimit: Int) {
        self.inflatedLimit = inflatedLimit
    }

    /// The two numbers that a frame begins with; `frame` begins behind them afterwards.
    static func header(of frame: inout ArraySlice<UInt8>) throws(BLIPError) -> (number: UInt64, flags: FrameFlags) {
        var index = frame.startIndex
        guard let number = Varint.read(frame, at: &index), let flags = Varint.read(frame, at: &index) else {
            throw .badHeader
        }
        frame = frame[index...]
        return (number, FrameFlags(rawValue: UInt8(truncatingIfNeeded: flags)))
    }

    /// The payload of a frame, decompressed.
    ///
    /// - Parameter content: What follows the header. To be called for each frame that has a checksum, in order.
    /// - Returns: A part of `content`, or of a buffer that is used again for the next frame when nobody holds it any longer.
    mutating func payload(
        of content: ArraySlice<UInt8>,
        _ number: UInt64,
        _ flags: FrameFlags
    ) throws(BLIPError) -> ArraySlice<UInt8> {
        guard content.count >= FrameLimits.checksumSize else { throw .frameTooShort }
        var payload = content.dropLast(FrameLimits.checksumSize)
        let expected = content.suffix(FrameLimits.checksumSize).reduce(0) { $0 << 8 | UInt($1) }
        // Old peers send empty compressed frames, which have no flush in them either (Replication 2.6).
        if flags.contains(.compressed), !payload.isEmpty {
            if inflater == nil { inflater = Inflater() }
            do {
                payload = try inflater?.inflate(payload, limit: inflatedLimit) ?? []
            } catch {
                switch error {
                case .invalid(let reason): throw .badCompression(message: number, reason: reason)
                case .tooLarge: throw .frameInflatesTooMuch(message: number, limit: inflatedLimit)
                }
            }
        }
        payload.withUnsafeBufferPointer { bytes in
            // For a null pointer zlib would start anew.
            if !bytes.isEmpty { checksum = crc32_z(checksum, bytes.baseAddress, bytes.count) }
        }
        guard checksum == expected else { throw .badChecksum(message: number) }
        return payload
    }
}
