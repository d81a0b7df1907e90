// Unsafe code: input and output are passed to zlib as pointers together with their counts, and only during the call.
#if Replication
import CZlib

/// Decompresses the body of one request in the format gzip (RFC 1952), a bounded piece at a time: a small body may have a content of any size.
final class GzipDecoder: Sendable {
    private struct State {
        /// What was received and is not decompressed yet.
        var input: ArraySlice<UInt8> = []
        var hasEnded = false
    }

    /// The maximum size of a piece.
    private static let pieceSize = 64 << 10

    /// `nonisolated(unsafe)` is safe because a body is read by one task at a time (``WebBody/next()``).
    nonisolated(unsafe) private let stream: UnsafeMutablePointer<z_stream>
    nonisolated(unsafe) private var state = State()

    /// Fails if there is not enough memory.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // The largest window, and 16 for the header and the trailer of gzip.
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Adds bytes of the body, after ``next()`` has returned `nil`.
    func append(_ bytes: [UInt8]) { state.input = bytes[...] }

    /// Returns the next piece of the content; `nil` if more of the body is needed.
    ///
    /// - Throws: ``WebError`` with the status 400 if the body is not valid gzip, or something follows its end.
    func next() throws(WebError) -> [UInt8]? {
        guard !state.input.isEmpty else { return nil }
        guard !state.hasEnded else { throw WebError(400, "Something follows the gzip body of the request") }
        var status = Z_OK
        let piece = state.input.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
                // zlib does not write to its input; the field lacks `const` for historical reasons.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.pointee.avail_in = UInt32(source.count)
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                status = inflate(stream, Z_NO_FLUSH)
                count = buffer.count - Int(stream.pointee.avail_out)
            }
        }
        state.input = state.input.suffix(Int(stream.pointee.avail_in))
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw Self.invalid }
        if status == Z_STREAM_END { state.hasEnded = true }
        if piece.isEmpty, !state.hasEnded, !state.input.isEmpty { throw Self.invalid }
        return piece.isEmpty ? nil : piece
    }

    /// Checks at the end of the body that its content is complete.
    func finish() throws(WebError) {
        guard state.hasEnded, state.input.isEmpty else { throw Self.invalid }
    }

    private static let invalid = WebError(400, "The body of the request is not valid gzip")
}
#endif
