import QueryLanguage

extension Comparison {
    /// Runs a statement, and compares the changes, the rows of RETURNING and the errors with what the naive evaluator expects.
    ///
    /// - Parameter isUndone: Whether the documents are restored afterwards.
    static func of(
        _ generated: GeneratedStatement,
        _ written: Result<DataStatement, QueryError>,
        _ database: TestedDatabase,
        inBatch: Bool,
        isUndone: Bool = false
    ) throws -> Comparison {
        let before = database.model
        let naive = OracleStatement(statement: generated.statement, database: before, parameters: generated.parameters)
        let effect = Result { try naive.effect() }
        let statement: DataStatement
        switch written {
        case .success(let parsed): statement = parsed
        case .failure(let error): return .different("  cannot be parsed: \(error)")
        }
        let found = try database.run(statement, generated.parameters, inBatch: inBatch, isUndone: isUndone)
        let after = database.model
        defer { if isUndone { database.restore(before) } }
        let change = StatementChange(of: naive.collection, from: before, to: after)
        switch (effect, found) {
        case (_, .failure(let error)):
            guard !change.isAny, change.keepsOthers else { return .different("  failed and changed documents: \(error)") }
            return judge(error, effect, naive.statement)
        case (.failure(let refusal as Refusal), .success):
            return .different("  did not fail: \(refusal.what)")
        case (.failure, .success(let outcome)):
            return change.keepsOthers && outcome.count >= change.documents.count ? .unspecified : .different("  changed other documents")
        case (.success(let effect), .success(let outcome)):
            if effect.hasDuplicates { return .unspecified }
            let problem =
                try change.problem(effect, outcome.count, naive.statement)
                ?? returned(outcome.rows, change, generated, before: before, after: after)
            return problem.map { .different("  " + $0) } ?? .same
        }
    }

    /// What is wrong with single documents. The documents of a statement without VALUES are in no specified order.
    private static let flaws = [
        "is not a string", "is not an object", "document ID", "reserved", "exists already", "is deleted", "more than once",
    ]

    private static func judge(
        _ error: any Error,
        _ effect: Result<OracleStatement.Effect, any Error>,
        _ statement: DataStatement
    ) -> Comparison {
        // Sums and absolute values of large numbers fail.
        if "\(error)" == "integer overflow" { return .unspecified }
        switch effect {
        case .failure(let refusal as Refusal):
            let isInOrder = if case .insert(.values, _) = statement.change { true } else { false }
            let expected = !isInOrder && flaws.contains(refusal.what) ? flaws : [refusal.what]
            let isExpected = refusal.what.isEmpty || expected.contains { "\(error)".contains($0) }
            return isExpected ? .same : .different("  failed because of \(error), not \(refusal.what)")
        case .failure: return .unspecified
        case .success: return .different("  failed: \(error)")
        }
    }

    /// Compares the rows of RETURNING, in any order.
    private static func returned(
        _ rows: [[OracleValue]],
        _ change: StatementChange,
        _ generated: GeneratedStatement,
        before: OracleDatabase,
        after: OracleDatabase
    ) throws -> String? {
        let statement = generated.statement
        if statement.returning.isEmpty { return rows.isEmpty ? nil : "rows without RETURNING" }
        let isDeletion = statement.change == .delete
        let database = isDeletion ? before : after
        let evaluator = OracleStatement(statement: statement, database: database, parameters: generated.parameters)
        guard let expected = try? change.documents.map({ try evaluator.returned(for: isDeletion ? $0.before ?? $0.after : $0.after) })
        else { return nil }
        var missing = expected
        for row in rows {
            let match = missing.firstIndex { candidate in
                candidate.count == row.count && zip(row, candidate).allSatisfy { $0.matches($1, isLoose: false) }
            }
            guard let match else { return "RETURNING has the row \(row); expected \(expected)" }
            missing.remove(at: match)
        }
        return missing.isEmpty ? nil : "RETURNING does not have the rows \(missing)"
    }
}

/// The difference between two states of a database.
private struct StatementChange {
    typealias Pair = (before: OracleDocument?, after: OracleDocument)

    /// The changed documents of the collection that a statement changes.
    var documents: [Pair] = []
    /// Whether all other documents are the same as before.
    var keepsOthers = true
    private let lastSequence: Int64

    init(of collection: String, from before: OracleDatabase, to after: OracleDatabase) {
        let old = before.collections[collection] ?? []
        lastSequence = old.map(\.sequence).max() ?? 0
        let known = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
        let new = after.collections[collection] ?? []
        for document in new {
            let earlier = known[document.id]
            if let earlier, earlier.sequence == document.sequence {
                if !earlier.isSame(as: document) { keepsOthers = false }
            } else {
                documents.append((earlier, document))
            }
        }
        if !Set(known.keys).isSubset(of: Set(new.map(\.id))) { keepsOthers = false }
        for (name, old) in before.collections where name != collection {
            let new = (after.collections[name] ?? []).sorted { $0.sequence < $1.sequence }
            let old = old.sorted { $0.sequence < $1.sequence }
            if old.count != new.count || !zip(old, new).allSatisfy({ $0.isSame(as: $1) }) { keepsOthers = false }
        }
    }

    var isAny: Bool { !documents.isEmpty }

    /// Returns what is wrong with the changes; `nil` if they are as expected.
    func problem(_ effect: OracleStatement.Effect, _ count: Int, _ statement: DataStatement) -> String? {
        guard keepsOthers else { return "changed other documents" }
        guard count == effect.count else { return "reports \(count) changes in place of \(effect.count)" }
        guard documents.count == effect.count else { return "changed \(documents.count) documents in place of \(effect.count)" }
        let sequences = documents.map(\.after.sequence).sorted()
        guard sequences == (0..<count).map({ lastSequence + 1 + Int64($0) }) else { return "the new sequences are \(sequences)" }
        var unnamed = effect.unnamed
        for (_, document) in documents {
            if let expected = effect.documents[document.id] {
                guard document.hasBody(expected) else {
                    return "\(document.id) is \(document.text), expected \(expected.map { "\(OracleValue.dictionary($0))" } ?? "deleted")"
                }
            } else if let match = unnamed.firstIndex(where: { document.hasBody($0) }) {
                unnamed.remove(at: match)
            } else {
                return "changed \(document.id) to \(document.text)"
            }
        }
        return nil
    }
}

extension OracleDocument {
    /// The properties as JSON.
    fileprivate var text: String { isDeleted ? "deleted" : "\(OracleValue.dictionary(body))" }

    fileprivate func isSame(as other: OracleDocument) -> Bool {
        id == other.id && sequence == other.sequence && isDeleted == other.isDeleted && text == other.text
    }

    /// Whether the document has these properties; `nil` means that it is deleted.
    fileprivate func hasBody(_ expected: [String: OracleValue]?) -> Bool {
        guard let expected else { return isDeleted }
        return !isDeleted && OracleValue.dictionary(body).matches(.dictionary(expected), isLoose: false)
    }
}
