import QueryEngine

/// An index, made by ``IndexBuilder``.
public protocol Index {}

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
}

/// An index of values.
public final class ValueIndex: Index {
    let items: [ValueIndexItem]

    init(_ items: [ValueIndexItem]) {
        self.items = items
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
public struct ValueIndexConfiguration: IndexConfiguration, Sendable {
    /// SQL++ expressions, one for each column; mostly property paths.
    public let expressions: [String]
    /// An SQL++ condition; documents that do not satisfy it are left out of the index.
    public let `where`: String?

    /// An index of `expressions`, of the documents that satisfy `where`.
    public init(_ expressions: [String], where: String? = nil) {
        self.expressions = expressions
        self.where = `where`
    }
}
