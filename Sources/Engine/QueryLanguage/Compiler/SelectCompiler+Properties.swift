import Base

extension SelectCompiler {
    /// Compiles a property, or a result column by its title (Query 1.4, 5.3).
    mutating func property(_ path: PropertyPath, in parent: Precedence) throws -> String {
        try countLookup()
        if let (index, rest) = scope.explicitSource(of: path) {
            return try value(of: scope.sources[index], at: rest, isCompared: parent != .none)
        }
        if let item = resultItem(named: path) { return try resultColumn(item, at: path, in: parent) }
        if let (source, rest, query) = try enclosingSource(of: path) {
            return try value(of: source, at: rest, isCompared: parent != .none, in: query)
        }
        guard let (index, rest) = scope.source(of: path) else { throw unresolved(path) }
        return try value(of: scope.sources[index], at: rest, isCompared: parent != .none)
    }

    /// Counts the comparisons of a name with the titles of all columns, which may be as many as the names in the query.
    func countLookup() throws(QueryError) { try record.count(select.items.count) }

    private func unresolved(_ path: PropertyPath) -> QueryError {
        select.hasNoSource && enclosing.isEmpty ? .missingSource : .undeclaredAlias(path)
    }

    /// Compiles the value at a path of a source.
    ///
    /// - Parameters:
    ///   - isCompared: Whether the value is an operand or a term of an ordering.
    ///   - query: The query around this one that the source belongs to; `nil` for this query.
    func value(of source: ResolvedSource, at path: PropertyPath, isCompared: Bool, in query: EnclosingQuery? = nil) throws -> String {
        let qualifier = source.qualifier
        let literal = SQLText.literal(path.encoded)
        switch source.kind {
        case .documents(let table):
            if let field = MetaField(path: path) { return sql(of: field, qualifier) }
            guard !path.isEmpty else { return "\(isOfIndex ? "fl_root" : "fl_document")(\(qualifier)body)" }
            return "\(propertyValue("body, \(literal)", of: table))(\(qualifier)body, \(literal))"
        case .elements:
            // When rows are grouped, SQLite's sorter loses the pointer in the column `body` and the tags of values.
            let isGrouped = query?.isGrouped ?? !select.grouping.isEmpty
            let column = isGrouped ? "data" : "body"
            guard path.isEmpty else { return "\(nestedValue)(\(qualifier)\(column), \(literal))" }
            let followsSorter = isGrouped && query?.followsGrouping ?? context.clause.followsGrouping
            guard !followsSorter else { return "\(keepsTags ? "fl_tagged_document" : "fl_document")(\(qualifier)data)" }
            return qualifier + elementColumn
        case .rows(let rows):
            try record.count(rows.titles.count)
            guard !path.isEmpty else { return try rows.dictionary(of: source) }
            let (column, rest) = try rows.column(at: path, of: source)
            guard !rest.isEmpty else { return "\(keepsTags ? "fl_tagged_column" : "fl_column")(\(column))" }
            return "\(nestedValue)(\(column), \(SQLText.literal(rest.encoded)))"
        case .arrayTable:
            if !path.isEmpty { return "\(keepsTags ? "fl_tagged_nested_value" : "fl_unnested_value")(\(qualifier)body, \(literal))" }
            return isCompared ? "fl_unnested_value(\(qualifier)body)" : try exactElement(of: source, in: query?.scope ?? scope)
        }
    }

    // MARK: Functions that read values

    /// Whether the current expression is read by something that reads tags, so that numbers above the range of `Int64` must have theirs.
    /// Operators and SQLite's own functions need the nearest floating-point number instead.
    var keepsTags: Bool {
        // The input of a model is a literal, which reads tags also where its text must be that of an index.
        context.isTagRead && !context.isUnindexed && context.clause != .index && !(context.isLikeIndex && context.isModelInput)
    }

    /// Returns the function that reads a property of a document. A value that SQLite takes from an index has lost its tag, so that a boolean
    /// would be a number. Where this matters, or if the index has other keys, the function is one that no index calls.
    private func propertyValue(_ arguments: String, of table: SourceTable) -> String {
        guard context.clause != .index else { return "fl_value" }
        if keepsTags { return "fl_tagged_value" }
        let isHidden = context.isUnindexed || record.resolver.isInexactlyIndexed(arguments, onTable: table.liveTable)
        return isHidden ? "fl_read_value" : "fl_value"
    }

    private var nestedValue: String { keepsTags ? "fl_tagged_nested_value" : "fl_nested_value" }

    /// The column of `fl_each` with an element.
    private var elementColumn: String { keepsTags ? "tagged" : "value" }

    /// Compiles an element of an array table where its type matters. The table does not preserve all types: true is stored as 1, for
    /// example. Comparisons and orderings ignore this, and must have the same text as the index.
    private func exactElement(of source: ResolvedSource, in scope: SourceScope) throws -> String {
        let body = "\(source.qualifier)body"
        guard context.clause != .index, let (index, path) = source.parent else { return "fl_unnested_value(\(body))" }
        let array = try eachArguments(of: scope.sources[index], at: path)
        return "fl_indexed_element(\(body), \(source.qualifier)i, \(array))"
    }

    // MARK: Result titles

    /// Returns the result column whose title a path begins with; `nil` if there is none, or if the title is not visible here.
    func resultItem(named path: PropertyPath) -> SelectItem? {
        guard context.clause.seesResultTitles, !context.isInsideResultTitle, let name = path.firstKey,
            let item = select.items.first(where: { name.isExactly($0.title) })
        else { return nil }
        return context.clause == .condition && isProperty(name, not: item) ? nil : item
    }

    /// Returns whether a name in WHERE denotes a property although a column has it as its title: the nested query that is the source has such
    /// a column, or the column itself is computed from that property.
    private func isProperty(_ name: String, not item: SelectItem) -> Bool {
        guard scope.sources.count == 1, let main = scope.main else { return false }
        if case .rows(let rows) = main.kind { return rows.titles.containsExactly(name) }
        return item.expression.contains { part in
            guard case .property(let path) = part, let (_, rest) = scope.source(of: path) else { return false }
            return rest.firstKey.map { name.isExactly($0) } ?? false
        }
    }

    /// Whether a path that begins with the title of a result column denotes the property of a document that has one of that name. WHERE is
    /// evaluated before there are columns (Query 1.4).
    var titleMayBeProperty: Bool { context.clause == .condition && scope.sources.count == 1 && scope.main?.table != nil }

    /// Compiles a path that begins with the title of a result column.
    private mutating func resultColumn(_ item: SelectItem, at path: PropertyPath, in parent: Precedence) throws -> String {
        let isWhole = path.components.count == 1
        let column = try resultColumn(item, in: isWhole && !titleMayBeProperty ? parent : .none)
        let value = isWhole ? column : "\(nestedValue)(\(column), \(SQLText.literal(path.dropFirst().encoded)))"
        guard titleMayBeProperty, let main = scope.main, let name = path.firstKey else { return value }
        let property = try self.value(of: main, at: path, isCompared: false)
        guard !isWhole else { return "coalesce(\(property), \(value))" }
        let exists = "fl_exists(\(main.qualifier)body, \(SQLText.literal(PropertyPath([.key(name)]).encoded)))"
        return "iif(\(exists), \(property), \(value))"
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
        return path.isEmpty ? "\(alias).\(elementColumn)" : "\(nestedValue)(\(alias).body, \(SQLText.literal(path.encoded)))"
    }

    private func variableAlias(_ name: String) throws -> String {
        guard let variable = context.variables.first(where: { name.isExactly($0.name) }) else {
            throw QueryError.invalidQuery("No such variable '\(name)'")
        }
        return SQLText.identifier(variable.alias)
    }

    mutating func nested(_ base: QueryExpression, _ path: PropertyPath, in parent: Precedence) throws -> String {
        guard !path.isEmpty else { return try expression(base, in: parent) }
        if let sql = try storedPrediction(base, path) ?? indexedPrediction(base, path) { return sql }
        return "\(nestedValue)(\(try expression(base)), \(SQLText.literal(path.encodedStep)))"
    }

    // MARK: Document bodies

    /// Returns the arguments that denote a property of a document in functions that read bodies: the column and, unless the property is the
    /// whole document, the path. `nil` if the path denotes anything else.
    func bodyArguments(_ path: PropertyPath, isPathRequired: Bool = false) throws -> String? {
        try countLookup()
        var found = scope.source(of: path).map { (scope.sources[$0.index], $0.rest) }
        if scope.explicitSource(of: path) == nil {
            if resultItem(named: path) != nil { return nil }
            if let (source, rest, _) = try enclosingSource(of: path) { found = (source, rest) }
        }
        guard let (source, rest) = found else { throw unresolved(path) }
        guard let table = source.table, MetaField(path: rest) == nil else { return nil }
        guard !rest.isEmpty else { return isPathRequired ? nil : "\(source.qualifier)body" }
        var literal = SQLText.literal(rest.encoded)
        // The dot has no meaning, but makes the expression different from that of the index.
        if context.clause != .index, record.resolver.isInexactlyIndexed("body, \(literal)", onTable: table.liveTable) {
            literal = SQLText.literal("." + rest.encoded)
        }
        return "\(source.qualifier)body, \(literal)"
    }

    /// Whether an expression is a property of a document, not its metadata.
    func isPropertyOfDocument(_ expression: QueryExpression) throws -> Bool {
        guard case .property(let path) = expression else { return false }
        return try bodyArguments(path, isPathRequired: true) != nil
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
