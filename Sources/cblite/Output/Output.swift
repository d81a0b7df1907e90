import Foundation

/// The reason why output cannot be written.
enum OutputError: Error, CustomStringConvertible {
    /// The reader has closed the pipe, as `head` does. This is not a failure: the tool exits with success.
    case closed
    case failed(errno: Int32)

    var description: String {
        switch self {
        case .closed: "the output was closed"
        case .failed(let code): "cannot write the output: \(String(cString: strerror(code)))"
        }
    }
}

/// Writes text to a file descriptor through a buffer. Call ``flush()`` at the end; otherwise the content of the buffer is lost.
final class Output {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private static let bufferSize = 1 << 16
    /// The number of bytes written to the descriptor.
    private(set) var count = 0

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        buffer.reserveCapacity(Self.bufferSize + 4096)
    }

    func write(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: text.utf8)
        try flushIfFull()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        buffer.append(contentsOf: bytes)
        try flushIfFull()
    }

    func line(_ text: String = "") throws(OutputError) {
        buffer.append(contentsOf: text.utf8)
        try newline()
    }

    func newline() throws(OutputError) {
        buffer.append(UInt8(ascii: "\n"))
        try flushIfFull()
    }

    private func flushIfFull() throws(OutputError) {
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Writes the content of the buffer to the descriptor. May block.
    func flush() throws(OutputError) {
        var written = 0
        while written < buffer.count {
            let result = buffer.withUnsafeBytes { bytes in
                Foundation.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if result < 0 {
                if errno == EINTR { continue }
                buffer.removeAll()
                throw errno == EPIPE ? .closed : .failed(errno: errno)
            }
            written += result
        }
        count += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
