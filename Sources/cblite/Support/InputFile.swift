import Foundation

/// A file that is read from its beginning to its end, through a buffer; `-` is standard input.
///
/// The buffer is as long as what is asked to stay in it, so a file of any size takes little memory.
final class InputFile {
    /// The path, for messages.
    let name: String
    /// How many bytes it has; nil for what is no plain file.
    let size: Int?
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var end = 0
    private var isAtEnd = false
    private static let pieceSize = 1 << 18

    /// - Throws: ``Failure`` when the file cannot be opened, or is a directory.
    init(_ path: String) throws {
        if path == "-" {
            name = "standard input"
            descriptor = dup(STDIN_FILENO)
        } else {
            name = path
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw Failure.system("open", name) }
        var isDirectory: ObjCBool = false
        if path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            close(descriptor)
            throw Failure(.badData, "\(name) is a directory, where a file was expected")
        }
        // What has no position, such as a pipe, has no size. Standard input may be a file of which a part has been read.
        let position = lseek(descriptor, 0, SEEK_CUR)
        let length = position < 0 ? -1 : lseek(descriptor, 0, SEEK_END)
        if position >= 0 { lseek(descriptor, position, SEEK_SET) }
        size = length > 0 ? Int(length) : nil
    }

    deinit {
        close(descriptor)
    }

    /// How many bytes have been read and not yet consumed.
    var available: Int { end - start }

    /// Calls `body` with the bytes that have been read and not yet consumed.
    func withAvailable<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Gives up the first `count` available bytes.
    func consume(_ count: Int) {
        start += count
    }

    /// Makes more bytes available; false at the end of the file.
    func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        if start > 0 {
            buffer.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
            end -= start
            start = 0
        }
        if buffer.count - end < Self.pieceSize {
            // Doubling keeps the copying of a very long item linear.
            let missing = max(Self.pieceSize, buffer.count)
            buffer.append(contentsOf: repeatElement(0, count: missing))
        }
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                read(descriptor, bytes.baseAddress?.advanced(by: end), bytes.count - end)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure.system("read", name)
            }
            isAtEnd = count == 0
            end += count
            return !isAtEnd
        }
    }

    /// The next bytes, consumed; nil at the end of the file.
    func nextPiece() throws -> [UInt8]? {
        if available == 0, try !fill() { return nil }
        defer { consume(available) }
        return withAvailable { Array($0) }
    }

    /// All that is left, consumed.
    func rest() throws -> [UInt8] {
        while try fill() {}
        defer { consume(available) }
        return withAvailable { Array($0) }
    }
}
