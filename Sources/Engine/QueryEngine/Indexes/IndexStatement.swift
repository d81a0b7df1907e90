import Base

/// A statement that creates an index, divided into its parts.
struct IndexStatement {
    private(set) var columns: [String] = []
    private(set) var condition: String?

    init(_ sql: String) {
        var depth = 0
        var quote: UInt8?
        var start = sql.startIndex
        for index in sql.utf8.indices {
            let byte = sql.utf8[index]
            if let end = quote {
                // A doubled quotation mark ends the quotation and begins it again.
                if byte == end { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                quote = byte
            case UInt8(ascii: "("):
                if depth == 0 { start = sql.utf8.index(after: index) }
                depth += 1
            case UInt8(ascii: ","), UInt8(ascii: ")"):
                if depth == 1 {
                    columns.append(Self.text(sql[start..<index]))
                    start = sql.utf8.index(after: index)
                }
                if byte == UInt8(ascii: ")") { depth -= 1 }
            default:
                break
            }
            if depth == 0, !columns.isEmpty { break }
        }
        let rest = Self.text(sql[start...])
        if rest.hasPrefix("WHERE ") { condition = String(rest.dropFirst("WHERE ".count)) }
    }

    private static func text(_ part: Substring) -> String { String(part.trimmingPrefix { $0 == " " }) }
}
