// Unsafe code: zlib keeps a pointer to its z_stream, which therefore lives in memory of its own; it is touched here alone, by the one
// owner of the non-copyable value, and freed in `deinit`. Input and output are given as buffers whose counts zlib is told.
import CZlib

/// One direction's compressor: raw DEFLATE with one window for all compressed frames (Replication 2.6). It takes about 270 KiB.
///
/// It is sendable since it is not copyable: the stream behind the pointer has one owner.
struct Deflater: ~Copyable, @unchecked Sendable {
    private let stream: UnsafeMutablePointer<z_stream>
    private var level: Int

    /// - Parameter level: 1 to 9.
    init(level: Int) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream,
            Int32(level),
            Z_DEFLATED,
            -15,
            9,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        precondition(status == Z_OK, "zlib's deflateInit2 failed with \(status): no memory")
        self.level = level
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// An upper bound of what `count` bytes become with their flush, for any implementation of zlib.
    static func bound(_ count: Int) -> Int { count + count >> 3 + count >> 6 + 32 }

    /// Compresses two pieces that follow each other, and flushes, without the `00 00 ff ff` at the end.
    ///
    /// - Parameter output: Has room for ``bound(_:)`` of both.
    /// - Returns: How much of it was written.
    mutating func deflate(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        level: Int,
        into output: UnsafeMutableRawBufferPointer
    ) -> Int {
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        if self.level != level {
            // After a flush nothing is pending that would have to be compressed first.
            deflateParams(stream, Int32(level), Z_DEFAULT_STRATEGY)
            self.level = level
        }
        if !second.isEmpty, !first.isEmpty { run(first, Z_NO_FLUSH) }
        run(second.isEmpty ? first : second, Z_SYNC_FLUSH)
        precondition(stream.pointee.avail_out > 0, "zlib exceeded its bound")
        return output.count - Int(stream.pointee.avail_out) - Self.trailerSize
    }

    /// The size of `00 00 ff ff`, which every flush ends with.
    static let trailerSize = 4

    private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) {
        // zlib does not write to its input; the type of the field is from before `const`.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        _ = CZlib.deflate(stream, flush)
    }
}
