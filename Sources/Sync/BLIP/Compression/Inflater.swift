// Unsafe code: input and output are passed to zlib as pointers together with their counts; see `ZlibStream` for its state.
import CZlib

/// The decompressor of one direction (Replication 2.6). It uses ``memorySize`` bytes.
struct Inflater: ~Copyable, Sendable {
    enum Failure: Error {
        case invalid(String)
        case tooLarge
    }

    /// The most bytes that are decompressed at a time.
    private static let bufferSize = 64 << 10
    /// The memory that a decompressor uses, in bytes.
    static let memorySize = bufferSize + (40 << 10)

    private let stream: ZlibStream
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    /// The unread rest of the payload, or of the trailer that follows it.
    private var rest: ArraySlice<UInt8> = []
    private var isInTrailer = true
    /// The number of bytes that the payload has decompressed to so far.
    private var count = 0

    /// Fails if there is not enough memory.
    init?() {
        let size = Int32(MemoryLayout<z_stream>.size)
        let stream = ZlibStream(start: { inflateInit2_($0, -15, ZLIB_VERSION, size) }, end: { inflateEnd($0) })
        guard let stream else { return nil }
        self.stream = stream
    }

    /// Starts with the payload of a frame. It is not empty and lacks the `00 00 ff ff` that the sender removed.
    mutating func begin(_ payload: ArraySlice<UInt8>) {
        rest = payload
        isInTrailer = false
        count = 0
    }

    /// Returns the next decompressed piece of the payload; `nil` at its end.
    ///
    /// - Parameter limit: The most bytes that all pieces of a payload may have together.
    /// - Returns: A slice of a buffer that the next call reuses if the slice has been released.
    mutating func next(limit: Int) throws(Failure) -> ArraySlice<UInt8>? {
        var filled = 0
        var isAtEnd = false
        var rest = self.rest
        defer { self.rest = rest }
        while filled < buffer.count, !isAtEnd {
            let status = step(&rest, &filled)
            // Z_BUF_ERROR means that no input was pending, or that the output was full.
            guard status == Z_OK || status == Z_BUF_ERROR else { throw .invalid(Self.reason(status, stream.pointer.pointee.msg)) }
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
        if status == Z_STREAM_END { return "the DEFLATE stream has ended" }
        return message.map { String(cString: $0) } ?? "zlib status \(status)"
    }

    /// Calls zlib once, which consumes input and appends output.
    private mutating func step(_ input: inout ArraySlice<UInt8>, _ count: inout Int) -> Int32 {
        let stream = stream.pointer
        let start = count
        let (status, taken, end) = input.withUnsafeBufferPointer { source in
            buffer.withUnsafeMutableBufferPointer { target in
                let piece = UnsafeBufferPointer(rebasing: source.prefix(1 << 30))
                // zlib does not write to its input; the field lacks `const` for historical reasons.
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
