import Foundation

/// Lines that are printed later, for example after a commit. Because there can be a million of them, they are in a file without a name; those
/// about an encrypted database are kept in memory, because nothing of it may be stored unencrypted.
final class LineSpool {
    /// `nil` if the lines are in memory.
    private let file: (stream: UnsafeMutablePointer<FILE>, lines: Output)?
    private var bytes: [UInt8] = []
    private static let pieceSize = 1 << 16

    /// - Throws: ``Failure`` if the file cannot be created.
    init(inMemory: Bool) throws {
        guard !inMemory else {
            file = nil
            return
        }
        guard let stream = tmpfile() else { throw Failure.system("create", "a temporary file") }
        file = (stream, Output(descriptor: fileno(stream)))
    }

    deinit {
        if let file { fclose(file.stream) }
    }

    func append(_ line: TerminalText) throws { try append(line: line.text) }

    func append(json: String) throws { try append(line: json) }

    private func append(line: String) throws {
        guard let file else {
            bytes.append(contentsOf: line.utf8)
            bytes.append(0x0A)
            return
        }
        try file.lines.line(exactly: line)
    }

    /// Prints all lines. Must be called once, after the last of them. On a terminal, JSON is escaped here; text for people already is.
    func print(to output: Output) throws {
        guard let file else { return try bytes.withUnsafeBytes { try output.write(json: $0) } }
        try file.lines.flush()
        try print(fileno(file.stream), to: output)
    }

    private func print(_ descriptor: Int32, to output: Output) throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Failure.system("read", "a temporary file") }
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw Failure.system("read", "a temporary file") }
            guard count > 0 else { return }
            try piece[..<count].withUnsafeBytes { try output.write(json: $0) }
        }
    }
}
