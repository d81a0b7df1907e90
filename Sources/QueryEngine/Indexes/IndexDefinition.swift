/// What an index is to be.
package struct IndexDefinition: Sendable, Hashable {
    /// The kinds of indexes that can be made (Query 7.1).
    package enum Kind: Sendable, Hashable {
        /// The values of expressions, for conditions and orderings.
        case value
        /// The words in properties, for MATCH.
        case fullText(FullTextIndexOptions)
        /// The elements of arrays, for UNNEST. The path is of the form `contacts[].phones`; the expressions are relative to
        /// an element, and none means the element itself.
        case array(path: String)
    }

    /// How the expressions were given: as SQL++ text, in the JSON schema, or as syntax trees, which are kept as JSON.
    package enum Source: Sendable, Hashable {
        case text(expressions: String, condition: String?)
        /// An array of expressions, or an object with the keys WHAT and WHERE; a condition may also stand apart.
        case json(String, condition: String? = nil)
        case tree([QueryExpression], condition: QueryExpression?)
    }

    /// The name, unique in the collection.
    package let name: String
    package let kind: Kind
    package let source: Source

    package init(name: String, kind: Kind = .value, source: Source) {
        self.name = name
        self.kind = kind
        self.source = source
    }

    /// An index of comma-separated SQL++ expressions, of the documents that satisfy a condition.
    package init(name: String, kind: Kind = .value, text: String, condition: String? = nil) {
        self.init(name: name, kind: kind, source: .text(expressions: text, condition: condition))
    }

    /// An index of expressions, of the documents that satisfy a condition.
    package init(name: String, kind: Kind = .value, expressions: [QueryExpression], condition: QueryExpression? = nil) {
        self.init(name: name, kind: kind, source: .tree(expressions, condition: condition))
    }
}

/// How a full-text index cuts text into words, and which it keeps (Query 6.1).
package struct FullTextIndexOptions: Sendable, Hashable {
    /// The code or name of the language, which selects the stemmer and the stop words; nil for none of either.
    package var language: String?
    /// Whether letters with and without accents are the same.
    package var ignoresAccents: Bool
    /// Whether words stay as they are even where the language has a stemmer.
    package var disablesStemming: Bool
    /// The words that are left out, in small letters and separated by spaces; nil for those of the language.
    package var stopWords: String?

    package init(language: String? = nil, ignoresAccents: Bool = false, disablesStemming: Bool = false, stopWords: String? = nil) {
        self.language = language
        self.ignoresAccents = ignoresAccents
        self.disablesStemming = disablesStemming
        self.stopWords = stopWords
    }
}
