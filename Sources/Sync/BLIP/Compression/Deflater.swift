// Unsafe code: input and output are passed to zlib as pointers together with their counts; see `ZlibStream` for its state.
import CZlib

/// The compressor of one direction: raw DEFLATE with one window for all compressed frames (Replication 2.6). It uses ``memorySize`` bytes.
struct Deflater: ~Copyable, Sendable {
    /// The memory that a compressor uses, in bytes: 128 KiB for the window, 256 KiB for hash tables and pending output, and its state.
    static let memorySize = 400 << 10

    private let stream: ZlibStream
    private var level: Int

    /// Fails if there is not enough memory. The level is 1 to 9.
    init?(level: Int) {
        let size = Int32(MemoryLayout<z_stream>.size)
        let stream = ZlibStream(
            start: { deflateInit2_($0, Int32(level), Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) },
            end: { deflateEnd($0) }
        )
        guard let stream else { return nil }
        self.stream = stream
        self.level = level
    }

    /// Returns an upper bound of the compressed size of `count` bytes including the flush, for any implementation of zlib.
    static func bound(_ count: Int) -> Int { count + count >> 3 + count >> 6 + 32 }

    /// Compresses two consecutive pieces and flushes, without the `00 00 ff ff` at the end.
    ///
    /// - Parameter output: Must have room for ``bound(_:)`` of both pieces.
    /// - Returns: The number of bytes written.
    mutating func deflate(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        level: Int,
        into output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let stream = stream.pointer
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        if self.level != level {
            // After a flush no input is pending that would have to be compressed at the old level first.
            deflateParams(stream, Int32(level), Z_DEFAULT_STRATEGY)
            self.level = level
        }
        if !second.isEmpty, !first.isEmpty { run(first, Z_NO_FLUSH) }
        run(second.isEmpty ? first : second, Z_SYNC_FLUSH)
        precondition(stream.pointee.avail_out > 0, "zlib exceeded its bound")
        return output.count - Int(stream.pointee.avail_out) - Self.trailerSize
    }

    /// The size of `00 00 ff ff`, which ends every flush.
    static let trailerSize = 4

    private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) {
        let stream = stream.pointer
        // zlib does not write to its input; the field lacks `const` for historical reasons.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        _ = CZlib.deflate(stream, flush)
    }
}

/// The state of a compressor or decompressor of zlib, which keeps a pointer to it: it is allocated separately, and freed by `deinit`.
struct ZlibStream: ~Copyable, Sendable {
    /// Must not be used after the owner of this value is gone. `nonisolated(unsafe)` is safe because the value is not copyable, so the stream
    /// has one owner.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<z_stream>
    private let end: @Sendable (UnsafeMutablePointer<z_stream>) -> Int32

    /// Fails if there is not enough memory. `start` initializes the stream and returns the status; `end` frees what `start` has allocated.
    init?(start: (UnsafeMutablePointer<z_stream>) -> Int32, end: @escaping @Sendable (UnsafeMutablePointer<z_stream>) -> Int32) {
        let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        pointer.initialize(to: z_stream())
        guard start(pointer) == Z_OK else {
            pointer.deinitialize(count: 1)
            pointer.deallocate()
            return nil
        }
        self.pointer = pointer
        self.end = end
    }

    deinit {
        _ = end(pointer)
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
