package import Foundation

/// Content of any length, generated from a seed while it is read.
package struct GeneratedContent: Sendable {
    package let count: UInt64
    private let seed: UInt64
    private var position: UInt64 = 0

    package init(count: UInt64, seed: UInt64 = 0) {
        self.count = count
        self.seed = seed
    }

    /// Creates the content that the tests' writer process writes into blob `number`. Every content occurs three times; sizes range from
    /// empty to several times the size of a write.
    package init(ofBlob number: Int) {
        let sizes: [UInt64] = [0, 10, 5000, 9000, 70_000, 300_000]
        self.init(count: sizes[number / 3 % sizes.count], seed: UInt64(number / 3))
    }

    /// Copies the next bytes into `buffer`, and returns their number, 0 at the end.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let end = position + min(UInt64(buffer.count), count - position)
        let start = position
        while position < end {
            // Words of eight bytes that depend on the position make all parts of the content different.
            let word = seed &+ (position / 8) &* 0x9E37_79B9_7F4A_7C15
            if position % 8 == 0, position + 8 <= end {
                buffer.storeBytes(of: word.littleEndian, toByteOffset: Int(position - start), as: UInt64.self)
                position += 8
            } else {
                buffer[Int(position - start)] = UInt8(truncatingIfNeeded: word >> (position % 8 * 8))
                position += 1
            }
        }
        return Int(end - start)
    }

    /// The whole content.
    package var data: Data {
        var copy = self
        var data = Data(count: Int(count))
        _ = data.withUnsafeMutableBytes { copy.read(into: $0) }
        return data
    }

    /// Returns a stream that reads the content and then ends, or fails with `EIO`.
    package func stream(failingAtEnd: Bool = false, onRead: (() -> Void)? = nil) -> InputStream {
        GeneratedStream(self, failingAtEnd: failingAtEnd, onRead: onRead)
    }
}

/// A stream over generated content. Like every stream, it is used by one thread at a time.
private final class GeneratedStream: InputStream {
    private var content: GeneratedContent
    private let failingAtEnd: Bool
    private let onRead: (() -> Void)?
    private var status = Stream.Status.notOpen

    init(_ content: GeneratedContent, failingAtEnd: Bool, onRead: (() -> Void)?) {
        self.content = content
        self.failingAtEnd = failingAtEnd
        self.onRead = onRead
        super.init(data: Data())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failingAtEnd ? POSIXError(.EIO) as NSError : nil }
    override var hasBytesAvailable: Bool { status == .open }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard status == .open else { return 0 }
        onRead?()
        let count = content.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
        return count == 0 && failingAtEnd ? -1 : count
    }
}
