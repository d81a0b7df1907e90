import CouchbaseLiteSwift
import QueryLanguage

/// Expresses expressions with the query builder.
struct BuilderExpressions {
    /// The names of the data sources.
    private let names: Set<String>
    /// The collation around the expression.
    private var outer = CollationOptions()

    init(sources: [Source]) {
        names = Set(
            sources.flatMap { source -> [String] in
                guard case .collection(let path) = source.origin, source.alias == nil else { return [source.alias].compactMap(\.self) }
                return ["\(path)", path.name ?? "_default"]
            }
        )
    }

    func expressions(_ trees: [QueryExpression]) throws -> [any ExpressionProtocol] {
        try trees.map { try expression($0) }
    }

    func expression(_ tree: QueryExpression) throws -> any ExpressionProtocol {
        switch tree {
        case .missing: throw NotExpressible("MISSING")
        case .null: Expression.value(nil)
        case .boolean(let value): Expression.boolean(value)
        case .integer(let value): Expression.int64(value)
        case .double(let value): Expression.double(value)
        case .string(let value): Expression.string(value)
        case .array(let elements): Expression.array(try expressions(elements))
        case .dictionary(let entries):
            Expression.dictionary(Dictionary(uniqueKeysWithValues: try entries.map { ($0.key, try expression($0.value)) }))
        case .parameter(let name): Expression.parameter(name)
        case .property(let path): path.isEmpty ? Expression.all() : Expression.property(path.encoded)
        case .variable(let name, let path):
            ArrayExpression.variable(PropertyPath([.key(name)] + path.components).encoded)
        case .nested(.meta(let alias), let path): try field(path.onlyKey ?? "", of: alias)
        case .nested: throw NotExpressible("a path in the value of an expression")
        case .blob: throw NotExpressible("BLOB")
        case .meta: throw NotExpressible("meta() as a whole")
        case .operation(let operation, let operands): try self.operation(operation, operands)
        case .like(let value, let pattern, let isCaseSensitive):
            try expression(value).like(try expression(pattern), caseSensitive: isCaseSensitive)
        case .exists: throw NotExpressible("EXISTS")
        case .conditional: throw NotExpressible("CASE")
        case .quantified(let quantifier, let variable, let source, let predicate):
            quantified(quantifier, ArrayExpression.variable(variable)).in(try expression(source))
                .satisfies(try expression(predicate))
        case .collate(let options, let operand): try collated(operand, options)
        case .function(let name, let arguments): try function(name.lowercased(), arguments)
        case .select: throw NotExpressible("a nested SELECT")
        case .distinct: throw NotExpressible("DISTINCT in an aggregate function")
        case .match(let index, .string(let pattern)): FullTextFunction.match(indexName: index, query: pattern)
        case .match: throw NotExpressible("a pattern that is no text")
        case .rank(let index): FullTextFunction.rank(Expression.fullTextIndex(index))
        case .search: throw NotExpressible("a function of a search with arguments that are expressions")
        }
    }

    private func field(_ name: String, of alias: String?) throws -> any ExpressionProtocol {
        let field =
            switch name {
            case "id": Meta.id
            case "sequence": Meta.sequence
            case "deleted": Meta.isDeleted
            case "expiration": Meta.expiration
            case "revisionID": Meta.revisionID
            default: throw NotExpressible("an unknown field of meta()")
            }
        guard let alias else { return field }
        guard names.contains(alias) else { throw NotExpressible("an unknown source of meta()") }
        return field.from(alias)
    }

    private func operation(_ operation: QueryOperator, _ operands: [QueryExpression]) throws -> any ExpressionProtocol {
        if case .in = operation, case .array(let elements) = operands[1] {
            return try expression(operands[0]).in(try expressions(elements))
        }
        if case .notIn = operation, case .array(let elements) = operands[1] {
            return Expression.not(try expression(operands[0]).in(try expressions(elements)))
        }
        let built = try expressions(operands)
        let (left, others) = (built[0], built.dropFirst())
        func chain(_ combine: (any ExpressionProtocol, any ExpressionProtocol) -> any ExpressionProtocol)
            -> any ExpressionProtocol
        {
            others.reduce(left, combine)
        }
        switch operation {
        case .concatenate: throw NotExpressible("||")
        case .multiply: return chain { $0.multiply($1) }
        case .divide: return chain { $0.divide($1) }
        case .modulo: return chain { $0.modulo($1) }
        case .add: return chain { $0.add($1) }
        case .subtract:
            guard operands.count > 1 else { throw NotExpressible("the negative of an expression") }
            return chain { $0.subtract($1) }
        case .less: return chain { $0.lessThan($1) }
        case .lessOrEqual: return chain { $0.lessThanOrEqualTo($1) }
        case .greater: return chain { $0.greaterThan($1) }
        case .greaterOrEqual: return chain { $0.greaterThanOrEqualTo($1) }
        case .equal: return chain { $0.equalTo($1) }
        case .notEqual: return chain { $0.notEqualTo($1) }
        case .is: return chain { $0.is($1) }
        case .isNot: return chain { $0.isNot($1) }
        case .isValued: return left.isValued()
        case .in, .notIn: throw NotExpressible("IN an expression")
        case .between: return left.between(built[1], and: built[2])
        case .and: return chain { $0.and($1) }
        case .or: return chain { $0.or($1) }
        case .not: return Expression.not(left)
        }
    }

    private func quantified(_ quantifier: Quantifier, _ variable: any VariableExpressionProtocol) -> ArrayExpressionIn {
        switch quantifier {
        case .any: ArrayExpression.any(variable)
        case .every: ArrayExpression.every(variable)
        case .anyAndEvery: ArrayExpression.anyAndEvery(variable)
        }
    }

    private func collated(_ operand: QueryExpression, _ options: CollationOptions) throws -> any ExpressionProtocol {
        var inner = self
        inner.outer = options.inheriting(from: outer)
        let ignoresCase = !(inner.outer.isCaseSensitive ?? true)
        let collation: any CollationProtocol =
            inner.outer.isUnicode ?? false
            ? Collation.unicode().ignoreCase(ignoresCase).locale(inner.outer.locale)
                .ignoreAccents(!(inner.outer.isDiacriticSensitive ?? true))
            : Collation.ascii().ignoreCase(ignoresCase)
        return try inner.expression(operand).collate(collation)
    }

    private func function(_ name: String, _ arguments: [QueryExpression]) throws -> any ExpressionProtocol {
        let built = try expressions(arguments)
        switch built.count {
        case 0:
            switch name {
            case "count": return Function.count()
            case "e": return Function.e()
            case "pi": return Function.pi()
            default: break
            }
        case 1:
            if let function = Self.unary[name] { return function(built[0]) }
        case 2:
            if let function = Self.binary[name] { return function(built[0], built[1]) }
        default: break
        }
        guard let known = QueryFunction.named(name) else { throw NotExpressible("an unknown function") }
        throw NotExpressible(
            built.count >= known.minimumArguments && built.count <= known.maximumArguments ?? .max
                ? "a function of SQL++ alone" : "a wrong number of arguments"
        )
    }

    private static let unary: [String: @Sendable (any ExpressionProtocol) -> any ExpressionProtocol] = [
        "avg": { Function.avg($0) }, "count": { Function.count($0) }, "max": { Function.max($0) },
        "min": { Function.min($0) }, "sum": { Function.sum($0) },
        "array_length": { ArrayFunction.length($0) },
        "length": { Function.length($0) }, "lower": { Function.lower($0) }, "upper": { Function.upper($0) },
        "ltrim": { Function.ltrim($0) }, "rtrim": { Function.rtrim($0) }, "trim": { Function.trim($0) },
        "abs": { Function.abs($0) }, "acos": { Function.acos($0) }, "asin": { Function.asin($0) },
        "atan": { Function.atan($0) }, "ceil": { Function.ceil($0) }, "cos": { Function.cos($0) },
        "degrees": { Function.degrees($0) }, "exp": { Function.exp($0) }, "floor": { Function.floor($0) },
        "ln": { Function.ln($0) }, "log": { Function.log($0) }, "radians": { Function.radians($0) },
        "round": { Function.round($0) }, "sign": { Function.sign($0) }, "sin": { Function.sin($0) },
        "sqrt": { Function.sqrt($0) }, "tan": { Function.tan($0) }, "trunc": { Function.trunc($0) },
        "str_to_millis": { Function.stringToMillis($0) }, "str_to_utc": { Function.stringToUTC($0) },
        "millis_to_str": { Function.millisToString($0) }, "millis_to_utc": { Function.millisToUTC($0) },
    ]

    private static let binary: [String: @Sendable (any ExpressionProtocol, any ExpressionProtocol) -> any ExpressionProtocol] = [
        "contains": { Function.contains($0, substring: $1) },
        "regexp_like": { $0.regex($1) }, "regexp_contains": { $0.regex($1) },
        "array_contains": { ArrayFunction.contains($0, value: $1) },
        "atan2": { Function.atan2(y: $0, x: $1) }, "power": { Function.power(base: $0, exponent: $1) },
        "round": { Function.round($0, digits: $1) }, "trunc": { Function.trunc($0, digits: $1) },
    ]
}
