import Foundation

/// A stream whose bytes are made while it is read: chunks of random bytes, all alike but for their first eight bytes, which hold
/// the chunk's number in little-endian order.
final class GeneratedStream: InputStream {
    static let chunkSize = 65_536

    private let chunks: Int
    private var chunk: [UInt8]
    private var number = 0
    private var position = 0
    private var status = Stream.Status.notOpen

    init(chunks: Int) {
        self.chunks = chunks
        var random = RandomSequence(seed: 5)
        chunk = (0..<Self.chunkSize).map { _ in UInt8(random.next(below: 256)) }
        super.init(data: Data())
        stamp()
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { number < chunks }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        var written = 0
        while written < length, number < chunks {
            let count = min(length - written, Self.chunkSize - position)
            chunk.withUnsafeBufferPointer { source in
                let target = UnsafeMutableBufferPointer(start: buffer + written, count: count)
                _ = target.update(fromContentsOf: source[position..<position + count])
            }
            written += count
            position += count
            if position == Self.chunkSize { advance() }
        }
        if number == chunks { status = .atEnd }
        return written
    }

    private func advance() {
        number += 1
        position = 0
        stamp()
    }

    private func stamp() {
        for byte in 0..<8 { chunk[byte] = UInt8(truncatingIfNeeded: number >> (byte * 8)) }
    }
}
