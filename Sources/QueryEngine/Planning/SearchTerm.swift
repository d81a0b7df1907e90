import ExactStrings

/// A part of a condition that an index could serve: an expression of one source, compared with something that does not depend on
/// that source.
struct SearchTerm {
    /// The position of the source.
    let source: Int
    /// The expression as an index would have it: relative to the document, or to the element.
    let expression: QueryExpression
    /// Whether it is compared with single values, not with ranges of them.
    let isEquality: Bool

    /// The terms in one condition of those that AND connects.
    static func terms(in condition: QueryExpression, of select: Select, _ scope: SourceScope) -> [SearchTerm] {
        switch condition {
        case .collate(let options, let operand):
            // Options apply to everything inside; the index needs the same.
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
        of select: Select,
        _ scope: SourceScope
    ) -> [SearchTerm] {
        guard symbol.operandCount.contains(operands.count) else { return [] }
        func made(_ position: Int, against others: [QueryExpression], _ isEquality: Bool) -> SearchTerm? {
            term(operands[position], against: others, isEquality: isEquality, of: select, scope)
        }
        switch symbol {
        case .equal, .is:
            return [made(0, against: [operands[1]], true), made(1, against: [operands[0]], true)].compactMap(\.self)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return [made(0, against: [operands[1]], false), made(1, against: [operands[0]], false)].compactMap(\.self)
        case .between:
            return [made(0, against: Array(operands.dropFirst()), false)].compactMap(\.self)
        case .in:
            guard case .array(let elements) = operands[1] else { return [] }
            return [made(0, against: elements, true)].compactMap(\.self)
        case .or:
            // Each side may be searched by itself.
            let sides = operands.map { terms(in: $0, of: select, scope) }
            return sides.allSatisfy { !$0.isEmpty } ? sides.flatMap(\.self).map(\.asRange) : []
        default:
            return []
        }
    }

    /// Of several sides of OR none holds for all rows, so they do not go into one index.
    private var asRange: SearchTerm { SearchTerm(source: source, expression: expression, isEquality: false) }

    private static func term(
        _ expression: QueryExpression,
        against others: [QueryExpression],
        isEquality: Bool,
        of select: Select,
        _ scope: SourceScope
    ) -> SearchTerm? {
        guard let own = own(expression, of: select, scope) else { return nil }
        let isIndependent = others.allSatisfy { other in
            guard let sources = scope.sources(of: other) else { return false }
            return !sources.contains(own.source)
        }
        guard isIndependent else { return nil }
        return SearchTerm(source: own.source, expression: own.expression, isEquality: isEquality)
    }

    /// An expression of one source alone, relative to it; nil when it is of none, of several, or no index can have it.
    static func own(_ written: QueryExpression, of select: Select, _ scope: SourceScope) -> (source: Int, expression: QueryExpression)? {
        var expression = written
        if case .property(let path) = written, scope.explicitSource(of: path) == nil, let title = path.onlyKey,
            let item = select.items.first(where: { title.isExactly($0.title) })
        {
            expression = item.expression
        }
        guard let sources = scope.sources(of: expression), sources.count == 1, let source = sources.first,
            let relative = scope.relative(expression)
        else { return nil }
        // The whole document is no value to look for; the whole element is.
        if relative == .property([]), scope.sources[source].table != nil { return nil }
        return (source, relative)
    }
}

extension SourceScope {
    /// The positions of the sources whose properties an expression has; nil when it has anything that an index cannot have, but
    /// for parameters.
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
            case .select, .match, .rank, .blob: return true
            case .function(let name, _): return QueryFunction.named(name)?.isAggregate ?? true
            default: return false
            }
        }
        return isUsable ? found : nil
    }

    /// The expression without aliases; nil for fields of metadata, which have indexes already, and parameters.
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
