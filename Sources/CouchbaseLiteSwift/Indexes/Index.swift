import QueryEngine

/// An index, made by ``IndexBuilder``.
public protocol Index {}

/// An index or configuration of this library.
protocol DefinesIndex {
    /// The index as the engine knows it.
    ///
    /// - Throws: When an expression in it makes no sense.
    func definition(named name: String) throws -> IndexDefinition
}

/// Makes indexes of expressions.
public class IndexBuilder {
    private init() {}

    /// An index of the values of properties or expressions, which queries use for conditions and orderings.
    public static func valueIndex(items: ValueIndexItem...) -> ValueIndex {
        valueIndex(items: items)
    }

    /// An index of the values of properties or expressions, which queries use for conditions and orderings.
    public static func valueIndex(items: [ValueIndexItem]) -> ValueIndex {
        ValueIndex(items)
    }

    /// An index of the words in properties, for full-text search. The language is that of the current locale unless another is
    /// set.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex {
        fullTextIndex(items: items)
    }

    /// An index of the words in properties, for full-text search. The language is that of the current locale unless another is
    /// set.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex {
        FullTextIndex(items)
    }
}

/// An index of values.
public final class ValueIndex: Index, DefinesIndex {
    private let items: [ValueIndexItem]

    init(_ items: [ValueIndexItem]) {
        self.items = items
    }

    func definition(named name: String) throws -> IndexDefinition {
        IndexDefinition(name: name, expressions: try queryExpressions(items.map(\.expression)))
    }
}

/// What a value index has a column for.
public final class ValueIndexItem {
    let expression: any ExpressionProtocol

    private init(_ expression: any ExpressionProtocol) {
        self.expression = expression
    }

    /// The property at a path.
    public class func property(_ property: String) -> ValueIndexItem {
        ValueIndexItem(Expression.property(property))
    }

    /// An expression.
    public class func expression(_ expression: any ExpressionProtocol) -> ValueIndexItem {
        ValueIndexItem(expression)
    }
}

/// An index described by SQL++ expressions.
public protocol IndexConfiguration {}

/// An index of values.
public struct ValueIndexConfiguration: IndexConfiguration, DefinesIndex, Sendable {
    /// SQL++ expressions, one for each column; mostly property paths.
    public let expressions: [String]
    /// An SQL++ condition; documents that do not satisfy it are left out of the index.
    public let `where`: String?

    /// An index of `expressions`, of the documents that satisfy `where`.
    public init(_ expressions: [String], where: String? = nil) {
        self.expressions = expressions
        self.where = `where`
    }
    func definition(named name: String) -> IndexDefinition {
        IndexDefinition(name: name, text: expressions.joined(separator: ","), condition: `where`)
    }
}
