/// A file with one array of documents, in any layout, or the array at a path in the object of a file. Only one item at a time is in memory.
///
/// This type only finds the boundaries of the items; the JSON parser validates them.
final class JSONArraySource: DocumentSource {
    private let input: InputFile
    private(set) var bytesConsumed = 0
    /// The position of the first byte that is not consumed.
    private var current: SourcePosition
    private(set) var position: SourcePosition

    private enum State {
        case beforeArray, beforeFirstItem, beforeItem, afterItem, afterArray
    }
    private var state = State.beforeArray
    /// The names that lead to the array and are not found yet.
    private var path: ArraySlice<String>
    /// Whether text may follow the array.
    private let isInsideObject: Bool

    /// - Parameter path: The names of the properties that lead to the array; none if the file is the array.
    init(_ input: InputFile, at path: [String] = []) {
        self.input = input
        self.path = path[...]
        isInsideObject = !path.isEmpty
        current = SourcePosition(file: input.name, line: 1, column: 1)
        position = current
    }

    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result? {
        while true {
            while let name = path.first {
                try enter(name)
                path.removeFirst()
            }
            let next = try nextCharacter()
            switch (state, next) {
            case (.afterArray, _) where isInsideObject: return nil
            case (.beforeArray, UInt8(ascii: "[")):
                consume(1)
                state = .beforeFirstItem
            case (.beforeFirstItem, UInt8(ascii: "]")), (.afterItem, UInt8(ascii: "]")):
                consume(1)
                state = .afterArray
            case (.afterItem, UInt8(ascii: ",")):
                consume(1)
                state = .beforeItem
            case (.afterArray, nil):
                return nil
            case (_, nil):
                throw problem("the input ends inside the array")
            case (.beforeArray, _):
                throw problem("an array was expected")
            case (.afterArray, _):
                throw problem("unexpected text after the array")
            case (.afterItem, _):
                throw problem("a comma or the end of the array was expected")
            case (.beforeFirstItem, _), (.beforeItem, _):
                return try withItem(body)
            }
        }
    }

    // MARK: Path

    /// Consumes the beginning of an object up to the value of a property.
    private func enter(_ name: String) throws {
        guard try nextCharacter() == UInt8(ascii: "{") else { throw problem("an object with the property \"\(name)\" was expected") }
        consume(1)
        while true {
            guard try nextCharacter() == UInt8(ascii: "\"") else {
                throw problem("there is no property \"\(name)\" before the end of its object")
            }
            let key = try readName()
            guard try nextCharacter() == UInt8(ascii: ":") else { throw problem("a colon was expected") }
            consume(1)
            if let key, key.utf8.elementsEqual(name.utf8) { return }
            _ = try nextCharacter()
            try skipValue()
            guard try nextCharacter() == UInt8(ascii: ",") else { continue }
            consume(1)
        }
    }

    /// Consumes the name of a property, and returns it; `nil` if it is not valid.
    private func readName() throws -> String? {
        var length = 1
        var isEscaped = false
        while true {
            let end = input.withAvailable { bytes -> Int? in
                while length < bytes.count {
                    let byte = bytes[length]
                    length += 1
                    if byte == UInt8(ascii: "\""), !isEscaped { return length }
                    isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                }
                return nil
            }
            if end != nil { break }
            guard try input.fill() else { throw problem("the input ends inside a name") }
        }
        defer { consume(length) }
        return input.withAvailable { try? JSONInput.value(String(decoding: $0[..<length], as: UTF8.self)) as? String }
    }

    /// Consumes a value of any size, without keeping it in memory.
    private func skipValue() throws {
        var scan = ItemScan()
        while true {
            var (scanned, isOver) = (0, false)
            input.withAvailable { bytes in
                while scanned < bytes.count, !isOver {
                    isOver = scan.isOver(before: bytes[scanned])
                    if isOver { return }
                    isOver = scan.isOver(after: bytes[scanned])
                    scanned += 1
                }
            }
            consume(scanned)
            if isOver { return }
            guard try input.fill() else { throw problem("the input ends inside an object") }
        }
    }

    // MARK: Items

    private func withItem<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result {
        position = current
        let length = try lengthOfItem()
        guard length > 0 else { throw problem("an object was expected") }
        state = .afterItem
        // Consumed even if `body` throws, so that an import that skips problems continues with the next item.
        defer { consume(length) }
        return try input.withAvailable { bytes in
            try body(SourceDocument(text: UnsafeRawBufferPointer(rebasing: bytes[..<length])))
        }
    }

    /// Returns the length in bytes of the item at the current position: to its outermost closing bracket, or, for an item without
    /// brackets, to the next comma or closing bracket.
    private func lengthOfItem() throws -> Int {
        var scan = ItemScan()
        var scanned = 0
        while true {
            let end = input.withAvailable { bytes -> Int? in
                while scanned < bytes.count {
                    let byte = bytes[scanned]
                    if scan.isOver(before: byte) { return scanned }
                    scanned += 1
                    if scan.isOver(after: byte) { return scanned }
                }
                return nil
            }
            if let end { return end }
            if try !input.fill() { return scanned }
        }
    }

    /// Consumes white space and returns the byte after it, `nil` at the end of the input.
    private func nextCharacter() throws -> UInt8? {
        while true {
            var blanks = 0
            let found = input.withAvailable { bytes -> UInt8? in
                while blanks < bytes.count {
                    switch bytes[blanks] {
                    case 0x20, 0x09, 0x0A, 0x0D: blanks += 1
                    // The bytes of a byte order mark, which is allowed only at the beginning.
                    case 0xEF where state == .beforeArray, 0xBB where state == .beforeArray,
                        0xBF where state == .beforeArray:
                        blanks += 1
                    default: return bytes[blanks]
                    }
                }
                return nil
            }
            consume(blanks)
            if let found { return found }
            if try !input.fill() { return nil }
        }
    }

    private func consume(_ count: Int) {
        input.withAvailable { bytes in
            for byte in bytes.prefix(count) {
                if byte == 0x0A {
                    current.line += 1
                    current.column = 1
                } else if byte & 0xC0 != 0x80 {
                    current.column += 1
                }
            }
        }
        input.consume(count)
        bytesConsumed += count
    }

    private func problem(_ message: String) -> ImportProblem { ImportProblem(position: current, message: message, isRecoverable: false) }
}

/// Finds the end of a JSON value without parsing it.
private struct ItemScan {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Returns whether the value ends before `byte`.
    func isOver(before byte: UInt8) -> Bool {
        depth == 0 && !isInString
            && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}"))
    }

    /// Adds the next byte, and returns whether it was the last one of the value.
    mutating func isOver(after byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            return depth == 0
        default: break
        }
        return false
    }
}
