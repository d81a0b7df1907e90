public import Foundation
import ModelCoding

// The comparisons of strings without case that `#Predicate` accepts. Foundation on Linux lacks those of Apple's systems.

extension String {
    /// The string in lower case, for comparisons without case in `#Predicate`.
    ///
    /// ```swift
    /// let word = "soup"
    /// let soups = recipes.query(where: #Predicate { $0.title.ignoringCase.starts(with: word.ignoringCase) })
    /// ```
    ///
    /// In a query it is `LOWER(title)`, so an index on this expression speeds up a comparison.
    ///
    /// - Complexity: O(*n*) in the length of the string.
    public var ignoringCase: String { lowercased() }

    /// Returns the form of a string that a key path denotes; `nil` for any other key path.
    @Sendable
    static func form(of keyPath: AnyKeyPath) -> TextForm? {
        #if !canImport(Darwin)
        if keyPath == \String.searched { return .searched }
        #endif
        return keyPath == \String.ignoringCase ? .ignoringCase : nil
    }
}

#if !canImport(Darwin)
extension String {
    /// The string as `localizedStandardContains(_:)` compares it.
    fileprivate var searched: String { folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: .current) }
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
