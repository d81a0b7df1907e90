import Foundation
import QueryLanguage

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        .chain(.and, try translator.translate(lhs), try translator.translate(rhs))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        .chain(.or, try translator.translate(lhs), try translator.translate(rhs))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        .not(try translator.translate(wrapped))
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let branch = ConditionalBranch(when: try translator.translate(test), then: try translator.translate(trueBranch))
        return .conditional(subject: nil, branches: [branch], otherwise: try translator.translate(falseBranch))
    }
}

// MARK: - Comparisons

extension PredicateExpressions.Equal: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try translator.equality(lhs, rhs)
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let equality = try translator.equality(lhs, rhs)
        return switch equality {
        case .operation(.equal, let operands): .operation(.notEqual, operands)
        case .operation(.not, let operands): operands[0]
        default: .not(equality)
        }
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let operands = [try translator.translate(lhs), try translator.translate(rhs)]
        return switch op {
        case .lessThan: .operation(.less, operands)
        case .lessThanOrEqual: .operation(.lessOrEqual, operands)
        case .greaterThan: .operation(.greater, operands)
        case .greaterThanOrEqual: .operation(.greaterOrEqual, operands)
        @unknown default: throw .unsupportedPredicate("the comparison \(op) is not supported")
        }
    }
}

// MARK: - Ranges

/// An expression for a range whose `contains` is called.
private protocol BoundedExpression {
    func bounds(by translator: inout PredicateTranslator) throws(QueryError) -> RangeBounds
}

private struct RangeBounds {
    var lower: QueryExpression?
    var upper: QueryExpression?
    var includesUpper: Bool
}

extension PredicateExpressions.Range: BoundedExpression {
    fileprivate func bounds(by translator: inout PredicateTranslator) throws(QueryError) -> RangeBounds {
        RangeBounds(lower: try translator.translate(lower), upper: try translator.translate(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: BoundedExpression {
    fileprivate func bounds(by translator: inout PredicateTranslator) throws(QueryError) -> RangeBounds {
        RangeBounds(lower: try translator.translate(lower), upper: try translator.translate(upper), includesUpper: true)
    }
}

/// A range that is a constant value.
private protocol RangeValue {
    typealias RangeLimits = (lower: Any?, upper: Any?, includesUpper: Bool)

    var limits: RangeLimits { get }
}

extension Range: RangeValue { fileprivate var limits: RangeLimits { (lowerBound, upperBound, false) } }
extension ClosedRange: RangeValue { fileprivate var limits: RangeLimits { (lowerBound, upperBound, true) } }
extension PartialRangeFrom: RangeValue { fileprivate var limits: RangeLimits { (lowerBound, nil, true) } }
extension PartialRangeThrough: RangeValue { fileprivate var limits: RangeLimits { (nil, upperBound, true) } }
extension PartialRangeUpTo: RangeValue { fileprivate var limits: RangeLimits { (nil, upperBound, false) } }

extension PredicateExpressions.Value: BoundedExpression {
    fileprivate func bounds(by translator: inout PredicateTranslator) throws(QueryError) -> RangeBounds {
        guard let limits = (value as? any RangeValue)?.limits else { throw .unsupportedPredicate("\(Output.self) is not a range") }
        var bounds = RangeBounds(includesUpper: limits.includesUpper)
        if let lower = limits.lower { bounds.lower = try PredicateConstant.tree(of: lower, translator.types) }
        if let upper = limits.upper { bounds.upper = try PredicateConstant.tree(of: upper, translator.types) }
        return bounds
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        guard let range = range as? any BoundedExpression else {
            throw .unsupportedPredicate("\(RangeExpression.Output.self) must be a constant, or written with its bounds")
        }
        let bounds = try range.bounds(by: &translator)
        let element = try translator.translate(element)
        if let lower = bounds.lower, let upper = bounds.upper, bounds.includesUpper {
            return .operation(.between, [element, lower, upper])
        }
        var conditions: [QueryExpression] = []
        if let lower = bounds.lower { conditions.append(.operation(.greaterOrEqual, [element, lower])) }
        if let upper = bounds.upper { conditions.append(.operation(bounds.includesUpper ? .lessOrEqual : .less, [element, upper])) }
        return conditions.count == 1 ? conditions[0] : .operation(.and, conditions)
    }
}
