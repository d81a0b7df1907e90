import Base

/// The table of a predictive index that a query reads.
package struct PredictionTableUse: Sendable, Hashable {
    /// The name of the table.
    package let table: String
    /// The store of the collection.
    package let store: String
}

/// The table with the outputs of a model, joined with the source whose documents are the inputs.
package struct StoredPrediction {
    /// The model and the input, without the prefix of the source.
    let identity: String
    /// The position of the source in the scope of the query.
    package let source: Int
    /// The name of the table.
    package let table: String
    /// The alias of the table in the statement, not quoted.
    package let alias: String
    /// The column with the outputs, in SQL.
    var column: String { SQLText.identifier(alias) + ".body" }
    /// Whether WHERE can be true only for documents with an output. Other documents without one stay in the result (Vector search PI-6).
    var isRequired = false
}

// Calls of predictive models (Vector search 8.2). While there is a table of a predictive index, queries read it and do not call the model (PI-4).

extension SelectCompiler {
    /// Compiles a call.
    mutating func prediction(_ call: ModelCall) throws -> String {
        if let path = call.path, let sql = try storedValue(of: call, at: try PropertyPath(encoded: path)) { return sql }
        if call.path == nil, let stored = try storedPrediction(of: call) { return stored.column }
        guard !isOfIndex else { return try sql(of: call) }
        if let plain = try inIndexForm({ try $0.sql(of: call) }) { return plain }
        return try with({ ($0.isTagRead, $0.isUnindexed) = (true, false) }) { try $0.sql(of: call) }
    }

    private mutating func sql(of call: ModelCall) throws -> String {
        var arguments = [SQLText.literal(call.model), try with({ $0.isModelInput = true }) { try $0.expression(call.input) }]
        if let path = call.path {
            _ = try PropertyPath(encoded: path)
            arguments.append(SQLText.literal(path))
        }
        return "\(ModelCall.functionName)(\(arguments.joined(separator: ", ")))"
    }

    /// Compiles the value at a path in the output of a model, if the table of a predictive index contains it; otherwise returns `nil`.
    func storedPrediction(_ base: QueryExpression, _ path: PropertyPath) throws -> String? {
        guard !isOfIndex, !storedPredictions.isEmpty, let call = ModelCall(base) else { return nil }
        let first = try PropertyPath(encoded: call.path ?? "")
        return try storedValue(of: call, at: PropertyPath(first.components + path.components))
    }

    /// Compiles the value at a path in the output of a model, if a value index contains it; otherwise returns `nil`. The column of a result is
    /// read from the index too, so that the model is not called (Vector search PI-1).
    func indexedPrediction(_ base: QueryExpression, _ path: PropertyPath) throws -> String? {
        guard !isOfIndex, ModelCall(base) != nil else { return nil }
        return try inIndexForm { try $0.nested(base, path, in: .none) }
    }

    private func storedValue(of call: ModelCall, at path: PropertyPath) throws -> String? {
        guard let stored = try storedPrediction(of: call) else { return nil }
        guard !path.isEmpty else { return stored.column }
        let literal = SQLText.literal(path.encoded)
        // An index of the table has lost the tags of booleans, or has other keys: such a value is read by a function that no index calls.
        let isInexact = record.resolver.isInexactlyIndexed("body, \(literal)", onTable: stored.table)
        let function = keepsTags ? "fl_tagged_nested_value" : context.isUnindexed || isInexact ? "fl_nested_value" : "fl_unnested_value"
        return "\(function)(\(stored.column), \(literal))"
    }

    private func storedPrediction(of call: ModelCall) throws -> StoredPrediction? {
        guard !isOfIndex, !storedPredictions.isEmpty, let (source, identity) = try identity(of: call) else { return nil }
        // In ON, only the tables before it can be read.
        guard context.clause != .join || source == 0 else { return nil }
        return storedPredictions.first { $0.source == source && identity.isExactly($0.identity) }
    }

    // MARK: Tables

    /// Finds the tables of predictive indexes for all calls in the query.
    mutating func resolvePredictions() throws {
        var calls: [ModelCall] = []
        select.forEachExpression { expression in
            guard case .select = expression else { return expression.collectPredictions(into: &calls) }
        }
        guard !calls.isEmpty else { return }
        for call in calls {
            guard let (source, identity) = try identity(of: call), let table = scope.sources[source].table,
                scope.sources[source].visibility == .live, !record.resolver.ignoresIndexes(ofTable: table.liveTable),
                !storedPredictions.contains(where: { $0.source == source && identity.isExactly($0.identity) }),
                let stored = try record.resolver.predictionTable(ofCall: identity, in: table)
            else { continue }
            let alias = record.addPredictionTable(stored, store: table.storeName)
            storedPredictions.append(StoredPrediction(identity: identity, source: source, table: stored, alias: alias))
        }
        try with({ $0.clause = .condition }) { compiler in
            for condition in compiler.select.condition?.conjuncts ?? [] {
                for index in try compiler.predictions(requiredBy: condition) { compiler.storedPredictions[index].isRequired = true }
            }
        }
    }

    /// Compiles the joins with the tables of predictions for the documents of a source.
    func joins(ofPredictionsFor source: Int) -> String {
        storedPredictions.filter { $0.source == source }.map { stored in
            let (alias, qualifier) = (SQLText.identifier(stored.alias), scope.sources[source].qualifier)
            return " \(stored.isRequired ? "" : "LEFT ")JOIN \(SQLText.identifier(stored.table)) AS \(alias) "
                + "ON \(alias).docid = \(qualifier)rowid"
        }.joined()
    }

    // MARK: Identity

    /// Returns the source whose documents are the input, and the identity of the call without the prefix of the source (Vector search PI-12);
    /// `nil` if the input depends on anything else.
    private func identity(of call: ModelCall) throws -> (source: Int, identity: String)? {
        var sources: Set<Int> = []
        guard let input = try unprefixed(call.input, &sources) else { return nil }
        if sources.isEmpty, scope.sources.count == 1 { sources = [0] }
        guard sources.count == 1, let source = sources.first, scope.sources[source].table != nil else { return nil }
        return (source, ModelCall(model: call.model, input: input).identity)
    }

    /// Returns an expression with the names of properties as in an index, and collects the sources that it reads; `nil` if it reads anything
    /// but documents of this query.
    private func unprefixed(_ expression: QueryExpression, _ sources: inout Set<Int>) throws -> QueryExpression? {
        switch expression {
        case .property(let path):
            return try unprefixed(path, &sources).map { .property($0) }
        case .blob(let path):
            return try unprefixed(path, &sources).map { .blob($0) }
        case .meta(let alias):
            guard !isOfEnclosingQuery(alias), let source = try? scope.documentSource(forMetaOf: alias) else { return nil }
            sources.insert(source)
            return .meta(alias: nil)
        case .variable, .parameter, .select, .match, .rank, .distinct, .exists, .quantified:
            return nil
        default:
            var isKnown = true
            let changed = try expression.mapChildren { child in
                guard let changed = try unprefixed(child, &sources) else {
                    isKnown = false
                    return child
                }
                return changed
            }
            return isKnown ? changed : nil
        }
    }

    private func unprefixed(_ path: PropertyPath, _ sources: inout Set<Int>) throws -> PropertyPath? {
        if scope.explicitSource(of: path) == nil {
            guard resultItem(named: path) == nil, try enclosingSource(of: path) == nil else { return nil }
        }
        guard let (source, rest) = scope.source(of: path) else { return nil }
        sources.insert(source)
        return rest
    }

    // MARK: Conditions

    /// Returns the positions of the stored predictions without whose output a condition is not true.
    private func predictions(requiredBy condition: QueryExpression) throws -> Set<Int> {
        switch condition {
        case .operation(.or, let operands):
            guard let first = operands.first else { return [] }
            return try operands.dropFirst().reduce(try predictions(requiredBy: first)) { found, operand in
                found.intersection(try predictions(requiredBy: operand))
            }
        case .operation(.and, let operands):
            return try operands.reduce(into: []) { $0.formUnion(try predictions(requiredBy: $1)) }
        case .operation(.equal, let operands), .operation(.notEqual, let operands), .operation(.less, let operands),
            .operation(.lessOrEqual, let operands), .operation(.greater, let operands), .operation(.greaterOrEqual, let operands):
            return try operands.reduce(into: []) { $0.formUnion(try predictions(computing: $1)) }
        case .operation(.between, let operands), .operation(.isValued, let operands):
            return try operands.first.map(predictions(computing:)) ?? []
        case .operation(.in, let operands):
            guard let value = operands.first, case .array? = operands.last else { return [] }
            return try predictions(computing: value)
        case .like(let value, _, _): return try predictions(computing: value)
        case .collate(_, let operand): return try predictions(requiredBy: operand)
        default: return []
        }
    }

    /// Returns the positions of the stored predictions without which the value of an expression is MISSING.
    private func predictions(computing value: QueryExpression) throws -> Set<Int> {
        switch value {
        case .nested(let base, _): return try predictions(computing: base)
        case .operation(.add, let operands), .operation(.subtract, let operands), .operation(.multiply, let operands),
            .operation(.divide, let operands):
            return try operands.reduce(into: []) { $0.formUnion(try predictions(computing: $1)) }
        default:
            guard let call = ModelCall(value), let (source, identity) = try identity(of: call),
                let index = storedPredictions.firstIndex(where: { $0.source == source && identity.isExactly($0.identity) })
            else { return [] }
            return [index]
        }
    }
}

extension QueryExpression {
    /// Appends the calls of models in the expression, except those in nested queries.
    fileprivate func collectPredictions(into calls: inout [ModelCall]) {
        if let call = ModelCall(self) { calls.append(call) }
        forEachChild { $0.collectPredictions(into: &calls) }
    }
}

extension ModelCall {
    fileprivate init(model: String, input: QueryExpression) { (self.model, self.input, path) = (model, input, nil) }
}
