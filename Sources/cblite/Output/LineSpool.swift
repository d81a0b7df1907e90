import Foundation

/// Lines that are printed later, for example after a commit. Because there can be a million of them, they are in a file without a name; those
/// about an encrypted database are kept in memory, because nothing of it may be stored unencrypted.
final class LineSpool {
    private enum Store {
        case file(UnsafeMutablePointer<FILE>, Output)
        case memory([UInt8])
    }

    private var store: Store
    private static let pieceSize = 1 << 16

    /// - Throws: ``Failure`` if the file cannot be created.
    init(inMemory: Bool) throws {
        guard !inMemory else {
            store = .memory([])
            return
        }
        guard let file = tmpfile() else { throw Failure.system("create", "a temporary file") }
        store = .file(file, Output(descriptor: fileno(file)))
    }

    deinit {
        if case .file(let file, _) = store { fclose(file) }
    }

    func append(_ line: String) throws {
        switch store {
        case .file(_, let lines): try lines.line(line)
        case .memory(var bytes):
            // The array must not be copied for each line.
            store = .memory([])
            bytes.append(contentsOf: line.utf8)
            bytes.append(0x0A)
            store = .memory(bytes)
        }
    }

    /// Prints all lines. Must be called once, after the last of them.
    func print(to output: Output) throws {
        switch store {
        case .file(let file, let lines):
            try lines.flush()
            try print(fileno(file), to: output)
        case .memory(let bytes): try bytes.withUnsafeBytes { try output.write($0) }
        }
    }

    private func print(_ descriptor: Int32, to output: Output) throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Failure.system("read", "a temporary file") }
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw Failure.system("read", "a temporary file") }
            guard count > 0 else { return }
            try piece[..<count].withUnsafeBytes { try output.write($0) }
        }
    }
}
