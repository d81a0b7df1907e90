#if !canImport(Darwin)
public import Foundation

// Comparisons of strings without case that `#Predicate` accepts on Apple's systems, and Foundation lacks elsewhere.

extension String {
    /// The string as `localizedStandardContains(_:)` compares it.
    var searched: String { folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: .current) }
}

// They are disfavored, so that those of a later Foundation are taken instead. They consist of Foundation's own expressions, because Foundation
// cannot print or archive other ones.
extension PredicateExpressions {
    /// A string in another form.
    public typealias StringForm<Text: PredicateExpression> = PredicateExpressions.KeyPath<Text, String> where Text.Output == String

    /// What `localizedStandardContains(_:)` in `#Predicate` expands to on systems whose Foundation lacks it: whether a string contains another
    /// one, without regard to case and accents.
    @_disfavoredOverload
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root,
        _ other: Other
    ) -> CollectionContainsCollection<StringForm<Root>, StringForm<Other>>
    where Root: PredicateExpression, Other: PredicateExpression, Root.Output == String, Other.Output == String {
        build_contains(build_KeyPath(root: root, keyPath: \.searched), build_KeyPath(root: other, keyPath: \.searched))
    }

    /// What `caseInsensitiveCompare(_:)` in `#Predicate` expands to on systems whose Foundation lacks it: the order of two strings in lower
    /// case.
    @_disfavoredOverload
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root,
        _ other: Other
    ) -> Conditional<
        Comparison<StringForm<Root>, StringForm<Other>>, Value<ComparisonResult>,
        Conditional<Equal<StringForm<Root>, StringForm<Other>>, Value<ComparisonResult>, Value<ComparisonResult>>
    >
    where Root: PredicateExpression, Other: PredicateExpression, Root.Output == String, Other.Output == String {
        let (left, right) = (build_KeyPath(root: root, keyPath: \.ignoringCase), build_KeyPath(root: other, keyPath: \.ignoringCase))
        let (ascending, same, descending) = (
            ComparisonResult.orderedAscending, ComparisonResult.orderedSame, ComparisonResult.orderedDescending
        )
        return build_Conditional(
            build_Comparison(lhs: left, rhs: right, op: .lessThan),
            build_Arg(ascending),
            build_Conditional(build_Equal(lhs: left, rhs: right), build_Arg(same), build_Arg(descending))
        )
    }
}
#endif
