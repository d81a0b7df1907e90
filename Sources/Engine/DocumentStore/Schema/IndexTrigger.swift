import Base

/// Recognizes the triggers that maintain index tables (Storage format 5.4 and 5.5).
///
/// The text is not compared, because it differs between releases. A trigger belongs to the format if it can only add rows to the index
/// table in its name, or delete or change those of the row that fired it. Its conditions and values may read that row, and nothing else in
/// the file.
struct IndexTrigger {
    private var rest: ArraySlice<SQLTokens.Token>

    /// Returns whether the trigger created by `sql` belongs to the format.
    static func isOne(_ sql: String, name: String, on table: String) -> Bool {
        guard let indexTable = Self.indexTable(ofTrigger: name), hasIndexTriggers(table), let tokens = SQLTokens(sql) else { return false }
        var reader = IndexTrigger(rest: tokens.tokens[...])
        return reader.readHead(name, table) && reader.readBody(indexTable) && reader.rest.isEmpty
    }

    /// Returns the index table in the name of a trigger, or `nil` if no trigger of the format has this name.
    private static func indexTable(ofTrigger name: String) -> String? {
        for suffix in ["::ins", "::del", "::upd", "::preupdate", "::postupdate"].map(\.utf8)
        where name.utf8.suffix(suffix.count).elementsEqual(suffix) {
            let table = String(decoding: name.utf8.dropLast(suffix.count), as: UTF8.self)
            return IndexTables.isIndexTable(table) || IndexTables.isHashedName(table) ? table : nil
        }
        return nil
    }

    /// Returns whether a table contains documents or elements of arrays.
    private static func hasIndexTriggers(_ table: String) -> Bool {
        StoreName.store(ofTable: table) != nil
            || table.utf8.starts(with: "kv_del_".utf8) && !IndexTables.isIndexTable(table)
            || IndexTables.isHashedName(table) || table.utf8.firstRange(of: IndexTables.unnestMark.utf8) != nil
    }

    // MARK: Parts

    private mutating func readHead(_ name: String, _ table: String) -> Bool {
        guard read("CREATE", "TRIGGER"), readName(name), read("AFTER") || read("BEFORE") else { return false }
        if read("UPDATE") {
            if read("OF") {
                repeat {
                    guard readAnyName() else { return false }
                } while read(mark: ",")
            }
        } else if !read("INSERT"), !read("DELETE") {
            return false
        }
        guard read("ON"), readName(table) else { return false }
        if read("FOR") { guard read("EACH", "ROW") else { return false } }
        return !read("WHEN") || readExpression(until: "BEGIN")
    }

    private mutating func readBody(_ table: String) -> Bool {
        guard read("BEGIN") else { return false }
        repeat {
            guard readStatement(table) else { return false }
        } while !read("END")
        return true
    }

    private mutating func readStatement(_ table: String) -> Bool {
        if read("INSERT", "INTO") {
            return readName(table) && readExpression(until: nil)
        }
        if read("DELETE", "FROM") {
            return readName(table) && read("WHERE") && readRowCondition() && read(mark: ";")
        }
        if read("UPDATE"), readName(table), read("SET") {
            return readExpression(until: "WHERE") && read("WHERE") && readRowCondition() && read(mark: ";")
        }
        return false
    }

    /// Reads `docid = old.rowid`, which limits a statement to the rows of the document.
    private mutating func readRowCondition() -> Bool {
        (read("docid") || read("rowid")) && read(mark: "=") && (read("old") || read("new")) && read(mark: ".")
            && read("rowid")
    }

    /// Keywords that read tables in other ways than ``readElements()``, change something, or prevent a change.
    private static let forbidden: Set<String> = [
        "WITH", "JOIN", "INTO", "INSERT", "DELETE", "UPDATE", "UNION", "INTERSECT", "EXCEPT", "RAISE", "RETURNING",
        "ON",
    ]

    /// Reads any expression, up to the keyword `end`, which is not consumed, or up to the end of the statement, which is.
    private mutating func readExpression(until end: String?) -> Bool {
        while let token = rest.first {
            switch token {
            case .mark(UInt8(ascii: ";")):
                guard end == nil else { return false }
                rest.removeFirst()
                return true
            case .word(let word):
                let keyword = word.asciiUppercased
                if keyword == end { return true }
                rest.removeFirst()
                guard allows(keyword) else { return false }
                if keyword == "FROM", !readElements() { return false }
            case .quoted, .text, .mark:
                rest.removeFirst()
            }
        }
        return false
    }

    /// Returns whether the keyword that was just read can be part of an expression.
    private func allows(_ keyword: String) -> Bool {
        // `IN` can also be followed by the name of a table.
        !Self.forbidden.contains(keyword) && (keyword != "IN" || rest.first == .mark(UInt8(ascii: "(")))
    }

    /// Reads `fl_each(…) AS name`, the only table that may be read: its content depends only on its arguments.
    private mutating func readElements() -> Bool {
        guard read("fl_each"), rest.first == .mark(UInt8(ascii: "(")) else { return false }
        var depth = 0
        repeat {
            guard let token = rest.popFirst() else { return false }
            switch token {
            case .mark(UInt8(ascii: "(")): depth += 1
            case .mark(UInt8(ascii: ")")): depth -= 1
            case .mark(UInt8(ascii: ";")): return false
            case .word(let word):
                let keyword = word.asciiUppercased
                guard allows(keyword), keyword != "SELECT", keyword != "FROM" else { return false }
            default: break
            }
        } while depth > 0
        if read("AS"), !readAnyName() { return false }
        // Anything else could be a name for the elements without `AS`, or a comma, and be followed by another table.
        switch rest.first {
        case .mark(let mark): return mark == UInt8(ascii: ")") || mark == UInt8(ascii: ";")
        case .word(let word): return ["WHERE", "GROUP", "ORDER", "LIMIT"].contains(word.asciiUppercased)
        default: return false
        }
    }

    // MARK: Tokens

    /// Reads keywords if they are the next tokens.
    private mutating func read(_ words: String...) -> Bool {
        guard rest.count >= words.count else { return false }
        for (token, word) in zip(rest, words) {
            guard case .word(let found) = token, found.asciiUppercased.isExactly(word.asciiUppercased) else { return false }
        }
        rest.removeFirst(words.count)
        return true
    }

    private mutating func read(mark: Unicode.Scalar) -> Bool {
        guard rest.first == .mark(UInt8(ascii: mark)) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func readAnyName() -> Bool {
        switch rest.first {
        case .word, .quoted:
            rest.removeFirst()
            return true
        default: return false
        }
    }

    private mutating func readName(_ name: String) -> Bool {
        switch rest.first {
        case .word(let found), .quoted(let found):
            guard Array(found.utf8) == Array(name.utf8) else { return false }
            rest.removeFirst()
            return true
        default: return false
        }
    }
}
