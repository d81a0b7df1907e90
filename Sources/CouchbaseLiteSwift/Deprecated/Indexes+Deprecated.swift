import QueryEngine

// The previews' indexes, which have no names: they are known by what they cover (Query 7.4).

/// What a preview's index is for.
@available(*, deprecated, message: "Use ValueIndexConfiguration or FullTextIndexConfiguration")
public enum IndexOptions: Sendable {
    /// The values of the expressions.
    case valueIndex
    /// The words in the properties. Without a language words are taken as they are.
    case fullTextIndex(language: String?, ignoreDiacritics: Bool)
    /// Not supported: creating one throws.
    case geoIndex
}

/// The kind of a preview's index.
@available(*, deprecated, message: "Use Collection.deleteIndex(forName:)")
public enum IndexType: Sendable {
    /// See ``IndexOptions/valueIndex``.
    case valueIndex
    /// See ``IndexOptions/fullTextIndex(language:ignoreDiacritics:)``.
    case fullTextIndex
    /// Not supported: there is none.
    case geoIndex
}

@available(*, deprecated, message: "Use Collection.createIndex(withName:config:)")
extension Database {
    /// Creates an index of the values of `expressions`. If it is there already nothing happens.
    ///
    /// - Throws: As ``Collection/createIndex(withName:config:)``.
    public func createIndex(_ expressions: [String]) throws {
        try createIndex(expressions, options: .valueIndex)
    }

    /// Creates an index of the values of, or the words in `expressions`. If it is there already nothing happens.
    ///
    /// - Throws: `unimplemented` for a `geoIndex`; else as ``Collection/createIndex(withName:config:)``.
    public func createIndex(_ expressions: [String], options: IndexOptions) throws {
        try create(try throwingPublicErrors { try expressions.map(indexItem) }, options)
    }

    /// Creates an index of the values of, or the words in `expressions`. If it is there already nothing happens.
    ///
    /// - Throws: As ``createIndex(_:options:)-([String],_)``.
    public func createIndex(_ expressions: [any ExpressionProtocol], options: IndexOptions = .valueIndex) throws {
        try create(try throwingPublicErrors { try queryExpressions(expressions) }, options)
    }

    /// Deletes the index of that kind on `expressions`. One that does not exist is not an error.
    ///
    /// - Throws: `invalidQuery` for expressions that make no sense; `notOpen`.
    public func deleteIndex(on expressions: [String], type: IndexType) throws {
        let items = try throwingPublicErrors { try expressions.map(indexItem) }
        switch type {
        case .valueIndex: try deleteIndex(forName: indexName(items, isFullText: false))
        case .fullTextIndex: try deleteIndex(forName: indexName(items, isFullText: true))
        case .geoIndex: break
        }
    }

    private func create(_ expressions: [QueryExpression], _ options: IndexOptions) throws {
        switch options {
        case .valueIndex:
            let index = PreviewIndex(kind: .value, expressions: expressions)
            try createIndex(index, withName: indexName(expressions, isFullText: false))
        case .fullTextIndex(let language, let ignoresAccents):
            let options = FullTextIndexOptions(language: language, ignoresAccents: ignoresAccents)
            let index = PreviewIndex(kind: .fullText(options), expressions: expressions)
            try createIndex(index, withName: indexName(expressions, isFullText: true))
        case .geoIndex:
            throw NSError.couchbaseLite(code: CBLError.unimplemented, message: "Geo indexes are not supported")
        }
    }
}

/// What a string in a list of expressions stands for: a predicate-string expression, or the path of a property in quotes.
private func indexItem(_ text: String) throws -> QueryExpression {
    let expression = try PredicateString.parseGrouping(text)
    if case .string(let path) = expression { return try .property(encodedPath: path) }
    return expression
}

/// The expressions as text, and for a full-text index a mark: the previews allowed one of each kind.
private func indexName(_ expressions: [QueryExpression], isFullText: Bool) -> String {
    let names = expressions.map { expression in
        // Names of indexes have no double quotes.
        if case .property(let path) = expression { path.encoded } else { QueryJSON.text(of: expression) }
    }
    return (isFullText ? "text:" : "") + names.joined(separator: ",").replacing("\"", with: "'")
}

/// An index of expressions that the engine knows already.
private struct PreviewIndex: Index, DefinesIndex {
    let kind: IndexDefinition.Kind
    let expressions: [QueryExpression]

    func definition(named name: String) -> IndexDefinition {
        IndexDefinition(name: name, kind: kind, expressions: expressions)
    }
}
