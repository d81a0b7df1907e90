import Base
import QueryLanguage

/// A part of a condition that an index could serve: an expression of one source, compared with values that do not depend on that source.
struct SearchTerm {
    /// The position of the source.
    let source: Int
    /// The expression in the form of an index: relative to the document or to the array element.
    let expression: QueryExpression
    /// Whether the expression is compared with single values rather than with ranges.
    let isEquality: Bool

    /// Returns the terms in a condition that is one operand of AND.
    static func terms(in condition: QueryExpression, of select: SelectStatement, _ scope: SourceScope) -> [SearchTerm] {
        switch condition {
        case .collate(let options, let operand):
            // A collation applies to everything inside, so the index needs the same collation.
            return operand.conjuncts.flatMap { terms(in: $0, of: select, scope) }.map { term in
                SearchTerm(source: term.source, expression: .collate(options, operand: term.expression), isEquality: term.isEquality)
            }
        case .operation(let symbol, let operands):
            return terms(symbol, operands, of: select, scope)
        case .like(let value, .string(let pattern), isCaseSensitive: true):
            guard let first = pattern.first, first != "%", first != "_" else { return [] }
            return [term(value, against: [], isEquality: false, of: select, scope)].compactMap(\.self)
        default:
            return []
        }
    }

    private static func terms(
        _ symbol: QueryOperator,
        _ operands: [QueryExpression],
        of select: SelectStatement,
        _ scope: SourceScope
    ) -> [SearchTerm] {
        guard symbol.operandCount.contains(operands.count) else { return [] }
        func operandTerm(_ position: Int, against others: [QueryExpression], _ isEquality: Bool) -> SearchTerm? {
            term(operands[position], against: others, isEquality: isEquality, of: select, scope)
        }
        switch symbol {
        case .equal, .is:
            return [operandTerm(0, against: [operands[1]], true), operandTerm(1, against: [operands[0]], true)].compactMap(\.self)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return [operandTerm(0, against: [operands[1]], false), operandTerm(1, against: [operands[0]], false)].compactMap(\.self)
        case .between:
            return [operandTerm(0, against: Array(operands.dropFirst()), false)].compactMap(\.self)
        case .in:
            guard case .array(let elements) = operands[1] else { return [] }
            return [operandTerm(0, against: elements, true)].compactMap(\.self)
        case .or:
            // SQLite can search each operand separately.
            let sides = operands.map { terms(in: $0, of: select, scope) }
            return sides.allSatisfy { !$0.isEmpty } ? sides.flatMap(\.self).map(\.asRange) : []
        default:
            return []
        }
    }

    /// The term as a range. The operands of OR must not be combined in one index, because none of them holds for all rows.
    private var asRange: SearchTerm { SearchTerm(source: source, expression: expression, isEquality: false) }

    private static func term(
        _ expression: QueryExpression,
        against others: [QueryExpression],
        isEquality: Bool,
        of select: SelectStatement,
        _ scope: SourceScope
    ) -> SearchTerm? {
        guard let own = self.own(expression, of: select, scope, isInCondition: true) else { return nil }
        let isIndependent = others.allSatisfy { other in
            guard let sources = scope.sources(of: other) else { return false }
            return !sources.contains(own.source)
        }
        guard isIndependent else { return nil }
        return SearchTerm(source: own.source, expression: own.expression, isEquality: isEquality)
    }

    /// Returns an expression of a single source, relative to that source; `nil` if it depends on no source or several, or cannot be
    /// indexed.
    ///
    /// - Parameter isInCondition: Whether it is a part of WHERE, where the title of a column computed from a property of that name denotes the
    ///   property (Query 1.4).
    static func own(
        _ written: QueryExpression,
        of select: SelectStatement,
        _ scope: SourceScope,
        isInCondition: Bool = false
    ) -> (source: Int, expression: QueryExpression)? {
        var expression = written
        if case .property(let path) = written, scope.explicitSource(of: path) == nil, let title = path.onlyKey,
            let item = select.items.first(where: { title.isExactly($0.title) }),
            !isInCondition || !item.expression.contains(where: { $0 == written })
        {
            expression = item.expression
        }
        guard let sources = scope.sources(of: expression), sources.count == 1, let source = sources.first,
            let relative = scope.relative(expression)
        else { return nil }
        // A whole document is not a value to search for; a whole array element is.
        if relative == .property([]), scope.sources[source].table != nil { return nil }
        return (source, relative)
    }
}

extension SourceScope {
    /// Returns the positions of the sources whose properties an expression uses; `nil` if a part of it cannot be indexed. Parameters are
    /// accepted.
    fileprivate func sources(of expression: QueryExpression) -> Set<Int>? {
        var found: Set<Int> = []
        let isUsable = !expression.contains { part in
            switch part {
            case .property(let path):
                guard let (index, _) = source(of: path) else { return true }
                found.insert(index)
                return false
            case .meta(let alias):
                guard let index = try? documentSource(forMetaOf: alias) else { return true }
                found.insert(index)
                return false
            case .select, .match, .rank, .search, .blob: return true
            case .function(let name, _): return QueryFunction.named(name)?.isAggregate ?? true
            default: return false
            }
        }
        return isUsable ? found : nil
    }

    /// Returns the expression without aliases; `nil` if it contains parameters, or metadata fields, which have indexes already.
    fileprivate func relative(_ expression: QueryExpression) -> QueryExpression? {
        guard !expression.contains(where: { $0.isParameter || $0.isMeta(in: self) }) else { return nil }
        func relative(_ part: QueryExpression) -> QueryExpression {
            if case .property(let path) = part { return .property(source(of: path)?.rest ?? path) }
            return part.mapChildren(relative)
        }
        return relative(expression)
    }
}

extension QueryExpression {
    fileprivate var isParameter: Bool {
        if case .parameter = self { true } else { false }
    }

    fileprivate func isMeta(in scope: SourceScope) -> Bool {
        switch self {
        case .meta: true
        case .property(let path): scope.source(of: path).map { MetaField(path: $0.rest) != nil } ?? false
        default: false
        }
    }
}
