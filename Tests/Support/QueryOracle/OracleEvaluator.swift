import QueryLanguage

/// Evaluates expressions naively: directly from the specification, over plain values, without code of the engine except its
/// syntax tree.
struct OracleEvaluator {
    /// The aliases of the sources of the query, in order.
    var aliases: [String]
    var items: [SelectItem]
    var parameters: [String: OracleValue]
    var database: OracleDatabase

    /// The evaluators of the queries around this one, each with its current row, from the outermost on.
    var enclosing: [OracleEvaluator] = []

    var row: OracleRow = []
    /// The rows of the group; `nil` where aggregates are not allowed.
    var group: [OracleRow]?
    var variables: [String: OracleValue] = [:]
    var collation = OracleCollation.binary
    /// The collation whose options a COLLATE inherits.
    var outerCollation = OracleCollation.binary
    /// Whether names may refer to titles of result columns.
    var seesTitles = false
    /// Whether the expression belongs to WHERE, which is evaluated before there are columns.
    var isInCondition = false

    func value(_ expression: QueryExpression) throws -> OracleValue {
        // NOT before the left operand of some tests negates the whole test (Query 2.3).
        if let negated = expression.asNegatedTest { return try value(.not(negated)) }
        switch expression {
        case .missing: return .missing
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .integer(number)
        case .double(let number): return .double(number)
        case .string(let text): return .string(text)
        case .array(let elements): return .array(try elements.map(value).filter { !$0.isMissing })
        case .dictionary(let entries):
            var result: [String: OracleValue] = [:]
            for entry in entries {
                let value = try value(entry.value)
                if !value.isMissing { result[entry.key] = value }
            }
            return .dictionary(result)
        case .parameter(let name): return parameter(name)
        case .property(let path): return try property(path)
        case .variable(let name, let path): return (variables[name] ?? .missing).at(path)
        case .nested(.meta(let alias), let path): return try metadata(path, alias)
        case .nested(let base, let path): return try value(base).at(path)
        case .operation(let symbol, let operands): return try operation(symbol, operands)
        case .like(let value, let pattern, let isCaseSensitive):
            return try like(self.value(value), self.value(pattern), isCaseSensitive)
        case .exists(let operand): return try exists(operand)
        case .conditional(let subject, let branches, let otherwise):
            return try conditional(subject, branches, otherwise)
        case .quantified(let quantifier, let variable, let source, let predicate):
            return try quantified(quantifier, variable, source, predicate)
        case .collate(let options, let operand):
            var inner = self
            inner.outerCollation = outerCollation.with(options)
            // Around AND, OR and NOT, it applies to none of the comparisons inside (Query 3.5).
            inner.collation = operand.isLogical ? .binary : inner.outerCollation
            return try inner.value(operand)
        case .function(let name, let arguments): return try call(name.lowercased(), arguments)
        case .blob, .meta, .distinct, .select, .match, .rank, .search: throw Unspecified("an expression outside of the oracle's reach")
        }
    }

    /// Returns the value of a parameter: MISSING if it is null or not bound; booleans and unsigned numbers become doubles (Query 5.7).
    private func parameter(_ name: String) -> OracleValue {
        switch parameters[name] ?? .missing {
        case .null: .missing
        case .boolean(let flag): .double(flag ? 1 : 0)
        case .unsigned(let number): .double(Double(number))
        case let value: value
        }
    }

    // MARK: Properties

    /// Resolves a property path (Query 1.4).
    private func property(_ path: PropertyPath) throws -> OracleValue {
        if let first = path.firstKey {
            if let index = aliases.firstIndex(of: first) { return try element(index, path.dropFirst()) }
            if seesTitles, let item = items.first(where: { $0.title == first }), !isPropertyInCondition(first, not: item) {
                var inner = self
                inner.seesTitles = false
                (inner.collation, inner.outerCollation) = (.binary, .binary)
                inner.variables = [:]
                let value = try inner.value(item.expression)
                // For a title, Couchbase Lite uses the form of result rows, in which these values are different.
                switch value {
                case .boolean, .null, .unsigned: throw Unspecified("a title whose value changes in result form")
                default: return value.at(path.dropFirst())
                }
            }
            for query in enclosing.reversed() {
                if let index = query.aliases.firstIndex(of: first) { return try query.element(index, path.dropFirst()) }
            }
        }
        return try element(0, path)
    }

    /// Returns whether the title of a column denotes a property, because it is used in WHERE: if the document has one of that name, or if the
    /// column is computed from it (Query 1.4).
    private func isPropertyInCondition(_ name: String, not item: SelectItem) -> Bool {
        guard isInCondition, row.count == 1, case .document(let document) = row[0] else { return false }
        return document.body[name] != nil
            || item.expression.contains { part in
                guard case .property(let path) = part, let first = path.firstKey else { return false }
                return (aliases.contains(first) ? path.dropFirst().firstKey : first) == name
            }
    }

    private func element(_ index: Int, _ path: PropertyPath) throws -> OracleValue {
        switch row[index] {
        case .nothing: return .missing
        case .value(let value): return value.at(path)
        case .document(let document):
            if let key = path.onlyKey, key.first == "_", let field = document.field(String(key.dropFirst())) {
                return field
            }
            // The specification does not define the value of the empty body of a deleted document.
            if document.isDeleted, path.isEmpty { throw Unspecified("the body of a deleted document") }
            return OracleValue.dictionary(document.body).at(path)
        }
    }

    private func metadata(_ path: PropertyPath, _ alias: String?) throws -> OracleValue {
        let index = alias.flatMap { aliases.firstIndex(of: $0) } ?? 0
        switch row[index] {
        case .document(let document):
            guard let field = path.onlyKey.flatMap({ document.field($0) }) else { throw Unspecified("a field of meta()") }
            return field
        default: return .missing
        }
    }

    // MARK: Conditions

    func isTrue(_ condition: QueryExpression) throws -> Bool { try value(condition).truth == true }

    private func exists(_ operand: QueryExpression) throws -> OracleValue {
        if case .select(let select) = operand {
            let query = OracleQuery(select, database: database, parameters: parameters, enclosing: enclosing + [self])
            return OracleValue(try !query.rows(areCounted: true).isEmpty)
        }
        guard case .property = operand else { throw Unspecified("EXISTS of what is no property") }
        return .boolean(try !value(operand).isMissing)
    }

    private func conditional(
        _ subject: QueryExpression?,
        _ branches: [ConditionalBranch],
        _ otherwise: QueryExpression?
    ) throws -> OracleValue {
        if subject != nil, !collation.isBinary { throw Unspecified("CASE with a subject under a collation") }
        let wanted = try subject.map(value)
        for branch in branches {
            let condition = try value(branch.condition)
            if let wanted {
                if subject?.isMetadata == true || branch.condition.isMetadata, wanted.rank != condition.rank {
                    throw Unspecified("the comparison of metadata with a value of another kind")
                }
                guard !wanted.isMissing, !condition.isMissing else { continue }
                if try OracleValue.areEqual(wanted, condition) { return try value(branch.result) }
            } else if condition.truth == true {
                return try value(branch.result)
            }
        }
        return try otherwise.map(value) ?? .null
    }

    /// Evaluates ANY, EVERY, and ANY AND EVERY (Query 3.6).
    private func quantified(
        _ quantifier: Quantifier,
        _ variable: String,
        _ source: QueryExpression,
        _ predicate: QueryExpression
    ) throws -> OracleValue {
        let collection = try value(source)
        if quantifier == .any, case .operation(.equal, let operands) = predicate, operands[0] == .variable(variable, []) {
            let mentionsVariable = operands[1].contains { if case .variable(variable, _) = $0 { true } else { false } }
            guard collation.isBinary, !mentionsVariable else { throw Unspecified("the result of a containment test") }
            // Unlike `array_contains`, it does not distinguish MISSING from a value that is not a collection.
            return collection.isMissing ? .null : try containment(of: value(operands[1]), in: collection)
        }
        let elements: [OracleValue] =
            switch collection {
            case .missing: []
            case .array(let items): items
            case .dictionary(let entries): Array(entries.values)
            default: [collection]
            }
        let truths = try elements.map { element in
            var inner = self
            inner.variables[variable] = element
            return try inner.value(predicate).truth
        }
        let every = !truths.contains(false)
        switch quantifier {
        case .any: return OracleValue(truths.contains(true))
        case .every: return OracleValue(every)
        case .anyAndEvery:
            let isNotEmpty = collection.elementCount.map { $0 > 0 }
            return OracleValue(and([isNotEmpty, every]))
        }
    }

    func containment(of sought: OracleValue, in collection: OracleValue) throws -> OracleValue {
        let items: [OracleValue]
        switch collection {
        case .missing: return .missing
        case .array(let array): items = array
        case .dictionary(let entries): items = Array(entries.values)
        default: return .null
        }
        if sought.isMissing { return .missing }
        if sought.isNull { return .null }
        return .boolean(
            try items.contains { item in
                guard sought.rank <= 2, item.rank == sought.rank else { return false }
                return try OracleValue.compare(sought, item) == 0
            }
        )
    }

    /// Computes `array_count` of an expression; `nil` for MISSING (Query 3.10).
    func arrayCount(_ source: QueryExpression, _ collection: OracleValue) throws -> Int? {
        if try source.isPropertyOfDocument(self) { return collection.elementCount }
        switch collection {
        case .array: return collection.elementCount
        case .missing: return 0
        default: throw Unspecified("the count of what is no array")
        }
    }
}

extension OracleValue {
    /// The number of non-null elements of an array, or of entries of a dictionary; `nil` for other values (Query 3.6).
    fileprivate var elementCount: Int? {
        switch self {
        case .array(let items): items.count { !$0.isNull }
        case .dictionary(let entries): entries.count
        default: nil
        }
    }
}

extension QueryExpression {
    /// Returns whether this is a property path in a document, to which functions can be applied directly.
    fileprivate func isPropertyOfDocument(_ evaluator: OracleEvaluator) throws -> Bool {
        guard case .property(let path) = self else { return false }
        // The count of metadata is not specified.
        guard path.components.allSatisfy({ if case .key(let key) = $0 { key.first != "_" } else { true } }) else {
            throw Unspecified("the count of metadata")
        }
        let isExplicit = path.firstKey.map { evaluator.aliases.contains($0) } ?? false
        if isExplicit, path.components.count == 1 { return false }
        let index = isExplicit ? evaluator.aliases.firstIndex(of: path.firstKey ?? "") ?? 0 : 0
        if !isExplicit, path.isEmpty { return false }
        if case .value = evaluator.row[index] { return false }
        return true
    }
}

extension OracleDocument {
    /// Returns a metadata field by name.
    func field(_ name: String) -> OracleValue? {
        switch name {
        case "id": .string(id)
        case "sequence": .integer(sequence)
        case "deleted": OracleValue(isDeleted)
        case "expiration": .missing
        default: nil
        }
    }
}

extension OracleValue {
    /// Returns the value at a path, MISSING if there is none.
    func at(_ path: PropertyPath) -> OracleValue {
        var value = self
        for component in path.components {
            switch (component, value) {
            case (.key(let key), .dictionary(let entries)): value = entries[key] ?? .missing
            case (.index(let index), .array(let items)):
                let place = index < 0 ? items.count + index : index
                value = items.indices.contains(place) ? items[place] : .missing
            default: return .missing
            }
        }
        return value
    }
}

extension QueryExpression {
    fileprivate var isLogical: Bool {
        switch self {
        case .operation(.and, _), .operation(.or, _), .operation(.not, _): true
        default: false
        }
    }
}

extension OracleCollation {
    /// Returns the collation with the specified options replaced.
    func with(_ options: CollationOptions) -> OracleCollation {
        var result = self
        if let flag = options.isUnicode { result.isUnicode = flag }
        if let flag = options.isCaseSensitive { result.isCaseSensitive = flag }
        if let flag = options.isDiacriticSensitive { result.isDiacriticSensitive = flag }
        return result
    }
}
