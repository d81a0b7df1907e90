import Foundation

/// A file with one document per line. Blank lines are skipped.
final class JSONLinesSource: DocumentSource {
    private let input: InputFile
    private(set) var position: SourcePosition
    private(set) var bytesConsumed = 0

    init(_ input: InputFile) {
        self.input = input
        position = SourcePosition(file: input.name, line: 0, column: 1)
    }

    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result? {
        while let length = try lengthOfLine() {
            position.line += 1
            // Consumed even if `body` throws, so that an import that skips problems continues with the next line.
            defer { consume(length) }
            let result: Result? = try input.withAvailable { bytes in
                let line = UnsafeRawBufferPointer(rebasing: bytes[..<length])
                return Self.isBlank(line) ? nil : try body(SourceDocument(text: line))
            }
            if let result { return result }
        }
        return nil
    }

    /// Returns the length in bytes of the next line including its newline, `nil` at the end of the file.
    private func lengthOfLine() throws -> Int? {
        var searched = 0
        while true {
            let found = input.withAvailable { bytes -> Int? in
                guard let start = bytes.baseAddress, bytes.count > searched else { return nil }
                guard let newline = memchr(start + searched, 0x0A, bytes.count - searched) else { return nil }
                return UnsafeRawPointer(newline) - start + 1
            }
            if let found { return found }
            searched = input.available
            if try !input.fill() { return searched > 0 ? searched : nil }
        }
    }

    private func consume(_ count: Int) {
        input.consume(count)
        bytesConsumed += count
    }

    private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    }
}
