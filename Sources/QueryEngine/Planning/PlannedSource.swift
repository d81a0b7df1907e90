import DocumentStore

/// A table or array that a statement reads under an alias.
struct PlannedSource {
    enum Kind {
        /// The documents of a collection.
        case documents(SourceTable)
        /// The elements of an array, as written in UNNEST.
        case elements(array: String)
        /// The elements of an array, read from the table of an array index with this path.
        case indexedElements(array: String, path: String)
        /// A full-text index.
        case fullText(index: String, table: String)
    }

    let alias: String
    let kind: Kind

    /// Returns the sources of a query and of the queries nested in it.
    static func all(of select: Select, resolver: any CollectionResolver) throws -> [PlannedSource] {
        let record = CompilationRecord(resolver: resolver)
        var found: [PlannedSource] = []
        try select.forEachSelect { nested in
            let compiler = try SelectCompiler(nested, record: record)
            found += compiler.scope.sources.map(PlannedSource.init)
            found += compiler.matches.map {
                PlannedSource(alias: $0.alias, kind: .fullText(index: $0.index, table: $0.table))
            }
        }
        return found
    }

    private init(alias: String, kind: Kind) {
        self.alias = alias
        self.kind = kind
    }

    private init(_ source: ResolvedSource) {
        alias = source.alias ?? ""
        var array = ""
        if case .unnest(let expression) = source.syntax.origin { array = SQLPlusPlus.text(of: expression) ?? "" }
        kind =
            switch source.kind {
            case .documents(let table): .documents(table)
            case .elements: .elements(array: array)
            case .arrayTable: .indexedElements(array: array, path: source.arrayOrigin?.path ?? "")
            }
    }
}

extension Select {
    /// Calls `body` with the query and every query nested in it.
    func forEachSelect(_ body: (Select) throws -> Void) rethrows {
        try body(self)
        try forEachExpression { try $0.forEachSelect(body) }
    }
}

extension QueryExpression {
    fileprivate func forEachSelect(_ body: (Select) throws -> Void) rethrows {
        if case .select(let select) = self { return try select.forEachSelect(body) }
        try forEachChild { try $0.forEachSelect(body) }
    }
}

extension SourceTable {
    /// The collection's name for display; without the scope if it is the default scope.
    var collectionName: String {
        guard let id = CollectionID(storeName: storeName) else { return storeName }
        return id.scope == CollectionID.defaultName ? id.name : id.fullName
    }
}
