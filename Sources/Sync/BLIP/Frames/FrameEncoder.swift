// Unsafe code: a frame is written into the uninitialized memory of its array, whose capacity is computed from the parts that are written.
import Base
import CZlib

/// Encodes the frames of one direction: header, payload, running checksum (Replication 2.3, 2.5, 2.6).
struct FrameEncoder: ~Copyable {
    var compression: CompressionPolicy
    private var checksum: UInt = 0
    /// Created for the first compressed frame.
    private var deflater: Deflater?

    init(compression: CompressionPolicy) { self.compression = compression }

    /// Returns the largest number of message bytes that always fit into a frame of `frameSize` bytes.
    func capacity(frameSize: Int, number: UInt64, isCompressed: Bool) -> Int {
        let room = frameSize - Varint.size(of: number) - 1 - FrameLimits.checksumSize
        // The inverse of Deflater.bound, rounded down.
        return isCompressed ? (room - 40) * 64 / 73 : room
    }

    /// Encodes the next frame: a part of a message's properties, of its body, or the end of the properties and the start of the body.
    ///
    /// - Parameter flags: May include the compressed bit only if there are bytes (Replication 2.6). The frame is not compressed if there is
    ///   not enough memory for the compressor.
    mutating func frame(number: UInt64, flags: FrameFlags, head: ArraySlice<UInt8>, body: ArraySlice<UInt8>) -> [UInt8] {
        var flags = flags
        let level = flags.contains(.compressed) ? compression.nextLevel() : 0
        if level > 0, deflater == nil { deflater = Deflater(level: level) }
        if deflater == nil { flags.remove(.compressed) }
        let isCompressed = flags.contains(.compressed)
        let count = head.count + body.count
        let headerSize = Varint.size(of: number) + 1
        let room = isCompressed ? Deflater.bound(count) : count
        return head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in
                [UInt8](unsafeUninitializedCapacity: headerSize + room + FrameLimits.checksumSize) { frame, size in
                    let bytes = UnsafeMutableRawBufferPointer(frame)
                    if let start = bytes.baseAddress { Varint.write(number, to: start) }
                    bytes[headerSize - 1] = flags.rawValue
                    let target = UnsafeMutableRawBufferPointer(rebasing: bytes[headerSize..<headerSize + room])
                    checksum = Self.checksum(checksum, of: head)
                    checksum = Self.checksum(checksum, of: body)
                    var end = headerSize
                    if isCompressed {
                        end += deflater?.deflate(head, body, level: level, into: target) ?? 0
                    } else {
                        target.copyMemory(from: head)
                        UnsafeMutableRawBufferPointer(rebasing: target[head.count...]).copyMemory(from: body)
                        end += count
                    }
                    bytes.storeBytes(of: UInt32(truncatingIfNeeded: checksum).bigEndian, toByteOffset: end, as: UInt32.self)
                    size = end + FrameLimits.checksumSize
                }
            }
        }
    }

    /// Continues a running checksum (Replication 2.5).
    static func checksum(_ checksum: UInt, of bytes: UnsafeRawBufferPointer) -> UInt {
        // For a null pointer zlib would return the initial checksum.
        guard !bytes.isEmpty else { return checksum }
        return crc32_z(checksum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}
