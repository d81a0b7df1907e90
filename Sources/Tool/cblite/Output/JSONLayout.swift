/// Formats compact JSON for reading: indented by two spaces, with coloured keys on a terminal.
struct JSONLayout {
    let style: Style
    /// Whether strings are escaped for a terminal.
    let isForTerminal: Bool

    /// - Parameter text: Compact JSON as written by `JSONWriter`; it is not validated.
    func layOut(_ text: UnsafeRawBufferPointer) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 2)
        var depth = 0
        var position = 0
        func newline() {
            result.append(UInt8(ascii: "\n"))
            result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""):
                let end = Self.endOfString(text, from: position)
                let isKey = end < text.count && text[end] == UInt8(ascii: ":")
                var string = String(decoding: text[position..<end], as: UTF8.self)
                if isForTerminal { string = TerminalEscapes.escaped(string, .json) }
                result.append(contentsOf: (isKey ? style.blue(TerminalText(own: string)).text : string).utf8)
                position = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                result.append(byte)
                // The code of a closing bracket is that of the opening one plus two.
                if position + 1 < text.count, text[position + 1] == byte + 2 {
                    result.append(byte + 2)
                    position += 2
                    continue
                }
                depth += 1
                newline()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                newline()
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                newline()
            case UInt8(ascii: ":"):
                result.append(byte)
                result.append(UInt8(ascii: " "))
            default:
                result.append(byte)
            }
            position += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func endOfString(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start + 1
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, text.count)
    }
}
