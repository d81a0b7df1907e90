import QueryEngine

// The indexes of the developer previews. They have no names; the indexed expressions identify them (Query 7.4).

/// The kind and options of an index of the developer previews.
@available(*, deprecated, message: "Use ValueIndexConfiguration or FullTextIndexConfiguration")
public enum IndexOptions: Sendable {
    /// An index of the values of expressions.
    case valueIndex
    /// An index of the words in properties. With the language `nil`, words are indexed as written, without stemming and stop words.
    case fullTextIndex(language: String?, ignoreDiacritics: Bool)
    /// Not supported: creating such an index throws.
    case geoIndex
}

/// The kind of an index of the developer previews.
@available(*, deprecated, message: "Use Collection.deleteIndex(forName:)")
public enum IndexType: Sendable {
    /// See ``IndexOptions/valueIndex``.
    case valueIndex
    /// See ``IndexOptions/fullTextIndex(language:ignoreDiacritics:)``.
    case fullTextIndex
    /// Not supported: there are no such indexes.
    case geoIndex
}

@available(*, deprecated, message: "Use Collection.createIndex(withName:config:)")
extension Database {
    /// Creates an index of the values of `expressions`. Does nothing if it exists already. Blocks until all documents are indexed.
    ///
    /// - Throws: As ``Collection/createIndex(withName:config:)``.
    public func createIndex(_ expressions: [String]) throws { try createIndex(expressions, options: .valueIndex) }

    /// Creates an index of the values of `expressions`, or of the words in them. Does nothing if it exists already. Blocks until all
    /// documents are indexed.
    ///
    /// - Throws: `unimplemented` for a `geoIndex`; otherwise as ``Collection/createIndex(withName:config:)``.
    public func createIndex(_ expressions: [String], options: IndexOptions) throws {
        try create(try throwingPublicErrors { try expressions.map(indexItem) }, options)
    }

    /// Creates an index of the values of `expressions`, or of the words in them. Does nothing if it exists already. Blocks until all
    /// documents are indexed.
    ///
    /// - Throws: As ``createIndex(_:options:)-([String],_)``.
    public func createIndex(_ expressions: [any ExpressionProtocol], options: IndexOptions = .valueIndex) throws {
        try create(try throwingPublicErrors { try queryExpressions(expressions) }, options)
    }

    /// Deletes the index of that kind on `expressions`. Does nothing if it does not exist.
    ///
    /// - Throws: `invalidQuery` if an expression is invalid; `notOpen` if the database is closed.
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

/// Parses a string in a list of expressions: an expression in the syntax of predicate strings, or a property path in quotes.
private func indexItem(_ text: String) throws -> QueryExpression {
    let expression = try PredicateString.parseGrouping(text)
    if case .string(let path) = expression { return try .property(encodedPath: path) }
    return expression
}

/// Returns the name for an index: the expressions as text, with a prefix for a full-text index, because the previews allowed one index of
/// each kind on the same expressions. Different expressions have different names.
private func indexName(_ expressions: [QueryExpression], isFullText: Bool) -> String {
    let names = expressions.enumerated().map { place, expression -> String in
        if case .property(let path) = expression, isUnambiguous(path.encoded),
            isFullText || place > 0 || !path.encoded.hasPrefix(fullTextPrefix)
        {
            return path.encoded
        }
        // Names of indexes must not contain double quotes. Apostrophes, which take their place, are written as the JSON escape.
        return QueryJSON.text(of: expression).replacing("'", with: "\\u0027").replacing("\"", with: "'")
    }
    return (isFullText ? fullTextPrefix : "") + names.joined(separator: ",")
}

private let fullTextPrefix = "text:"

/// Returns whether a property path in the name of an index cannot be taken for several paths, or for the JSON of an expression. Otherwise it
/// is written as JSON, too.
private func isUnambiguous(_ path: String) -> Bool {
    guard let first = path.unicodeScalars.first else { return true }
    return !"[{'".unicodeScalars.contains(first) && !path.unicodeScalars.contains { $0 == "," || $0 == "\"" }
}

/// An index whose expressions are already parsed.
private struct PreviewIndex: Index, DefinesIndex {
    let kind: IndexDefinition.Kind
    let expressions: [QueryExpression]

    func definition(named name: String) -> IndexDefinition { IndexDefinition(name: name, kind: kind, expressions: expressions) }
}
