import QueryLanguage

/// A column of the results of a query.
public protocol SelectResultProtocol {}

/// A column whose title can be set.
public protocol SelectResultAs: SelectResultProtocol {
    /// Returns the column with that title; `nil` selects the default title.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}

/// A column with all properties of a document, for which the data source can be set.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Returns the column for the data source with that alias; `nil` means no alias.
    func from(_ alias: String?) -> any SelectResultProtocol
}

/// Creates columns.
public final class SelectResult {
    private init() {}

    /// Returns a column with the property at a path. The default title is the last part of the path.
    public static func property(_ property: String) -> any SelectResultAs { expression(Expression.property(property)) }

    /// Returns a column with the value of an expression. The default title of a property is the last part of its path, that of a metadata
    /// field its name, and that of anything else `$1`, `$2` and so on.
    public static func expression(_ expression: any ExpressionProtocol) -> any SelectResultAs {
        BuiltSelectResult { () throws(QueryError) in SelectItem(try expression.queryExpression()) }
    }

    /// Returns a column with all properties of the document, as one dictionary. The title is the name of the data source.
    public static func all() -> any SelectResultFrom { BuiltSelectResult(SelectItem(.property([]))) }
}

private final class BuiltSelectResult: BuiltPart<SelectItem>, SelectResultAs, SelectResultFrom {
    func `as`(_ alias: String?) -> any SelectResultProtocol { BuiltSelectResult(tree.setting(\.title, alias)) }

    func from(_ alias: String?) -> any SelectResultProtocol {
        BuiltSelectResult(SelectItem(QueryExpression.property([]).qualified(by: alias)))
    }
}
