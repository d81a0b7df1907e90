import DocumentStore
import QueryLanguage

/// A query that is compiled so that it reads from indexes only what it would compute itself (Storage format 5.10).
///
/// The keys of indexes are those of Couchbase Lite. For some values they differ from what a query computes. An index that contains such a key
/// is not used: the query reads the properties in it in another way, so that SQLite does not recognize them.
struct ExactQuery: Sendable {
    var compiled: CompiledQuery
    /// The indexes that the query must not use because they are not current.
    let outdatedIndexes: OutdatedIndexes
    /// The indexes that the query must not use because their keys are not the values that it computes.
    let inexactIndexes: InexactIndexes
    /// What must hold in the snapshot of a run.
    let checks: [IndexKeyCheck]

    /// Compiles a query for the snapshot of a connection.
    ///
    /// - Parameter compile: Compiles it with a resolver, which it changes if the query must not use indexes that are not current.
    init(_ resolver: StoreResolver, _ context: ConnectionContext, compile: (inout StoreResolver) throws -> CompiledQuery) throws {
        var resolver = resolver
        while true {
            let compiled = try compile(&resolver)
            let checks = try IndexKeyCheck.all(for: compiled, on: context.connection)
            var isExact = true
            for check in checks where try !check.isExact(on: context) {
                if resolver.inexactIndexes.insert(check) { isExact = false }
            }
            if isExact {
                self.compiled = compiled
                self.checks = checks.filter { !resolver.inexactIndexes.contains($0) }
                outdatedIndexes = resolver.outdatedIndexes
                inexactIndexes = resolver.inexactIndexes
                return
            }
        }
    }

    /// Returns whether the query can be run in the snapshot of a connection.
    func holds(on context: ConnectionContext) throws -> Bool { try checks.allSatisfy { try $0.isExact(on: context) } }
}

extension InexactIndexes {
    /// Adds what a check has found to differ; returns `false` if it was added before.
    fileprivate mutating func insert(_ check: IndexKeyCheck) -> Bool {
        guard let statement = check.statementOnDocuments else { return insert(arrayTable: check.table) }
        return insert(statement, onTable: check.table)
    }

    fileprivate func contains(_ check: IndexKeyCheck) -> Bool {
        guard let statement = check.statementOnDocuments else { return contains(arrayTable: check.table) }
        return contains(statement, onTable: check.table)
    }
}

extension IndexKeyCheck {
    /// The statement that has created the index; `nil` for one on an array table, where the whole table is not used.
    fileprivate var statementOnDocuments: String? {
        if case .index(_, let statement, _, let onElements) = subject, !onElements { statement } else { nil }
    }
}
