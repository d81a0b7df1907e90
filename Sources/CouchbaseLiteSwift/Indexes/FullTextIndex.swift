import Foundation
import QueryEngine

/// An index of the words in properties, which ``FullTextFunction/match(indexName:query:)`` searches.
///
/// ```swift
/// let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name"), FullTextIndexItem.property("content"))
///     .language("en")
/// ```
public final class FullTextIndex: Index, DefinesIndex {
    private let items: [FullTextIndexItem]
    private var options = FullTextIndexOptions(language: FullTextIndexOptions.currentLanguage)

    init(_ items: [FullTextIndexItem]) {
        self.items = items
    }

    /// Whether letters with and without accents are the same. They are not, unless this is called.
    @discardableResult
    public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
        options.ignoresAccents = ignoreAccents
        return self
    }

    /// The language of the texts, by its ISO 639 code or its English name, such as `en` or `english`. It says which words are of no
    /// interest, how the endings of words are taken off, and, in Chinese, Japanese and Thai, where words begin and end. Nil for none:
    /// then words are indexed as they are written.
    @discardableResult
    public func language(_ language: String?) -> Self {
        options.language = language
        return self
    }

    func definition(named name: String) throws -> IndexDefinition {
        let expressions = try queryExpressions(items.map(\.expression))
        return IndexDefinition(name: name, kind: .fullText(options), expressions: expressions)
    }
}

/// A property whose words a full-text index has.
public class FullTextIndexItem {
    let expression: any ExpressionProtocol

    private init(_ expression: any ExpressionProtocol) {
        self.expression = expression
    }

    /// The property at a path. Of an array or dictionary all texts in it are indexed.
    public class func property(_ property: String) -> FullTextIndexItem {
        FullTextIndexItem(Expression.property(property))
    }
}

/// An index of the words in properties, described by SQL++ expressions.
///
/// ```swift
/// let configuration = FullTextIndexConfiguration(["name", "content"], language: "en")
/// try collection.createIndex(withName: "articles", config: configuration)
/// ```
public struct FullTextIndexConfiguration: IndexConfiguration, DefinesIndex, Sendable {
    /// What ``ignoreAccents`` is unless it is given: false.
    public static let defaultIgnoreAccents = false

    /// The paths of the properties.
    public let expressions: [String]
    /// An SQL++ condition; documents that do not satisfy it are left out of the index.
    public let `where`: String?
    /// Whether letters with and without accents are the same.
    public let ignoreAccents: Bool
    /// The language of the texts; see ``FullTextIndex/language(_:)``. Nil is the language of the current locale, and an empty string
    /// none.
    public let language: String?

    /// An index of the properties at the paths `expressions`.
    ///
    /// - Parameters:
    ///   - expressions: The paths of the properties.
    ///   - where: An SQL++ condition; documents that do not satisfy it are left out of the index.
    ///   - ignoreAccents: Whether letters with and without accents are the same.
    ///   - language: The language of the texts; nil is that of the current locale, and an empty string none.
    public init(
        _ expressions: [String],
        where: String? = nil,
        ignoreAccents: Bool? = FullTextIndexConfiguration.defaultIgnoreAccents,
        language: String? = nil
    ) {
        self.expressions = expressions
        self.where = `where`
        self.ignoreAccents = ignoreAccents ?? Self.defaultIgnoreAccents
        self.language = language
    }

    func definition(named name: String) -> IndexDefinition {
        let options = FullTextIndexOptions(language: language ?? FullTextIndexOptions.currentLanguage, ignoresAccents: ignoreAccents)
        return IndexDefinition(name: name, kind: .fullText(options), text: expressions.joined(separator: ","), condition: `where`)
    }
}

extension FullTextIndexOptions {
    /// The code of the current locale's language.
    static var currentLanguage: String? { Locale.current.language.languageCode?.identifier }
}
