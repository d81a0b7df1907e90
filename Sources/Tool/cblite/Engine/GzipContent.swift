// Unsafe code: input and output are passed to zlib as pointers together with their counts, and only during the call.
import CZlib

/// Decompresses a file in the format gzip (RFC 1952), which may consist of several compressed parts.
final class GzipContent {
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the last part is complete.
    private var isComplete = false
    private static let pieceSize = 1 << 18
    static let signature: [UInt8] = [0x1F, 0x8B]

    /// - Throws: ``Failure`` if there is not enough memory.
    init() throws {
        stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // The largest window, and 16 for the header and the trailer of gzip.
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            throw Failure(.inputOutput, "there is not enough memory to decompress a file")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the content of the next bytes of the file; `nil` if they are not valid.
    func decode(_ bytes: [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var input = bytes[...]
        while !input.isEmpty {
            if isComplete {
                // Zeros may fill the file.
                guard input.contains(where: { $0 != 0 }) else { break }
                guard inflateReset(stream) == Z_OK else { return nil }
                isComplete = false
            }
            guard let piece = inflate(&input) else { return nil }
            content += piece
        }
        return content
    }

    /// Returns whether the content has ended where the file ends.
    func finish() -> Bool { isComplete }

    private func inflate(_ input: inout ArraySlice<UInt8>) -> [UInt8]? {
        var status = Z_OK
        let piece = input.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
                // zlib does not write to its input; the field lacks `const` for historical reasons.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.pointee.avail_in = UInt32(source.count)
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                count = buffer.count - Int(stream.pointee.avail_out)
            }
        }
        let wasRead = Int(stream.pointee.avail_in) < input.count
        input = input.suffix(Int(stream.pointee.avail_in))
        isComplete = status == Z_STREAM_END
        guard status == Z_OK || isComplete || status == Z_BUF_ERROR, wasRead || !piece.isEmpty else { return nil }
        return piece
    }
}
