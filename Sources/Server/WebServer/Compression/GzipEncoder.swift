// Unsafe code: input and output are passed to zlib as pointers together with their counts, and only during the call.
#if Replication
import CZlib

/// Compresses the body of one response in the format gzip (RFC 1952).
///
/// It takes about 40 KiB, because there may be as many as there are responses that are sent while they are produced.
final class GzipEncoder: Sendable {
    /// `nonisolated(unsafe)` is safe because the parts of a response are compressed one after the other, by the task that sends it.
    nonisolated(unsafe) private let stream: UnsafeMutablePointer<z_stream>

    private static let level: Int32 = 4
    /// A window of 4 KiB, and 16 for the header and the trailer of gzip.
    private static let windowBits: Int32 = 12 + 16
    private static let memoryLevel: Int32 = 5
    private static let outputSize = 16 << 10

    /// Fails if there is not enough memory.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(stream, Self.level, Z_DEFLATED, Self.windowBits, Self.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the compressed form of a part, from which the client can restore all bytes so far.
    func part(_ bytes: [UInt8]) -> [UInt8] { run(bytes, Z_SYNC_FLUSH) }

    /// Returns the compressed form of the last part.
    func end(_ bytes: [UInt8] = []) -> [UInt8] { run(bytes, Z_FINISH) }

    private func run(_ input: [UInt8], _ flush: Int32) -> [UInt8] {
        var output: [UInt8] = []
        input.withUnsafeBufferPointer { source in
            // zlib does not write to its input; the field lacks `const` for historical reasons.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            stream.pointee.avail_in = UInt32(source.count)
            repeat {
                let part = [UInt8](unsafeUninitializedCapacity: Self.outputSize) { buffer, count in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(buffer.count)
                    _ = deflate(stream, flush)
                    count = buffer.count - Int(stream.pointee.avail_out)
                }
                output += part
            } while stream.pointee.avail_out == 0
        }
        return output
    }
}
#endif
