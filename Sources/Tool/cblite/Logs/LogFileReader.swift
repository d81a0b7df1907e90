import Foundation

/// Reads the messages of one log file, which may still be written. Only a piece of the file is in memory.
final class LogFileReader {
    let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var isFirstLine = true
    /// The message that is read, whose following lines are not.
    private var current: LogRecord?
    /// Whether the file had any line of a log.
    private(set) var isRecognized = false

    /// The beginning of files that are not plain text (API 13). Our files continue with a line feed and text; those of the original library are
    /// compressed.
    private static let mark: [UInt8] = [0xCF, 0xB2, 0xAB, 0x1B]
    private static let pieceSize = 1 << 16
    /// A longer line is no log.
    private static let maximumLine = 1 << 26

    /// - Throws: ``Failure`` if the file cannot be opened.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure.system("open", path) }
    }

    deinit { close(descriptor) }

    /// Returns the next message, or `nil` if there are no more at the moment.
    ///
    /// - Parameter isComplete: Whether the file is not expected to grow, so that its last line need not have a line feed.
    /// - Throws: ``Failure`` if the file is compressed, or cannot be read.
    func next(isComplete: Bool) throws -> LogRecord? {
        while let line = try nextLine(isComplete: isComplete) {
            if isFirstLine {
                isFirstLine = false
                if try isMark(line) { continue }
            }
            let text = String(decoding: line, as: UTF8.self)
            if let record = LogRecord(line: text[...]) {
                isRecognized = true
                defer { current = record }
                if let current { return current }
            } else if text.hasPrefix("---- ") {
                isRecognized = true
            } else if text.hasPrefix("\t"), current != nil {
                current?.message += "\n" + text.dropFirst()
            }
        }
        // The lines of a message are written at once.
        defer { current = nil }
        return current
    }

    private func isMark(_ line: ArraySlice<UInt8>) throws -> Bool {
        guard line.starts(with: Self.mark) else { return false }
        guard line.count == Self.mark.count else {
            throw Failure(
                .badData,
                "\(path) is a compressed log of the original library, which this tool does not read",
                hint: "Convert it with the original tool cbl-log, or let the app write plain text."
            )
        }
        isRecognized = true
        return true
    }

    /// Returns the next line without its line feed.
    private func nextLine(isComplete: Bool) throws -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return buffer[start..<end]
            }
            // A compressed file is recognized even if it has no line feed.
            if isFirstLine, buffer.count - start > Self.mark.count { _ = try isMark(buffer[start...]) }
            guard buffer.count - start < Self.maximumLine else { throw Failure(.badData, "\(path) is not a log file") }
            buffer.removeSubrange(..<start)
            start = 0
            searched = buffer.count
            if try !fill() {
                guard isComplete, !buffer.isEmpty else { return nil }
                defer { start = buffer.count }
                return buffer[...]
            }
        }
    }

    private func fill() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure.system("read", path)
            }
            buffer.append(contentsOf: piece[..<count])
            return count > 0
        }
    }
}
