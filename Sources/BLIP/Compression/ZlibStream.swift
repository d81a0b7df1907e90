// Unsafe code: zlib keeps a pointer to its z_stream, which is therefore allocated separately, and freed by `deinit`.
import CZlib

/// The state of a compressor or decompressor of zlib.
struct ZlibStream: ~Copyable, Sendable {
    /// Must not be used after the owner of this value is gone. `nonisolated(unsafe)` is safe because the value is not copyable, so the stream
    /// has one owner.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<z_stream>
    private let end: @Sendable (UnsafeMutablePointer<z_stream>) -> Int32

    /// Fails if there is not enough memory.
    ///
    /// - Parameters:
    ///   - start: Initializes the stream, and returns the status.
    ///   - end: Frees what `start` has allocated.
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
