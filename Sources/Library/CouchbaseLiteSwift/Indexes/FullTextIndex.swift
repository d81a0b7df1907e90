import Foundation
import QueryEngine

/// An index of the words in properties, which ``FullTextFunction/match(indexName:query:)`` searches. Not thread-safe.
///
/// ```swift
/// let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name"), FullTextIndexItem.property("content"))
///     .language("en")
/// ```
public final class FullTextIndex: Index, DefinesIndex {
    private let items: [FullTextIndexItem]
    private var options = FullTextIndexOptions(language: FullTextIndexOptions.currentLanguage)

    init(_ items: [FullTextIndexItem]) { self.items = items }

    /// Sets whether letters with and without accents are equal. The default is `false`.
    @discardableResult
    public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
        options.ignoresAccents = ignoreAccents
        return self
    }

    /// Sets the language of the texts. The default is the language of the current locale.
    ///
    /// The language determines which common words are not indexed, how words are reduced to their stems and, in Chinese, Japanese and Thai,
    /// where words begin and end.
    ///
    /// - Parameter language: The ISO 639 code or the English name, such as `en` or `english`. With `nil`, or an unknown language, words are
    ///   indexed as they are written.
    @discardableResult
    public func language(_ language: String?) -> Self {
        options.language = language
        return self
    }

    /// Sets groups of words and phrases, in each of which all are found by each other: `[["car", "automobile"]]`. The default is none.
    ///
    /// At most 10,000 groups of 2 to 64 entries, each of at most 256 bytes; otherwise creating the index throws ``CBLError/invalidParameter``.
    @discardableResult
    public func synonyms(_ synonyms: [[String]]) -> Self {
        options.synonyms = synonyms
        return self
    }

    func definition(named name: String) throws -> IndexDefinition {
        let expressions = try queryExpressions(items.map(\.expression))
        return IndexDefinition(name: name, kind: .fullText(options), expressions: expressions)
    }
}

/// A property that a full-text index contains.
public class FullTextIndexItem {
    let expression: any ExpressionProtocol

    private init(_ expression: any ExpressionProtocol) { self.expression = expression }

    /// Returns an item for the property at a path. If its value is an array or dictionary, all texts in it are indexed.
    public class func property(_ property: String) -> FullTextIndexItem { FullTextIndexItem(Expression.property(property)) }
}

/// An index of the words in properties, which are given by their paths.
///
/// ```swift
/// let configuration = FullTextIndexConfiguration(["name", "content"], language: "en")
/// try collection.createIndex(withName: "articles", config: configuration)
/// ```
public struct FullTextIndexConfiguration: IndexConfiguration, DefinesIndex, Sendable {
    /// The default value of ``ignoreAccents``: `false`.
    public static let defaultIgnoreAccents = false

    /// The paths of the properties.
    public let expressions: [String]
    /// An SQL++ condition; the index contains only the documents that satisfy it. `nil`, the default, means all documents.
    public let `where`: String?
    /// Whether letters with and without accents are equal. The default is `false`.
    public let ignoreAccents: Bool
    /// The language of the texts; see ``FullTextIndex/language(_:)``. `nil`, the default, means the language of the current locale; an
    /// empty string means no language.
    public let language: String?
    /// Groups of words and phrases, in each of which all are found by each other; see ``FullTextIndex/synonyms(_:)``. The default is none.
    public let synonyms: [[String]]

    /// Creates the configuration of a full-text index from the values of the properties. `ignoreAccents` is `false` if it is `nil`.
    public init(
        _ expressions: [String],
        where: String? = nil,
        ignoreAccents: Bool? = FullTextIndexConfiguration.defaultIgnoreAccents,
        language: String? = nil,
        synonyms: [[String]] = []
    ) {
        self.synonyms = synonyms
        self.expressions = expressions
        self.where = `where`
        self.ignoreAccents = ignoreAccents ?? Self.defaultIgnoreAccents
        self.language = language
    }

    func definition(named name: String) -> IndexDefinition {
        var options = FullTextIndexOptions(language: language ?? FullTextIndexOptions.currentLanguage, ignoresAccents: ignoreAccents)
        options.synonyms = synonyms
        return IndexDefinition(name: name, kind: .fullText(options), text: expressions.joined(separator: ","), condition: `where`)
    }
}

extension FullTextIndexOptions {
    /// The code of the language of the current locale; `nil` if it has none.
    static var currentLanguage: String? { Locale.current.language.languageCode?.identifier }
}
