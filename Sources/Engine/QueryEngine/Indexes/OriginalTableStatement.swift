import Base

/// The statement that created the virtual table of a vector index of the original's extension (Vector search FO-2), as the schema contains it.
///
/// Only the beginning of the statement counts. Arguments of another module may contain anything, and its tables cannot be dropped.
struct OriginalTableStatement {
    /// The name of the extension's module for SQLite.
    static let module = "vectorsearch"

    /// The name of the table.
    let table: String
    /// The arguments of the module, which are the options of the index.
    let arguments: String

    /// Returns `nil` if the statement is another one.
    init?(_ sql: String) {
        var scanner = Scanner(sql)
        guard scanner.skip("create"), scanner.skip("virtual"), scanner.skip("table") else { return nil }
        if scanner.skip("if"), !scanner.skip("not") || !scanner.skip("exists") { return nil }
        guard let table = scanner.name(), scanner.skip("using"), scanner.skip(Self.module), let arguments = scanner.parenthesized() else {
            return nil
        }
        (self.table, self.arguments) = (table, arguments)
    }

    /// Reads the parts of the statement, each after the white space before it.
    private struct Scanner {
        private var rest: ArraySlice<UInt8>

        init(_ sql: String) { rest = Array(sql.utf8)[...] }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D }

        private static func isPartOfName(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
                true
            default: false
            }
        }

        private mutating func skipSpace() { rest = rest.drop(while: Self.isSpace) }

        /// Skips a word, given in lower case, that is written in any case. Returns whether it is there.
        mutating func skip(_ word: String) -> Bool {
            skipSpace()
            guard rest.prefix(while: Self.isPartOfName).lazy.map(\.asciiLowercased).elementsEqual(word.utf8) else { return false }
            rest = rest.dropFirst(word.utf8.count)
            return true
        }

        /// Reads a name, which may be quoted in each way that SQLite permits.
        mutating func name() -> String? {
            skipSpace()
            guard let first = rest.first else { return nil }
            switch first {
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "'"): return quoted(until: first)
            case UInt8(ascii: "["): return quoted(until: UInt8(ascii: "]"))
            default:
                let name = rest.prefix(while: Self.isPartOfName)
                rest = rest[name.endIndex...]
                return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            }
        }

        /// Reads a quoted name. The closing mark is doubled in the name, except for a bracket, which cannot be in it.
        private mutating func quoted(until end: UInt8) -> String? {
            var name: [UInt8] = []
            rest = rest.dropFirst()
            while let place = rest.firstIndex(of: end) {
                name += rest[..<place]
                rest = rest[(place + 1)...]
                guard rest.first == end, end != UInt8(ascii: "]") else { return String(decoding: name, as: UTF8.self) }
                name.append(end)
                rest = rest.dropFirst()
            }
            return nil
        }

        /// Reads what is in the parentheses with which the statement ends.
        mutating func parenthesized() -> String? {
            skipSpace()
            let end = rest.lastIndex { !Self.isSpace($0) } ?? rest.startIndex
            guard rest.first == UInt8(ascii: "("), rest[end] == UInt8(ascii: ")") else { return nil }
            return String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
        }
    }
}
