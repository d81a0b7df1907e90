import DatabaseRuntime
import QueryEngine
import QueryLanguage

// The indexes of the developer previews; see `PredicateIndex`.

@available(*, deprecated, message: "Use ValueIndexConfiguration or FullTextIndexConfiguration")
public enum IndexOptions: Sendable {
    case valueIndex
    /// An index of the words in properties. With the language `nil`, words are indexed as written, without stemming and stop words.
    case fullTextIndex(language: String?, ignoreDiacritics: Bool)
    /// Not supported: creating such an index throws.
    case geoIndex
}

@available(*, deprecated, message: "Use Collection.deleteIndex(forName:)")
public enum IndexType: Sendable {
    case valueIndex
    case fullTextIndex
    /// Not supported: there are no such indexes.
    case geoIndex
}

@available(*, deprecated, message: "Use Collection.createIndex(withName:config:)")
extension Database {
    public func createIndex(_ expressions: [String]) throws { try createIndex(expressions, options: .valueIndex) }

    /// Creates an index of the values of `expressions`, or of the words in them. Does nothing if it exists already. Blocks until all
    /// documents are indexed.
    ///
    /// - Throws: `unimplemented` for a `geoIndex`; otherwise as ``Collection/createIndex(withName:config:)``.
    public func createIndex(_ expressions: [String], options: IndexOptions) throws {
        try create(try throwingPublicErrors { try expressions.map(PredicateIndex.parseItem) }, options)
    }

    public func createIndex(_ expressions: [any ExpressionProtocol], options: IndexOptions = .valueIndex) throws {
        try create(try throwingPublicErrors { try queryExpressions(expressions) }, options)
    }

    /// Deletes the index of that kind on `expressions`. Does nothing if it does not exist.
    ///
    /// - Throws: `invalidQuery` if an expression is invalid; `notOpen` if the database is closed.
    public func deleteIndex(on expressions: [String], type: IndexType) throws {
        let items = try throwingPublicErrors { try expressions.map(PredicateIndex.parseItem) }
        switch type {
        case .valueIndex: try deleteIndex(forName: PredicateIndex(items).name)
        case .fullTextIndex: try deleteIndex(forName: PredicateIndex(items, fullText: FullTextIndexOptions()).name)
        case .geoIndex: break
        }
    }

    private func create(_ expressions: [QueryExpression], _ options: IndexOptions) throws {
        let index: PredicateIndex
        switch options {
        case .valueIndex: index = PredicateIndex(expressions)
        case .fullTextIndex(let language, let ignoresAccents):
            index = PredicateIndex(expressions, fullText: FullTextIndexOptions(language: language, ignoresAccents: ignoresAccents))
        case .geoIndex:
            throw LibraryError(CBLError.unimplemented, "Geo indexes are not supported")
        }
        try defaultCollection().createIndex(withName: index.name, config: index, progress: nil)
    }
}

extension PredicateIndex: DefinesIndex {
    func definition(named name: String) -> IndexDefinition { definition }
}
