import Foundation
import QueryLanguage

/// An expression that may be a string in one of its forms.
protocol TextFormExpression {
    func form(_ types: ModelTypes) -> TextForm?
}

extension PredicateExpressions.KeyPath: TextFormExpression {
    func form(_ types: ModelTypes) -> TextForm? { Root.Output.self == String.self ? types.textForm(keyPath) : nil }
}

extension QueryExpression {
    /// This string in lower case.
    var lowercased: QueryExpression { .function(name: "LOWER", arguments: [self]) }
}

extension CollationOptions {
    /// How `localizedStandardContains(_:)` compares strings.
    static let localizedSearch = CollationOptions(isUnicode: true, isCaseSensitive: false, isDiacriticSensitive: false)
}

#if canImport(Darwin)
// Elsewhere, the library composes these expressions of others.

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        .contains([try translator.translate(root), try translator.translate(other)], .localizedSearch)
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let operands = [try translator.translate(root).lowercased, try translator.translate(other).lowercased]
        let branches = [(QueryOperator.less, ComparisonResult.orderedAscending), (.equal, .orderedSame)].map { symbol, result in
            ConditionalBranch(when: .operation(symbol, operands), then: .integer(Int64(result.rawValue)))
        }
        return .conditional(subject: nil, branches: branches, otherwise: .integer(Int64(ComparisonResult.orderedDescending.rawValue)))
    }
}
#endif
