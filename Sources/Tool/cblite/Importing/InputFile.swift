import Foundation

/// A file that is read sequentially through a buffer; `-` is standard input.
///
/// The buffer contains only bytes that are not consumed, so a file of any size takes little memory.
final class InputFile {
    /// The path, or "standard input", for messages.
    let name: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var end = 0
    private var isAtEnd = false
    private let decoder: ContentDecoder?
    /// Where the next bytes are read; `nil` to read at the position of the descriptor.
    private var offset: off_t?
    private static let pieceSize = 1 << 18
    /// The size of a piece that is decoded, which may be a thousand times as large then.
    private static let encodedPieceSize = 1 << 14

    /// - Parameter encoding: That of a text, which is also decompressed if it is a gzip file; `nil` to read the bytes as they are.
    /// - Throws: ``Failure`` if the file cannot be opened, or is a directory.
    init(_ path: String, encoding: TextEncoding? = nil) throws {
        if path == "-" {
            name = "standard input"
            descriptor = dup(STDIN_FILENO)
        } else {
            name = path
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
        }
        decoder = encoding.map { [name] in ContentDecoder(name, $0) }
        guard descriptor >= 0 else { throw Failure.system("open", name) }
        var none: UInt8 = 0
        if read(descriptor, &none, 0) < 0, errno == EISDIR {
            close(descriptor)
            throw Failure.directory(name)
        }
    }

    /// Opens a file that another descriptor has open, at its beginning; the position of that descriptor does not change.
    init(name: String, reading other: Int32) throws {
        self.name = name
        (descriptor, decoder, offset) = (dup(other), nil, 0)
        guard descriptor >= 0 else { throw Failure.system("open", name) }
    }

    /// Returns the size of a file in bytes without opening it; `nil` if it has no size, such as a pipe.
    ///
    /// - Throws: ``Failure`` if the file does not exist or may not be read.
    static func size(of path: String) throws -> Int? {
        let name = path == "-" ? "standard input" : path
        let found = path == "-" ? FileStatus(descriptor: STDIN_FILENO) : FileStatus(path)
        guard let status = found, path == "-" || access(path, R_OK) == 0 else { throw Failure.system("open", name) }
        guard !status.isDirectory else { throw Failure.directory(name) }
        return status.isRegular ? status.size : nil
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The number of bytes read and not yet consumed.
    var available: Int { end - start }

    /// Calls `body` with the bytes read and not yet consumed.
    func withAvailable<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Removes the first `count` available bytes.
    func consume(_ count: Int) { start += count }

    /// Reads more bytes into the buffer; blocks until there are some. Returns `false` at the end of the file.
    func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        if start > 0 {
            buffer.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
            end -= start
            start = 0
        }
        if let decoder { return try fill(through: decoder) }
        makeRoom(Self.pieceSize)
        let count = try buffer.withUnsafeMutableBytes { try readSome(UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
        isAtEnd = count == 0
        end += count
        return !isAtEnd
    }

    private func fill(through decoder: ContentDecoder) throws -> Bool {
        while !isAtEnd {
            var bytes = [UInt8](repeating: 0, count: Self.encodedPieceSize)
            let count = try bytes.withUnsafeMutableBytes { try readSome($0) }
            bytes.removeLast(bytes.count - count)
            isAtEnd = count == 0
            let text = isAtEnd ? try decoder.finish() : try decoder.decode(bytes)
            // A piece of a compressed file may have no content.
            guard !text.isEmpty else { continue }
            makeRoom(text.count)
            buffer.replaceSubrange(end..<(end + text.count), with: text)
            end += text.count
            return true
        }
        return false
    }

    private func makeRoom(_ count: Int) {
        guard buffer.count - end < count else { return }
        // Doubling the buffer keeps the total copying linear for a very long item.
        buffer.append(contentsOf: repeatElement(0, count: max(count, buffer.count)))
    }

    /// Returns the number of bytes read, 0 at the end of the file.
    private func readSome(_ bytes: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count =
                offset.map { pread(descriptor, bytes.baseAddress, bytes.count, $0) } ?? read(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 {
                offset = offset.map { $0 + off_t(count) }
                return count
            }
            guard errno == EINTR else { throw Failure.system("read", name) }
        }
    }

    /// Consumes and returns the next bytes, `nil` at the end of the file.
    func nextPiece() throws -> [UInt8]? {
        if available == 0, try !fill() { return nil }
        defer { consume(available) }
        return withAvailable { Array($0) }
    }

    /// Consumes and returns all remaining bytes.
    func rest() throws -> [UInt8] {
        while try fill() {}
        defer { consume(available) }
        return withAvailable { Array($0) }
    }
}

extension Failure {
    fileprivate static func directory(_ name: String) -> Failure { Failure(.badData, "\(name) is a directory, but a file is required") }
}
