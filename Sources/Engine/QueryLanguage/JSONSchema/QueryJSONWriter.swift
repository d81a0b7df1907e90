import Fleece

/// Writes syntax trees in the JSON schema (Query 1, 2.4): for `explain`, for descriptions, and for the registry of indexes. The same tree
/// always yields the same text, without white space.
///
/// The text of a parsed tree parses to the same tree. The only exception is a bare string as a result column or in GROUP BY, which parses
/// as a property (Query 1.2).
extension QueryJSON {
    /// Returns the object with the operands of SELECT.
    package static func text(of select: SelectStatement) -> String {
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
    /// How the metadata is written: capitals give a column no title.
    private var metaName = "meta()"

    // MARK: SELECT

    mutating func write(_ select: SelectStatement) {
        func unlessEmpty<Item>(_ items: [Item]) -> [Item]? { items.isEmpty ? nil : items }
        text += "{"
        entry("WHAT", unlessEmpty(select.items)) { $0.write(array: $1) { $0.write($1) } }
        entry("DISTINCT", select.isDistinct ? true : nil) { $0.text += "\($1)" }
        entry("FROM", select.hasNoSource ? [] : unlessEmpty(select.sources)) { $0.write(array: $1) { $0.write($1) } }
        entry("WHERE", select.condition) { $0.write($1) }
        entry("GROUP_BY", unlessEmpty(select.grouping)) { $0.write(list: $1) }
        entry("HAVING", select.groupCondition) { $0.write($1) }
        entry("COMBINED", unlessEmpty(select.combinations)) { $0.write(array: $1) { $0.write($1) } }
        entry("ORDER_BY", unlessEmpty(select.ordering)) { $0.write(array: $1) { $0.write($1) } }
        entry("LIMIT", select.limit) { $0.write($1) }
        entry("OFFSET", select.offset) { $0.write($1) }
        text += "}"
    }

    /// Writes an entry of an object if there is a value.
    private mutating func entry<Value>(_ key: String, _ value: Value?, _ write: (inout QueryJSONWriter, Value) -> Void) {
        guard let value else { return }
        // No value ends with a brace that opens an object.
        if text.utf8.last != UInt8(ascii: "{") { text += "," }
        text += "\(JSONText.string(key)):"
        write(&self, value)
    }

    private mutating func entry(_ key: String, _ value: String?) { entry(key, value) { $0.text += JSONText.string($1) } }

    private mutating func write(_ combination: Combination) {
        text += "[\(JSONText.string(combination.kind.rawValue)),"
        write(combination.select)
        text += "]"
    }

    private mutating func write(_ item: SelectItem) {
        guard let title = item.title else {
            metaName = item.isUntitled ? "META()" : "meta()"
            write(item.expression)
            metaName = "meta()"
            return
        }
        write("AS", [item.expression]) { $0.text += "," + JSONText.string(title) }
    }

    private mutating func write(_ term: OrderingTerm) {
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
        text += "{"
        switch source.origin {
        case .unnest(let array):
            entry("UNNEST", array) { $0.write($1) }
        case .query(let select):
            entry("SELECT", select) { $0.write($1) }
        case .search(let search):
            entry("SEARCH", search.arguments) { $0.write($1) }
        case .collection(let path):
            entry("SCOPE", path.scope)
            entry("COLLECTION", path.name.map { PropertyPath([.key($0)]).encoded })
        }
        entry("AS", source.alias)
        entry("JOIN", source.join?.rawValue)
        entry("ON", source.condition) { $0.write($1) }
        text += "}"
    }

    // MARK: Expressions

    mutating func write(list expressions: [QueryExpression]) { write(array: expressions) { $0.write($1) } }

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
        case .meta(let alias): write(metaName, alias.map { [.string($0)] } ?? [])
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
        case .distinct(let operand): write("DISTINCT", [operand])
        case .select(let select):
            text += "[\"SELECT\","
            write(select)
            text += "]"
        case .match(let index, let pattern): write("MATCH()", [.string(index), pattern])
        case .rank(let index): write("RANK()", [.string(index)])
        case .search(let function, let index, let arguments):
            write(function.name.uppercased() + "()", [.string(index)] + arguments)
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
        for entry in entries.sortedByKey { self.entry(entry.key, entry.value) { $0.write($1) } }
        text += "}"
    }

    private mutating func write(_ options: CollationOptions) {
        text += "{"
        for (key, flag) in [("UNICODE", options.isUnicode), ("CASE", options.isCaseSensitive), ("DIAC", options.isDiacriticSensitive)] {
            entry(key, flag) { $0.text += "\($1)" }
        }
        entry("LOCALE", options.locale) { $0.text += $1.isEmpty ? "null" : JSONText.string($1) }
        text += "}"
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
        var writer = JSONWriter(capacity: string.utf8.count + 2)
        var string = string
        string.withUTF8 { writer.appendString(utf8: UnsafeRawBufferPointer($0)) }
        return writer.string
    }

    /// Returns the shortest text that parses to the same double. NaN becomes `null`, because JSON cannot represent it.
    static func number(_ number: Double) -> String {
        if number.isNaN { return "null" }
        if number.isInfinite { return number < 0 ? "-1e999" : "1e999" }
        return number.description
    }
}
