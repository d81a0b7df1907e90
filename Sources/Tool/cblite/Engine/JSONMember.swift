import Fleece

/// Finds how the value of a member is written in JSON, which can have more digits than a stored number.
enum JSONMember {
    private static let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))

    /// Returns the text of an integer; `nil` if the object has no member with this name that is written as an integer with this value.
    ///
    /// - Parameters:
    ///   - number: The floating-point number that is nearest to the integer.
    ///   - name: The name of a member of the object, not of one inside of it.
    ///   - text: The valid JSON text of an object.
    static func integer(_ number: Double, of name: String, in text: UnsafeRawBufferPointer) -> String? {
        var (position, depth) = (0, 0)
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case quote:
                let start = position
                position = endOfString(text, from: start)
                guard depth == 1, let value = startOfValue(text, after: position), isKey(text[start..<position], name) else { continue }
                let digits = text[value...].prefix { !" \t\r\n,}".utf8.contains($0) }
                if isInteger(digits) {
                    let written = String(decoding: digits, as: UTF8.self)
                    // Of several members with the same name, one is stored.
                    if Double(written) == number { return written }
                }
                continue
            default: break
            }
            position += 1
        }
        return nil
    }

    private static func endOfString(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start + 1
        while position < text.count, text[position] != quote { position += text[position] == backslash ? 2 : 1 }
        return min(position + 1, text.count)
    }

    /// Returns the beginning of the value of a member; `nil` if the string that ends at `end` is not the name of a member.
    private static func startOfValue(_ text: UnsafeRawBufferPointer, after end: Int) -> Int? {
        let isSpace: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        guard let colon = text[end...].firstIndex(where: { !isSpace($0) }), text[colon] == UInt8(ascii: ":") else { return nil }
        return text[(colon + 1)...].firstIndex { !isSpace($0) }
    }

    /// Returns whether a string in JSON is a name.
    private static func isKey(_ string: Slice<UnsafeRawBufferPointer>, _ name: String) -> Bool {
        let content = string.dropFirst().dropLast()
        guard content.contains(backslash) else { return content.elementsEqual(name.utf8) }
        let data = try? JSON.fleece(UnsafeRawBufferPointer(rebasing: string), allowingFragments: true)
        return data?.withRoot { $0.string?.utf8.elementsEqual(name.utf8) == true } == true
    }

    private static func isInteger(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
