/// A field of a row of comma-separated values.
struct CSVField {
    let text: String
    let isQuoted: Bool
    let position: SourcePosition
}

/// Splits a file into rows and fields by the rules of RFC 4180.
final class CSVReader {
    private let input: InputFile
    private let delimiter: UInt8
    private(set) var bytesConsumed = 0
    /// The position of the next row.
    private(set) var position: SourcePosition
    private var isAtStart = true

    private static let quote = UInt8(ascii: "\"")
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    /// The byte order mark in UTF-8.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(_ input: InputFile, delimiter: UInt8) {
        self.input = input
        self.delimiter = delimiter
        position = SourcePosition(file: input.name, line: 1, column: 1)
    }

    /// Returns the fields of the next row; `nil` at the end of the file.
    ///
    /// - Throws: ``ImportProblem`` if a quote is misplaced, or a text is not UTF-8.
    func nextRow() throws -> [CSVField]? {
        if isAtStart { try skipMark() }
        guard let (length, lineEnd) = try lengthOfRow() else { return nil }
        let start = position
        // Consumed even if it is invalid, so that an import that skips problems continues with the next row.
        defer { consume(length + lineEnd) }
        return try input.withAvailable { bytes in try fields(UnsafeRawBufferPointer(rebasing: bytes[..<length]), from: start) }
    }

    private func skipMark() throws {
        isAtStart = false
        while input.available < Self.mark.count, try input.fill() {}
        guard input.withAvailable({ $0.starts(with: Self.mark) }) else { return }
        input.consume(Self.mark.count)
        bytesConsumed += Self.mark.count
    }

    // MARK: Rows

    private enum State {
        case fieldStart, plain, quoted, afterQuote
    }

    /// Returns the length of the next row in bytes, and that of its line end; `nil` at the end of the file.
    private func lengthOfRow() throws -> (length: Int, lineEnd: Int)? {
        var state = State.fieldStart
        var scanned = 0
        while true {
            let end = input.withAvailable { bytes -> Int? in
                while scanned < bytes.count {
                    let byte = bytes[scanned]
                    if state != .quoted, byte == Self.lineFeed || byte == Self.carriageReturn { return scanned }
                    switch (state, byte) {
                    case (.quoted, Self.quote): state = .afterQuote
                    case (.quoted, _): break
                    case (.fieldStart, Self.quote), (.afterQuote, Self.quote): state = .quoted
                    case (_, delimiter): state = .fieldStart
                    default: state = .plain
                    }
                    scanned += 1
                }
                return nil
            }
            if let end { return (end, try lengthOfLineEnd(at: end)) }
            if try input.fill() { continue }
            guard state != .quoted else {
                throw ImportProblem(position: position, message: "a quoted field of this row has no end", isRecoverable: false)
            }
            return scanned > 0 ? (scanned, 0) : nil
        }
    }

    private func lengthOfLineEnd(at index: Int) throws -> Int {
        guard input.withAvailable({ $0[index] }) == Self.carriageReturn else { return 1 }
        while input.available <= index + 1, try input.fill() {}
        return input.withAvailable { $0.count > index + 1 && $0[index + 1] == Self.lineFeed } ? 2 : 1
    }

    private func consume(_ count: Int) {
        input.withAvailable { bytes in advance(&position, over: bytes[..<count]) }
        input.consume(count)
        bytesConsumed += count
    }

    /// Moves a position behind `bytes`. A CR LF is one line end.
    private func advance(_ position: inout SourcePosition, over bytes: Slice<UnsafeRawBufferPointer>) {
        var last: UInt8 = 0
        for byte in bytes {
            if byte == Self.lineFeed, last == Self.carriageReturn {
                // Counted already.
            } else if byte == Self.lineFeed || byte == Self.carriageReturn {
                position.line += 1
                position.column = 1
            } else if byte & 0xC0 != 0x80 {
                position.column += 1
            }
            last = byte
        }
    }

    // MARK: Fields

    private func fields(_ row: UnsafeRawBufferPointer, from start: SourcePosition) throws -> [CSVField] {
        var fields: [CSVField] = []
        var (index, place) = (0, start)
        while true {
            let first = index
            var text: [UInt8] = []
            let isQuoted = index < row.count && row[index] == Self.quote
            if isQuoted { index += 1 }
            var isOpen = isQuoted
            while index < row.count, isOpen || row[index] != delimiter {
                let byte = row[index]
                if byte != Self.quote {
                    guard isOpen || !isQuoted else { throw problem("text follows the closing quote of a field", row, first, index, place) }
                    text.append(byte)
                } else if isOpen, index + 1 < row.count, row[index + 1] == Self.quote {
                    text.append(byte)
                    index += 1
                } else {
                    guard isOpen else {
                        throw problem("a quote inside a field: put the field in quotes, and double those in it", row, first, index, place)
                    }
                    isOpen = false
                }
                index += 1
            }
            guard let string = String(validating: text, as: UTF8.self) else {
                throw ImportProblem(
                    position: place,
                    message: "the text is not valid UTF-8; name its encoding with --encoding, such as latin1 or utf16"
                )
            }
            fields.append(CSVField(text: string, isQuoted: isQuoted, position: place))
            guard index < row.count else { return fields }
            index += 1
            advance(&place, over: row[first..<index])
        }
    }

    private func problem(
        _ message: String,
        _ row: UnsafeRawBufferPointer,
        _ first: Int,
        _ index: Int,
        _ place: SourcePosition
    ) -> ImportProblem {
        var place = place
        advance(&place, over: row[first..<index])
        return ImportProblem(position: place, message: message)
    }
}
