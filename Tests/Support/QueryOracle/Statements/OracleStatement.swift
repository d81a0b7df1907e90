import QueryLanguage

/// Computes naively what a statement must do (Query 11).
struct OracleStatement {
    let statement: DataStatement
    let database: OracleDatabase
    let parameters: [String: OracleValue]

    /// The changes that a statement must make.
    struct Effect {
        /// The new properties of the documents that may be changed; `nil` for a document that is deleted.
        var documents: [String: [String: OracleValue]?] = [:]
        /// The properties of new documents with random IDs.
        var unnamed: [[String: OracleValue]] = []
        /// How many changes are made. Which documents a LIMIT selects is not specified.
        var count = 0
        /// Whether documents are written in an order in which one replaces another.
        var hasDuplicates = false
    }

    /// The collection that is changed, as a key of the database.
    var collection: String { statement.target.collectionKey }

    private var documents: [OracleDocument] { database.collections[collection] ?? [] }

    /// Returns the effect of the statement.
    ///
    /// - Throws: ``Refusal`` if the statement must fail and change nothing; ``Unspecified``.
    func effect() throws -> Effect {
        try checkParameters()
        if statement.returning.contains(where: \.expression.containsAggregate) { throw Refusal("an aggregate function") }
        switch statement.change {
        case .update(let assignments): return try update(assignments)
        case .delete: return try changing { _ in (nil, true) }
        case .insert(.values(let rows), let replaces):
            let rows = try rows.map { row in
                if row.mentionsProperty { throw Refusal("") }
                return (key: try row.key.map { try stored($0, evaluator(nil)) }, value: try stored(row.value, evaluator(nil)))
            }
            // All values are computed before the first change.
            for row in rows { _ = try Self.parts(of: row) }
            return try insert(rows, replaces)
        case .insert(.select(let select, let key, _), let replaces):
            let rows = try OracleQuery(select, database: database, parameters: parameters).rows()
            return try insert(rows.map { (key: key == nil ? nil : $0.columns[0], value: $0.columns[key == nil ? 0 : 1]) }, replaces)
        }
    }

    /// Returns the row of RETURNING for a document.
    func returned(for document: OracleDocument) throws -> [OracleValue] {
        let evaluator = evaluator(document)
        return try statement.returning.map { item in
            let value = try evaluator.value(item.expression)
            return item.title == nil ? item.expression.inRows(value) : value
        }
    }

    private func evaluator(_ document: OracleDocument?) -> OracleEvaluator {
        let alias = statement.target.alias ?? (statement.target.collectionName ?? "")
        var evaluator = OracleEvaluator(aliases: [alias], items: [], parameters: parameters, database: database)
        evaluator.row = [document.map { .document($0) } ?? .nothing]
        return evaluator
    }

    private func checkParameters() throws {
        var names: Set<String> = []
        statement.forEachPart { part in
            if case .parameter(let name) = part { names.insert(name) }
        }
        guard names == Set(parameters.filter { !$0.value.isMissing }.keys) else { throw Refusal("parameter") }
    }

    // MARK: UPDATE and DELETE

    /// Changes the selected documents, to the properties that `change` returns.
    ///
    /// - Parameter change: Also returns whether the statement has an effect on the document.
    private func changing(_ change: (OracleDocument) throws -> (body: [String: OracleValue]?, hasEffect: Bool)) throws -> Effect {
        let query = SelectStatement(items: [SelectItem(.meta("id"))], sources: [statement.target], condition: statement.condition)
        let window = try OracleWindow(limit: statement.limit, parameters)
        let ids = try OracleQuery(query, database: database, parameters: parameters).run().compactMap { row -> String? in
            if case .string(let id) = row.columns[0] { id } else { nil }
        }
        var effect = Effect(count: window.range(ofCount: ids.count).count)
        if effect.count == 0 { return effect }
        let isCut = effect.count < ids.count
        do {
            for document in documents where ids.contains(where: { $0.utf8.elementsEqual(document.id.utf8) }) {
                if document.isDeleted { throw Refusal("is deleted") }
                let (body, hasEffect) = try change(document)
                if hasEffect {
                    effect.documents[document.id] = .some(body)
                } else {
                    if isCut { throw Unspecified("whether LIMIT selects a document that is not changed") }
                    effect.count -= 1
                }
            }
        } catch let refusal as Refusal where isCut {
            throw Unspecified("whether LIMIT selects a document for which the statement fails: \(refusal.what)")
        }
        return effect
    }

    private func update(_ assignments: [DataStatement.Assignment]) throws -> Effect {
        for (index, assignment) in assignments.enumerated() {
            if assignments[..<index].contains(where: { Self.exclude($0.path, assignment.path) }) { throw Refusal("more than once") }
        }
        return try changing { document in
            let evaluator = evaluator(document)
            let values = try assignments.map { try $0.value.map { try stored($0, evaluator) } ?? .missing }
            var body = OracleValue.dictionary(document.body)
            var places: [PropertyPath] = []
            var hasEffect = false
            for (assignment, value) in zip(assignments, values) {
                var place: [PropertyPath.Component] = []
                body = body.changed(assignment.path.components[...], to: value, &place, &hasEffect)
                if places.contains(where: { Self.exclude($0, PropertyPath(place)) }) { throw Refusal("more than once") }
                places.append(PropertyPath(place))
            }
            guard case .dictionary(let entries) = body.withoutMissing else { return ([:], hasEffect) }
            return (try checked(entries), hasEffect)
        }
    }

    /// Returns whether two paths cannot be changed by one statement: one is the beginning of the other, or one has a name where the other
    /// has an index.
    static func exclude(_ left: PropertyPath, _ right: PropertyPath) -> Bool {
        for (a, b) in zip(left.components, right.components) where a != b {
            switch (a, b) {
            case (.key, .key), (.index, .index): return false
            default: return true
            }
        }
        return true
    }

    /// Returns a value as it is stored: literals and parameters keep their types.
    private func stored(_ expression: QueryExpression, _ evaluator: OracleEvaluator) throws -> OracleValue {
        switch expression {
        case .parameter(let name): return parameters[name] ?? .missing
        case .array(let items): return .array(try items.map { try stored($0, evaluator) }.filter { !$0.isMissing })
        case .dictionary(let entries):
            var result: [String: OracleValue] = [:]
            for entry in entries {
                let value = try stored(entry.value, evaluator)
                if !value.isMissing { result[entry.key] = value }
            }
            return .dictionary(result)
        default: return expression.inRows(try evaluator.value(expression))
        }
    }

    // MARK: INSERT and UPSERT

    private func insert(_ rows: [(key: OracleValue?, value: OracleValue)], _ replaces: Bool) throws -> Effect {
        var effect = Effect(count: rows.count)
        var existing = Set(documents.filter { !$0.isDeleted }.map(\.id))
        for row in rows {
            let (id, entries) = try Self.parts(of: row)
            if let id {
                guard id.utf8.allSatisfy({ $0 < 0x80 }) else { throw Unspecified("IDs that are compared as texts here") }
                guard Self.isValid(id) else { throw Refusal("document ID") }
            }
            let body = try checked(entries)
            guard let id else {
                effect.unnamed.append(body)
                continue
            }
            if !existing.insert(id).inserted {
                guard replaces else { throw Refusal("exists already") }
                if effect.documents[id] != nil { effect.hasDuplicates = true }
            }
            effect.documents[id] = .some(body)
        }
        return effect
    }

    private static func parts(of row: (key: OracleValue?, value: OracleValue)) throws -> (id: String?, body: [String: OracleValue]) {
        let id = try row.key.map { key in
            guard case .string(let id) = key else { throw Refusal("is not a string") }
            return id
        }
        guard case .dictionary(let entries) = row.value else { throw Refusal("is not an object") }
        return (id, entries)
    }

    private func checked(_ body: [String: OracleValue]) throws -> [String: OracleValue] {
        for key in ["_id", "_rev", "_deleted"] where body[key] != nil { throw Refusal("reserved") }
        return body
    }

    private static func isValid(_ id: String) -> Bool {
        (1...240).contains(id.utf8.count) && id.first != "_" && id.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}

extension OracleValue {
    /// Returns the value after a change at a path; a value that is removed is MISSING, and keeps its place until all changes are made.
    ///
    /// - Parameters:
    ///   - place: The path is appended, with indexes counted from the beginning.
    ///   - hasEffect: Set to `true` if the path denotes a place where a value can be, or one that exists and is removed.
    fileprivate func changed(
        _ path: ArraySlice<PropertyPath.Component>,
        to value: OracleValue,
        _ place: inout [PropertyPath.Component],
        _ hasEffect: inout Bool
    ) -> OracleValue {
        guard let first = path.first else {
            if !isMissing || !value.isMissing { hasEffect = true }
            return value
        }
        switch (first, self) {
        case (.key(let key), .dictionary(var entries)):
            place.append(first)
            entries[key] = (entries[key] ?? .missing).changed(path.dropFirst(), to: value, &place, &hasEffect)
            return .dictionary(entries)
        case (.key(let key), .missing), (.key(let key), .null):
            place.append(first)
            let inner = OracleValue.missing.changed(path.dropFirst(), to: value, &place, &hasEffect)
            // Nothing is created for a value that is removed.
            return inner.isMissing ? self : .dictionary([key: inner])
        case (.index(let index), .array(var items)):
            let position = index < 0 ? items.count + index : index
            place.append(.index(position))
            guard items.indices.contains(position) else {
                place += path.dropFirst()
                return self
            }
            items[position] = items[position].changed(path.dropFirst(), to: value, &place, &hasEffect)
            return .array(items)
        default:
            place += path
            return self
        }
    }

    /// The value without the members and items that are MISSING.
    fileprivate var withoutMissing: OracleValue {
        switch self {
        case .array(let items): .array(items.filter { !$0.isMissing }.map(\.withoutMissing))
        case .dictionary(let entries): .dictionary(entries.filter { !$0.value.isMissing }.mapValues(\.withoutMissing))
        default: self
        }
    }
}

extension Source {
    fileprivate var collectionKey: String {
        guard case .collection(let path) = origin else { return "" }
        return path.isDefaultCollection ? "_default" : path.description
    }

    fileprivate var collectionName: String? {
        if case .collection(let path) = origin { path.description } else { nil }
    }
}

extension QueryExpression {
    fileprivate var containsAggregate: Bool {
        contains {
            if case .function(let name, _) = $0 { OracleFunctions.aggregates.contains(name.lowercased()) } else { false }
        }
    }
}

extension DataStatement.Row {
    fileprivate var mentionsProperty: Bool {
        [key, value].compactMap(\.self).contains { $0.contains { if case .property = $0 { true } else { false } } }
    }
}

extension DataStatement {
    /// Calls `body` with each expression of the statement and of its nested queries, and each of their parts.
    func forEachPart(_ body: (QueryExpression) -> Void) {
        func visit(_ expression: QueryExpression) {
            _ = expression.contains { part in
                if case .select(let select) = part { select.forEachExpression { visit($0) } }
                body(part)
                return false
            }
        }
        switch change {
        case .update(let assignments): for assignment in assignments { assignment.value.map(visit) }
        case .insert(.values(let rows), _):
            for row in rows {
                row.key.map(visit)
                visit(row.value)
            }
        case .insert(.select(let select, _, _), _): visit(.select(select))
        case .delete: break
        }
        condition.map(visit)
        limit.map(visit)
        for item in returning { visit(item.expression) }
    }
}
