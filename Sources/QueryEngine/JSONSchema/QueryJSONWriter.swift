/// Writes syntax trees in the JSON schema (Query 1, 2.4): for `explain`, for descriptions, and for the registry of indexes. The same tree
/// always yields the same text, without white space.
///
/// The text of a parsed tree parses to the same tree. The only exception is a bare string as a result column or in GROUP BY, which parses
/// as a property (Query 1.2).
extension QueryJSON {
    /// Returns the object with the operands of SELECT.
    package static func text(of select: Select) -> String {
        var writer = QueryJSONWriter()
        writer.write(select)
        return writer.text
    }

    /// Returns the text of one expression.
    package static func text(of expression: QueryExpression) -> String {
        var writer = QueryJSONWriter()
        writer.write(expression)
        return writer.text
    }

    /// Returns the array of the expressions, which is the form in which an index is registered.
    package static func text(of expressions: [QueryExpression]) -> String {
        var writer = QueryJSONWriter()
        writer.write(list: expressions)
        return writer.text
    }
}

private struct QueryJSONWriter {
    private(set) var text = ""

    // MARK: SELECT

    mutating func write(_ select: Select) {
        var isFirst = true
        text += "{"
        func key(_ name: String, _ writer: inout QueryJSONWriter) {
            writer.text += (isFirst ? "" : ",") + "\"\(name)\":"
            isFirst = false
        }
        if !select.items.isEmpty {
            key("WHAT", &self)
            write(array: select.items) { $0.write($1) }
        }
        if select.isDistinct {
            key("DISTINCT", &self)
            text += "true"
        }
        if !select.sources.isEmpty {
            key("FROM", &self)
            write(array: select.sources) { $0.write($1) }
        }
        if let condition = select.condition {
            key("WHERE", &self)
            write(condition)
        }
        if !select.grouping.isEmpty {
            key("GROUP_BY", &self)
            write(list: select.grouping)
        }
        if let condition = select.groupCondition {
            key("HAVING", &self)
            write(condition)
        }
        if !select.ordering.isEmpty {
            key("ORDER_BY", &self)
            write(array: select.ordering) { $0.write($1) }
        }
        if let limit = select.limit {
            key("LIMIT", &self)
            write(limit)
        }
        if let offset = select.offset {
            key("OFFSET", &self)
            write(offset)
        }
        text += "}"
    }

    private mutating func write(_ item: SelectItem) {
        guard let title = item.title else { return write(item.expression) }
        write("AS", [item.expression]) { $0.text += "," + JSONText.string(title) }
    }

    private mutating func write(_ term: Ordering) {
        if term.isDescending {
            write("DESC", [term.expression])
        } else if case .string = term.expression {
            // A bare string would be a property.
            write("ASC", [term.expression])
        } else {
            write(term.expression)
        }
    }

    private mutating func write(_ source: Source) {
        var entries: [(String, String)] = []
        switch source.origin {
        case .unnest(let array):
            entries.append(("UNNEST", QueryJSON.text(of: array)))
        case .collection(let path):
            if let scope = path.scope { entries.append(("SCOPE", JSONText.string(scope))) }
            if let name = path.name {
                entries.append(("COLLECTION", JSONText.string(PropertyPath([.key(name)]).encoded)))
            }
        }
        if let alias = source.alias { entries.append(("AS", JSONText.string(alias))) }
        if let join = source.join { entries.append(("JOIN", JSONText.string(join.rawValue))) }
        if let condition = source.condition { entries.append(("ON", QueryJSON.text(of: condition))) }
        text += "{\(entries.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }

    // MARK: Expressions

    mutating func write(list expressions: [QueryExpression]) {
        write(array: expressions) { $0.write($1) }
    }

    mutating func write(_ expression: QueryExpression) {
        switch expression {
        case .missing: write("MISSING", [])
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let number): text += String(number)
        case .double(let number): text += JSONText.number(number)
        case .string(let string): text += JSONText.string(string)
        case .array(let elements): write("[]", elements)
        case .dictionary(let entries): write(entries)
        case .parameter(let name): write("$" + name, [])
        case .property(let path): write("." + path.encoded, [])
        case .variable(let name, let path):
            write("?" + PropertyPath([.key(name)] + path.components).encoded, [])
        case .nested(let base, let path):
            write("_.", [base]) { $0.text += "," + JSONText.string(path.encodedStep) }
        case .blob(let path): write("BLOB", [.string("." + path.encoded)])
        case .meta(let alias): write("meta()", alias.map { [.string($0)] } ?? [])
        case .operation(let symbol, let operands): write(symbol.rawValue, operands)
        case .like(let value, let pattern, let isCaseSensitive):
            write("LIKE", [value, pattern]) { if !isCaseSensitive { $0.text += ",{\"CASE\":false}" } }
        case .exists(let operand): write("EXISTS", [operand])
        case .conditional(let subject, let branches, let otherwise):
            let operands = branches.flatMap { [$0.condition, $0.result] }
            write("CASE", [subject ?? .null] + operands + (otherwise.map { [$0] } ?? []))
        case .quantified(let quantifier, let variable, let source, let predicate):
            write(quantifier.rawValue, [.string(variable), source, predicate])
        case .collate(let options, let operand):
            text += "[\"COLLATE\","
            write(options)
            text += ","
            write(operand)
            text += "]"
        case .function(let name, let arguments): write(name + "()", arguments)
        case .select(let select):
            text += "[\"SELECT\","
            write(select)
            text += "]"
        case .match(let index, let pattern): write("MATCH()", [.string(index), pattern])
        case .rank(let index): write("RANK()", [.string(index)])
        }
    }

    private mutating func write(_ name: String, _ operands: [QueryExpression], more: (inout QueryJSONWriter) -> Void = { _ in }) {
        text += "[" + JSONText.string(name)
        for operand in operands {
            text += ","
            write(operand)
        }
        more(&self)
        text += "]"
    }

    private mutating func write(_ entries: [DictionaryEntry]) {
        text += "{"
        var separator = ""
        for entry in entries.sortedByKey {
            text += "\(separator)\(JSONText.string(entry.key)):"
            write(entry.value)
            separator = ","
        }
        text += "}"
    }

    private mutating func write(_ options: CollationOptions) {
        var entries: [String] = []
        func add(_ key: String, _ flag: Bool?) {
            if let flag { entries.append("\"\(key)\":\(flag)") }
        }
        add("UNICODE", options.isUnicode)
        add("CASE", options.isCaseSensitive)
        add("DIAC", options.isDiacriticSensitive)
        if let locale = options.locale {
            entries.append("\"LOCALE\":\(locale.isEmpty ? "null" : JSONText.string(locale))")
        }
        text += "{\(entries.joined(separator: ","))}"
    }

    private mutating func write<Item>(array items: [Item], _ body: (inout QueryJSONWriter, Item) -> Void) {
        text += "["
        for (position, item) in items.enumerated() {
            if position > 0 { text += "," }
            body(&self, item)
        }
        text += "]"
    }
}

/// The text of scalars in JSON (Storage format 9.2).
enum JSONText {
    static func string(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{00}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Returns the shortest text that parses to the same double. NaN becomes `null`, because JSON cannot represent it.
    static func number(_ number: Double) -> String {
        if number.isNaN { return "null" }
        if number.isInfinite { return number < 0 ? "-1e999" : "1e999" }
        return number.description
    }
}
