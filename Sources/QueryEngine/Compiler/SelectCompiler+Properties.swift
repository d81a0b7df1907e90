import ExactStrings

extension SelectCompiler {
    /// Compiles a property, or a result column by its title (Query 1.4, 5.3).
    mutating func property(_ path: PropertyPath, in parent: Precedence) throws -> String {
        try countLookup()
        if let (index, rest) = scope.explicitSource(of: path) {
            return try value(of: scope.sources[index], at: rest, isCompared: parent != .none)
        }
        if let item = resultItem(named: path) {
            guard path.components.count > 1 else { return try resultColumn(item, in: parent) }
            let column = try resultColumn(item, in: .none)
            return "fl_nested_value(\(column), \(SQLText.literal(path.dropFirst().encoded)))"
        }
        try checkIsNoTitle(path)
        if let (source, rest, query) = try enclosingSource(of: path) {
            return try value(of: source, at: rest, isCompared: parent != .none, in: query)
        }
        guard let (index, rest) = scope.source(of: path) else { throw QueryError.undeclaredAlias(path) }
        return try value(of: scope.sources[index], at: rest, isCompared: parent != .none)
    }

    /// Counts the comparisons of a name with the titles of all columns, which may be as many as the names in the query.
    func countLookup() throws(QueryError) { try record.count(select.items.count) }

    /// Throws if a column uses the title of an earlier column: titles are not visible there, but hide the properties of the same name
    /// (Query 1.4). The title of that very property is allowed.
    private func checkIsNoTitle(_ path: PropertyPath) throws(QueryError) {
        guard clause == .items, !context.isInsideResultTitle, let name = path.firstKey,
            let item = earlierItems.first(where: { name.isExactly($0.title) }),
            item.expression != .property([.key(name)])
        else { return }
        throw QueryError.invalidQuery("no such column: \(name)")
    }

    /// Compiles the value at a path of a source.
    ///
    /// - Parameters:
    ///   - isCompared: Whether the value is an operand or a term of an ordering.
    ///   - query: The query around this one that the source belongs to; `nil` for this query.
    func value(of source: ResolvedSource, at path: PropertyPath, isCompared: Bool, in query: EnclosingQuery? = nil) throws -> String {
        let qualifier = source.qualifier
        // A value that SQLite takes from an index has lost its tag: a boolean would be a number. Where this matters, the path begins with a
        // dot, which has no meaning but makes the expression differ from that of the index.
        let dot = context.isTagRead && clause != .index ? "." : ""
        let encoded = path.encoded
        switch source.kind {
        case .documents:
            if let field = MetaField(path: path) { return sql(of: field, qualifier) }
            guard !path.isEmpty else { return "\(isOfIndex ? "fl_root" : "fl_document")(\(qualifier)body)" }
            return "fl_value(\(qualifier)body, \(SQLText.literal(dot + encoded)))"
        case .elements:
            // When rows are grouped, SQLite's sorter loses the pointer in the column `body` and the tags of values.
            let isGrouped = query?.isGrouped ?? !select.grouping.isEmpty
            let column = isGrouped ? "data" : "body"
            guard path.isEmpty else { return "fl_nested_value(\(qualifier)\(column), \(SQLText.literal(encoded)))" }
            let followsSorter = isGrouped && query?.followsGrouping ?? clause.followsGrouping
            return followsSorter ? "fl_document(\(qualifier)data)" : "\(qualifier)value"
        case .rows(let rows):
            try record.count(rows.titles.count)
            guard !path.isEmpty else { return try rows.dictionary(of: source) }
            let (column, rest) = try rows.column(at: path, of: source)
            return rest.isEmpty ? "fl_column(\(column))" : "fl_nested_value(\(column), \(SQLText.literal(rest.encoded)))"
        case .arrayTable:
            if !path.isEmpty { return "fl_unnested_value(\(qualifier)body, \(SQLText.literal(dot + encoded)))" }
            return isCompared ? "fl_unnested_value(\(qualifier)body)" : try exactElement(of: source, in: query?.scope ?? scope)
        }
    }

    /// Compiles an element of an array table where its type matters. The table does not preserve all types: true is stored as 1, for
    /// example. Comparisons and orderings ignore this, and must have the same text as the index.
    private func exactElement(of source: ResolvedSource, in scope: SourceScope) throws -> String {
        let body = "\(source.qualifier)body"
        guard clause != .index, let (index, path) = source.parent else { return "fl_unnested_value(\(body))" }
        let array = try eachArguments(of: scope.sources[index], at: path)
        return "fl_indexed_element(\(body), \(source.qualifier)i, \(array))"
    }

    // MARK: Result titles

    func resultItem(named path: PropertyPath) -> SelectItem? {
        guard clause.seesResultTitles, !context.isInsideResultTitle, let name = path.firstKey else { return nil }
        return select.items.first { name.isExactly($0.title) }
    }

    /// Compiles the value of a result column in place of its title.
    ///
    /// SQLite would resolve the title too, but only after the columns of the tables: a column titled `key` or `body` would be confused with
    /// those. SQLite would also use the converted value that the rows contain, which no index contains.
    private mutating func resultColumn(_ item: SelectItem, in parent: Precedence) throws -> String {
        try inResultTitle { compiler in try compiler.expression(item.expression, in: parent) }
    }

    /// Runs `body`, which compiles a result column that is referred to by its title.
    mutating func inResultTitle(_ body: (inout SelectCompiler) throws -> String) rethrows -> String {
        try with(
            {
                $0.isInsideResultTitle = true
                ($0.collation, $0.outerCollation, $0.variables) = (CollationOptions(), CollationOptions(), [])
            },
            body
        )
    }

    // MARK: Variables and values of expressions

    mutating func variable(_ name: String, _ path: PropertyPath) throws -> String {
        let alias = try variableAlias(name)
        return path.isEmpty
            ? "\(alias).value" : "fl_nested_value(\(alias).body, \(SQLText.literal(path.encoded)))"
    }

    private func variableAlias(_ name: String) throws -> String {
        guard let variable = context.variables.first(where: { name.isExactly($0.name) }) else {
            throw QueryError.invalidQuery("No such variable '\(name)'")
        }
        return SQLText.identifier(variable.alias)
    }

    mutating func nested(_ base: QueryExpression, _ path: PropertyPath, in parent: Precedence) throws -> String {
        guard !path.isEmpty else { return try expression(base, in: parent) }
        return "fl_nested_value(\(try expression(base)), \(SQLText.literal(path.encodedStep)))"
    }

    // MARK: Document bodies

    /// Returns the arguments that denote a property of a document in functions that read bodies: the column and, unless the property is the
    /// whole document, the path. `nil` if the path denotes anything else.
    func bodyArguments(_ path: PropertyPath, isPathRequired: Bool = false) throws -> String? {
        try countLookup()
        var found = scope.source(of: path).map { (scope.sources[$0.index], $0.rest) }
        if scope.explicitSource(of: path) == nil {
            if resultItem(named: path) != nil { return nil }
            try checkIsNoTitle(path)
            if let (source, rest, _) = try enclosingSource(of: path) { found = (source, rest) }
        }
        guard let (source, rest) = found else { throw QueryError.undeclaredAlias(path) }
        guard source.table != nil, MetaField(path: rest) == nil else { return nil }
        guard !rest.isEmpty else { return isPathRequired ? nil : "\(source.qualifier)body" }
        return "\(source.qualifier)body, \(SQLText.literal(rest.encoded))"
    }

    /// Returns the arguments of `fl_each` for the source of ANY, EVERY or UNNEST.
    mutating func eachArguments(_ source: QueryExpression) throws -> String {
        switch source {
        case .property(let path):
            if let body = try bodyArguments(path) { return body }
            if let (index, rest) = scope.explicitSource(of: path), scope.sources[index].table == nil {
                return try eachArguments(of: scope.sources[index], at: rest)
            }
        case .variable(let name, let path):
            let value = "\(try variableAlias(name)).value"
            return path.isEmpty ? value : "\(value), \(SQLText.literal(path.encoded))"
        default:
            break
        }
        return try expression(source)
    }

    /// Returns the arguments of `fl_each` for the array at a path of a source.
    func eachArguments(of source: ResolvedSource, at path: PropertyPath) throws -> String {
        var path = path
        var value: String
        switch source.kind {
        case .documents, .arrayTable: value = "\(source.qualifier)body"
        case .elements: value = "\(source.qualifier)value"
        case .rows(let rows):
            guard !path.isEmpty else { return try rows.dictionary(of: source) }
            (value, path) = try rows.column(at: path, of: source)
        }
        return path.isEmpty ? value : "\(value), \(SQLText.literal(path.encoded))"
    }

    func blob(_ path: PropertyPath) throws -> String {
        guard let body = try bodyArguments(path, isPathRequired: true) else {
            throw QueryError.invalidQuery("BLOB requires a property of a document")
        }
        return "fl_blob(\(body))"
    }

    // MARK: Metadata

    func metaField(_ path: PropertyPath, alias: String?) throws -> String {
        let source = try metaSource(alias, field: path)
        guard let key = path.onlyKey else { throw QueryError.invalidQuery("'\(path)' is not a valid Meta key") }
        return sql(of: try MetaField(metaKey: key), source.qualifier)
    }

    private func sql(of field: MetaField, _ qualifier: String) -> String {
        if field == .expiration { record.readsExpirations = true }
        return field.sql(qualifier)
    }

    /// Compiles the dictionary of all metadata fields. It has no expiration if the document has none.
    func metadata(alias: String?) throws -> String {
        let qualifier = try metaSource(alias).qualifier
        let fields: [MetaField] = [.id, .sequence, .deleted, .expiration, .revisionID]
        let entries = fields.map { "\(SQLText.literal($0.rawValue)), \(sql(of: $0, qualifier))" }
        return "dict_of(\(entries.joined(separator: ", ")))"
    }
}

extension QueryError {
    static func undeclaredAlias(_ path: PropertyPath) -> QueryError {
        QueryError.invalidQuery("property '\(path)' does not begin with a declared 'AS' alias")
    }
}
