import QueryEngine

/// A column of a query's results.
public protocol SelectResultProtocol {}

/// A column that can be given a title.
public protocol SelectResultAs: SelectResultProtocol {
    /// The column under that title.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}

/// A column with all properties of a document, of which data source can be said.
public protocol SelectResultFrom: SelectResultProtocol {
    /// The documents of the data source with that alias.
    func from(_ alias: String?) -> any SelectResultProtocol
}

/// Makes columns.
public final class SelectResult {
    private init() {}

    /// The property at a path. The title is the last part of the path.
    public static func property(_ property: String) -> any SelectResultAs {
        BuiltSelectResult(Expression.property(property))
    }

    /// Any expression. Unless it is a property or a field of metadata, the title is `$1`, `$2` and so on.
    public static func expression(_ expression: any ExpressionProtocol) -> any SelectResultAs {
        BuiltSelectResult(expression)
    }

    /// All properties, as one dictionary. The title is the name of the data source.
    public static func all() -> any SelectResultFrom {
        BuiltSelectResult(Expression.all())
    }
}

/// A column that the library made.
final class BuiltSelectResult: SelectResultAs, SelectResultFrom {
    private let expression: any ExpressionProtocol
    private let title: String?

    init(_ expression: any ExpressionProtocol, title: String? = nil) {
        self.expression = expression
        self.title = title
    }

    func `as`(_ alias: String?) -> any SelectResultProtocol {
        BuiltSelectResult(expression, title: alias)
    }

    func from(_ alias: String?) -> any SelectResultProtocol {
        BuiltSelectResult(Expression.all().from(alias), title: title)
    }

    func item() throws(QueryError) -> SelectItem {
        SelectItem(try expression.queryExpression(), title: title)
    }
}
