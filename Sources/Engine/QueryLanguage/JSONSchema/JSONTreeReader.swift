/// Builds the syntax tree from JSON values (Query 1.2, 1.3).
struct JSONTreeReader {
    private var nesting = 0

    // MARK: SELECT

    /// Reads the operands of SELECT. Their names are case-insensitive, and unknown ones are ignored.
    mutating func select(_ object: [JSONNode.Entry]) throws(QueryError) -> SelectStatement {
        let operands = uppercasingKeys(object)
        var select = SelectStatement()
        if let items = operands["WHAT"] { select.items = try list(items, "WHAT", Self.item) }
        if let sources = operands["FROM"] {
            select.sources = try list(sources, "FROM", Self.source)
            select.hasNoSource = select.sources.isEmpty
        }
        if let condition = operands["WHERE"] { select.condition = try expression(condition) }
        if let terms = operands["GROUP_BY"] { select.grouping = try listItems(terms, of: "GROUP_BY") }
        if let condition = operands["HAVING"] { select.groupCondition = try expression(condition) }
        if let queries = operands["COMBINED"] { select.combinations = try list(queries, "COMBINED", Self.combination) }
        if let terms = operands["ORDER_BY"] { select.ordering = try list(terms, "ORDER_BY", Self.ordering) }
        if let limit = operands["LIMIT"] { select.limit = try expression(limit) }
        if let offset = operands["OFFSET"] { select.offset = try expression(offset) }
        if let flag = operands["DISTINCT"] {
            guard case .boolean(let isDistinct) = try expression(flag) else { throw QueryError.invalidQuery("DISTINCT must be a boolean") }
            select.isDistinct = isDistinct
        }
        return select
    }

    /// Reads an array of expressions in which a bare string is a property path.
    mutating func listItems(_ value: JSONNode, of name: String) throws(QueryError) -> [QueryExpression] {
        try list(value, name) { reader, item throws(QueryError) in try reader.expression(item).readAsListItem }
    }

    private mutating func list<Item>(
        _ value: JSONNode,
        _ name: String,
        _ read: (inout JSONTreeReader, JSONNode) throws(QueryError) -> Item
    ) throws(QueryError) -> [Item] {
        guard let array = value.items else { throw QueryError.invalidQuery("\(name) must be an array") }
        var items: [Item] = []
        for element in array { items.append(try read(&self, element)) }
        return items
    }

    private static func combination(_ reader: inout JSONTreeReader, _ value: JSONNode) throws(QueryError) -> Combination {
        guard let parts = value.items, parts.count == 2, let words = parts[0].string, let operands = parts[1].entries else {
            throw QueryError.invalidQuery("an item of COMBINED must be an array of an operator and a query")
        }
        guard let kind = Combination.Kind(rawValue: words.uppercased()) else {
            throw QueryError.invalidQuery("Unknown operator '\(words)'")
        }
        return Combination(kind, try reader.nested { reader throws(QueryError) in try reader.select(operands) })
    }

    private static func item(_ reader: inout JSONTreeReader, _ value: JSONNode) throws(QueryError) -> SelectItem {
        if let parts = value.items, parts.first?.string?.uppercased() == "AS" {
            guard parts.count == 3 else { throw QueryError.invalidQuery("Wrong number of arguments to AS") }
            guard let title = parts[2].string, !title.isEmpty else {
                throw QueryError.invalidQuery("the second operand of AS must be a name")
            }
            return SelectItem(try reader.expression(parts[1]), title: title)
        }
        var item = SelectItem(try reader.expression(value).readAsListItem)
        // As in the original, a field of the metadata gives its column a title only if they are written in small letters (Query 4.1).
        if let parts = value.items, parts.count > 1, let name = parts[1].items?.first?.string, name.uppercased() == "META()" {
            item.isUntitled = name != "meta()"
        }
        return item
    }

    private static func ordering(_ reader: inout JSONTreeReader, _ value: JSONNode) throws(QueryError) -> OrderingTerm {
        if let parts = value.items, let name = parts.first?.string?.uppercased(),
            name == "ASC" || name == "DESC"
        {
            guard parts.count == 2 else { throw QueryError.invalidQuery("Wrong number of arguments to \(name)") }
            return OrderingTerm(try reader.expression(parts[1]), isDescending: name == "DESC")
        }
        return OrderingTerm(try reader.expression(value).readAsListItem)
    }

    // MARK: FROM

    private static func source(_ reader: inout JSONTreeReader, _ value: JSONNode) throws(QueryError) -> Source {
        guard let object = value.entries else { throw QueryError.invalidQuery("FROM item must be an object") }
        let operands = uppercasingKeys(object)
        let alias = try string(operands, "AS")
        let condition: QueryExpression? = if let value = operands["ON"] { try reader.expression(value) } else { nil }
        if let array = operands["UNNEST"] {
            return Source(.unnest(try reader.expression(array)), alias: alias, on: condition)
        }
        let origin: Source.Origin
        if let arguments = operands["SEARCH"] {
            origin = try reader.nested(SearchSource.nestingCost) { reader throws(QueryError) in
                guard case .dictionary(let entries) = try reader.expression(arguments) else {
                    throw QueryError.invalidQuery("SEARCH in FROM item must be an object")
                }
                return .search(try SearchSource(entries))
            }
        } else if let query = operands["SELECT"] {
            guard let parts = query.entries else { throw QueryError.invalidQuery("SELECT in FROM item must be an object") }
            origin = .query(try reader.nested { reader throws(QueryError) in try reader.select(parts) })
        } else {
            origin = .collection(try collectionPath(operands))
        }
        guard let words = try string(operands, "JOIN") else { return Source(origin, alias: alias, on: condition) }
        guard let join = Source.Join(rawValue: words.uppercased()) else { throw QueryError.invalidQuery("Unknown JOIN type '\(words)'") }
        return Source(origin, alias: alias, join: join, on: condition)
    }

    private static func collectionPath(_ operands: [String: JSONNode]) throws(QueryError) -> CollectionPath {
        let scope = try string(operands, "SCOPE")
        guard let text = try string(operands, "COLLECTION") else {
            guard scope == nil else { throw QueryError.invalidQuery("SCOPE in FROM item requires a COLLECTION too") }
            return CollectionPath()
        }
        // A dot inside a name is escaped, as in a property path.
        guard let parsed = try? PropertyPath(encoded: text), !parsed.isEmpty, text.first != ".", text.last != "." else {
            throw QueryError.invalidQuery("\"\(text)\" is not a valid collection name")
        }
        var names: [String] = []
        for case .key(let name) in parsed.components { names.append(name) }
        guard names.count == parsed.components.count, names.count <= (scope == nil ? 2 : 1), let name = names.last
        else {
            throw QueryError.invalidQuery("\"\(text)\" is not a valid collection name")
        }
        return CollectionPath(scope: scope ?? (names.count == 2 ? names[0] : nil), name: name)
    }

    private static func string(_ operands: [String: JSONNode], _ key: String) throws(QueryError) -> String? {
        guard let value = operands[key] else { return nil }
        guard let text = value.string else { throw QueryError.invalidQuery("\(key) in FROM item must be a string") }
        return text
    }

    // MARK: Nesting

    /// Reads a value that can contain further values, and counts as one or more levels. Throws if the nesting is too deep.
    mutating func nested<Value>(
        _ levels: Int = 1,
        _ read: (inout JSONTreeReader) throws(QueryError) -> Value
    ) throws(QueryError) -> Value {
        nesting += levels
        defer { nesting -= levels }
        guard nesting <= QueryJSON.maximumNesting else { throw QueryError.invalidQuery("the query is nested too deeply") }
        return try read(&self)
    }
}

/// Returns the entries by their uppercased keys. Of keys that differ only in case, the first in byte order is used.
private func uppercasingKeys(_ object: [JSONNode.Entry]) -> [String: JSONNode] {
    Dictionary(object.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
}
