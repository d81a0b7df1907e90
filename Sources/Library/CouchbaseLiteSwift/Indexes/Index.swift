import QueryEngine

/// The definition of an index, made by ``IndexBuilder``.
public protocol Index {}

/// An index or index configuration of this library.
protocol DefinesIndex {
    /// Returns the definition in the form of the query engine.
    ///
    /// - Throws: An error if an expression is invalid.
    func definition(named name: String) throws -> IndexDefinition
}

/// Makes definitions of indexes from expressions.
public class IndexBuilder {
    private init() {}

    /// Returns the definition of an index of the values of properties or expressions, its columns, which queries use for conditions and for
    /// `ORDER BY`.
    public static func valueIndex(items: ValueIndexItem...) -> ValueIndex { valueIndex(items: items) }

    /// Returns the definition of an index of the values of properties or expressions, its columns.
    public static func valueIndex(items: [ValueIndexItem]) -> ValueIndex { ValueIndex(items) }

    /// Returns the definition of an index of the words in properties, for full-text search. Its language is that of the current locale;
    /// ``FullTextIndex/language(_:)`` changes it.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex { fullTextIndex(items: items) }

    /// Returns the definition of an index of the words in properties, for full-text search. Its language is that of the current locale;
    /// ``FullTextIndex/language(_:)`` changes it.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex { FullTextIndex(items) }
}

/// The definition of a value index, made by ``IndexBuilder``.
public final class ValueIndex: Index, DefinesIndex {
    private let items: [ValueIndexItem]

    init(_ items: [ValueIndexItem]) { self.items = items }

    func definition(named name: String) throws -> IndexDefinition {
        IndexDefinition(name: name, expressions: try queryExpressions(items.map(\.expression)))
    }
}

/// A column of a value index.
public final class ValueIndexItem {
    let expression: any ExpressionProtocol

    private init(_ expression: any ExpressionProtocol) { self.expression = expression }

    /// Returns a column for the property at a path.
    public class func property(_ property: String) -> ValueIndexItem { ValueIndexItem(Expression.property(property)) }

    /// Returns a column for the value of an expression.
    public class func expression(_ expression: any ExpressionProtocol) -> ValueIndexItem { ValueIndexItem(expression) }
}

/// The definition of an index by SQL++ expressions.
public protocol IndexConfiguration {}

/// An index of the values of SQL++ expressions, which queries use for conditions and for `ORDER BY`.
public struct ValueIndexConfiguration: IndexConfiguration, DefinesIndex, Sendable {
    /// SQL++ expressions, one for each column; usually property paths.
    public let expressions: [String]
    /// An SQL++ condition; the index contains only the documents that satisfy it. `nil`, the default, means all documents.
    public let `where`: String?

    /// Creates the configuration of a value index from the values of the properties.
    public init(_ expressions: [String], where: String? = nil) {
        self.expressions = expressions
        self.where = `where`
    }
    func definition(named name: String) -> IndexDefinition {
        IndexDefinition(name: name, text: expressions.joined(separator: ","), condition: `where`)
    }
}
