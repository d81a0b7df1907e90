package import QueryLanguage
package import VectorSearch

/// The definition of an index to create.
package struct IndexDefinition: Sendable, Hashable {
    /// The kinds of indexes that can be created (Query 7.1).
    package enum Kind: Sendable, Hashable {
        /// An index of the values of expressions, for conditions and orderings.
        case value
        /// An index of the words in properties, for MATCH.
        case fullText(FullTextIndexOptions)
        /// An index of the elements of arrays, for UNNEST. The path has the form `contacts[].phones`; the expressions are relative to an
        /// element; without expressions the element itself is indexed.
        case array(path: String)
        /// The outputs of a predictive model, and an SQL index of properties in them. The only expression is a call of PREDICTION with the
        /// properties as arguments after the input (Vector search FP-1).
        case predictive
        /// An index of vectors, for `APPROX_VECTOR_DISTANCE`.
        case vector(VectorIndexOptions)
    }

    /// The expressions as SQL++ text, in the JSON schema, or as syntax trees, which are stored as JSON.
    package enum Source: Sendable, Hashable {
        /// Comma-separated expressions in SQL++, and the condition of a partial index; `nil` for an index of all documents.
        case text(expressions: String, condition: String?)
        /// An array of expressions, or an object with the keys WHAT and WHERE; the condition may also be given separately.
        case json(String, condition: String? = nil)
        /// The expressions, and the condition of a partial index; `nil` for an index of all documents.
        case tree([QueryExpression], condition: QueryExpression?)
    }

    /// The name of the index, unique in the collection.
    package let name: String
    /// What the index contains, and so which conditions can use it.
    package let kind: Kind
    /// The indexed expressions, and the condition of a partial index.
    package let source: Source

    package init(name: String, kind: Kind = .value, source: Source) { (self.name, self.kind, self.source) = (name, kind, source) }

    /// Creates the definition of an index on comma-separated SQL++ expressions, for the documents that satisfy the condition.
    package init(name: String, kind: Kind = .value, text: String, condition: String? = nil) {
        self.init(name: name, kind: kind, source: .text(expressions: text, condition: condition))
    }

    /// Creates the definition of an index on expressions, for the documents that satisfy the condition.
    package init(name: String, kind: Kind = .value, expressions: [QueryExpression], condition: QueryExpression? = nil) {
        self.init(name: name, kind: kind, source: .tree(expressions, condition: condition))
    }
}

/// Determines how a full-text index splits text into words, and which words it contains (Query 6.1).
package struct FullTextIndexOptions: Sendable, Hashable {
    /// The code or name of the language, which selects the stemmer and the stop words; `nil` for no stemmer and no stop words.
    package var language: String?
    /// Whether letters with and without accents are equal.
    package var ignoresAccents: Bool
    /// Whether words are not stemmed even if the language has a stemmer.
    package var disablesStemming: Bool
    /// The words that are not indexed, in lower case and separated by spaces; `nil` for the stop words of the language.
    package var stopWords: String?
    /// Groups of words and phrases, in each of which all are found by each other. At most 10,000 groups of 2 to 64 entries, and 1 MiB. They have
    /// no effect on what the index contains.
    package var synonyms: [[String]] = []

    package init(language: String? = nil, ignoresAccents: Bool = false, disablesStemming: Bool = false, stopWords: String? = nil) {
        self.language = language
        self.ignoresAccents = ignoresAccents
        self.disablesStemming = disablesStemming
        self.stopWords = stopWords
    }
}
