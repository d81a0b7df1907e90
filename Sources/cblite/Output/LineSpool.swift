import Foundation

/// Lines that are printed later, for example after a commit. They are in a file without a name, because there can be a million of them.
final class LineSpool {
    private let file: UnsafeMutablePointer<FILE>
    private let lines: Output
    private static let pieceSize = 1 << 16

    /// - Throws: ``Failure`` if the file cannot be created.
    init() throws {
        guard let file = tmpfile() else { throw Failure.system("create", "a temporary file") }
        self.file = file
        lines = Output(descriptor: fileno(file))
    }

    deinit { fclose(file) }

    func append(_ line: String) throws { try lines.line(line) }

    /// Prints all lines. Must be called once, after the last of them.
    func print(to output: Output) throws {
        try lines.flush()
        guard lseek(fileno(file), 0, SEEK_SET) == 0 else { throw Failure.system("read", "a temporary file") }
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = read(fileno(file), &piece, piece.count)
            guard count >= 0 else { throw Failure.system("read", "a temporary file") }
            guard count > 0 else { return }
            try piece[..<count].withUnsafeBytes { try output.write($0) }
        }
    }
}
