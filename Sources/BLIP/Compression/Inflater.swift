// Unsafe code: zlib keeps a pointer to its z_stream, which therefore lives in memory of its own; it is touched here alone, by the one
// owner of the non-copyable value, and freed in `deinit`. Input and output are given as buffers whose counts zlib is told.
import CZlib

/// One direction's decompressor (Replication 2.6). It takes ``memorySize``.
///
/// It is sendable since it is not copyable: the stream behind the pointer has one owner.
struct Inflater: ~Copyable, @unchecked Sendable {
    /// Why bytes could not be decompressed.
    enum Failure: Error {
        case invalid(String)
        case tooLarge
    }

    /// What is decompressed at a time.
    private static let bufferSize = 64 << 10
    /// What all of it takes in memory, in bytes.
    static let memorySize = bufferSize + (40 << 10)

    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    /// What has not been read of the payload, or of the trailer that follows it.
    private var rest: ArraySlice<UInt8> = []
    private var isInTrailer = true
    /// What the payload has given so far.
    private var count = 0

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib's inflateInit2 failed with \(status): no memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Begins with the payload of a frame, which is not empty: without the `00 00 ff ff` its sender has taken away.
    mutating func begin(_ payload: ArraySlice<UInt8>) {
        rest = payload
        isInTrailer = false
        count = 0
    }

    /// The next piece of what the payload decompresses to; nil at its end.
    ///
    /// - Parameter limit: The most bytes that all pieces of a payload may have.
    /// - Returns: A slice of a buffer that the next call reuses when nobody holds the slice any longer.
    mutating func next(limit: Int) throws(Failure) -> ArraySlice<UInt8>? {
        var filled = 0
        var isAtEnd = false
        var rest = self.rest
        defer { self.rest = rest }
        while filled < buffer.count, !isAtEnd {
            let status = step(&rest, &filled)
            // Z_BUF_ERROR says that there was nothing left to do, or no room.
            guard status == Z_OK || status == Z_BUF_ERROR else { throw .invalid(Self.reason(status, stream.pointee.msg)) }
            if filled == buffer.count { break }
            if rest.isEmpty {
                isAtEnd = isInTrailer
                if !isInTrailer {
                    rest = Self.trailer
                    isInTrailer = true
                }
            } else if status == Z_BUF_ERROR {
                throw .invalid("no progress")
            }
        }
        count += filled
        guard count <= limit else { throw .tooLarge }
        return filled == 0 ? nil : buffer[..<filled]
    }

    private static let trailer: ArraySlice<UInt8> = [0x00, 0x00, 0xFF, 0xFF]

    private static func reason(_ status: Int32, _ message: UnsafePointer<CChar>?) -> String {
        if status == Z_STREAM_END { return "the stream ends" }
        return message.map { String(cString: $0) } ?? "zlib status \(status)"
    }

    /// One call of zlib, which takes from the input and adds to the output.
    private mutating func step(_ input: inout ArraySlice<UInt8>, _ count: inout Int) -> Int32 {
        let stream = stream
        let start = count
        let (status, taken, end) = input.withUnsafeBufferPointer { source in
            buffer.withUnsafeMutableBufferPointer { target in
                let piece = UnsafeBufferPointer(rebasing: source.prefix(1 << 30))
                // zlib does not write to its input; the type of the field is from before `const`.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
                stream.pointee.avail_in = UInt32(piece.count)
                stream.pointee.next_out = target.baseAddress.map { $0 + start }
                stream.pointee.avail_out = UInt32(target.count - start)
                let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
                return (status, piece.count - Int(stream.pointee.avail_in), target.count - Int(stream.pointee.avail_out))
            }
        }
        input = input.dropFirst(taken)
        count = end
        return status
    }
}
