import Foundation

/// A file with one document per line. Empty lines are passed over.
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
            // Consumed also when `body` throws: whoever goes on goes on with the next line.
            defer { consume(length) }
            let result: Result? = try input.withAvailable { bytes in
                let line = UnsafeRawBufferPointer(rebasing: bytes[..<length])
                return Self.isBlank(line) ? nil : try body(SourceDocument(text: line))
            }
            if let result { return result }
        }
        return nil
    }

    /// The length of the next line with its end; nil when there is none.
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
