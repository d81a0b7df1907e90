import Fleece

/// A value of an answer, which is written as JSON with the members in their order.
indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    /// JSON text, which is not validated.
    case raw(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// Creates a number. A number that is too large becomes the largest possible one.
    static func count(_ number: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: number)) }

    /// Creates a string; `nil` becomes null.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The JSON text in UTF-8.
    var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        write(to: &writer)
        return writer.byteArray
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.appendNull()
        case .boolean(let value): writer.append(value)
        case .integer(let value): writer.append(value)
        case .number(let value): writer.append(value)
        case .string(let value): writer.append(value)
        case .raw(var text): text.withUTF8 { writer.append(raw: UnsafeRawBufferPointer($0)) }
        case .array(let items):
            writer.append(ascii: "[")
            for (index, item) in items.enumerated() {
                if index > 0 { writer.append(ascii: ",") }
                item.write(to: &writer)
            }
            writer.append(ascii: "]")
        case .object(let members):
            writer.append(ascii: "{")
            for (index, member) in members.enumerated() {
                if index > 0 { writer.append(ascii: ",") }
                writer.append(member.0)
                writer.append(ascii: ":")
                member.1.write(to: &writer)
            }
            writer.append(ascii: "}")
        }
    }
}
