import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The database state that determines the rows of a query with given parameters: while it is equal, the rows are equal, unless the query
/// reads expiration times.
struct ObservedState: Equatable, Sendable {
    /// The change counts of the stores that the query reads.
    let counts: [StoreCounts]
    /// SQLite's schema version, which changes when tables or indexes are created or dropped.
    let schemaVersion: Int64

    init(of query: CompiledQuery, on context: ConnectionContext) throws {
        counts = try query.sources.map { try StoreCounts(of: $0.storeName, on: context.connection) }
        schemaVersion = try context.schemaVersion
    }

    /// Returns whether the purge counts are equal, that is, no document has been removed from a table of live documents. Such a removal is
    /// notified even if the rows are equal.
    func hasSamePurges(as other: ObservedState) -> Bool { counts.map(\.purgeCount) == other.counts.map(\.purgeCount) }
}

extension PreparedQuery {
    /// The names for which an observer of the query registers: of the stores that the query reads and, if it reads expiration times, of
    /// these.
    var observedNames: [String] {
        let stores = compiled.sources.map(\.storeName)
        return compiled.readsExpirations ? stores + stores.map(ChangedStore.expirations) : stores
    }

    /// Runs the query on one snapshot of the database, unless the observed state is unchanged and the query reads no expiration times.
    ///
    /// - Parameter known: The state at the last run; `nil` to run the query in any case.
    /// - Returns: The current state, and the rows; the rows are `nil` if the query was not run.
    /// - Throws: The errors of ``run(on:parameters:cancellation:)``.
    func run(
        on file: DatabaseFile,
        parameters: QueryParameters,
        unlessStillIn known: ObservedState?,
        cancellation: QueryCancellation
    ) throws -> (state: ObservedState, rows: RecordedRows?) {
        try file.readWithKeys { context in
            let state = try ObservedState(of: compiled, on: context)
            if state == known, !compiled.readsExpirations { return (state, nil) }
            return (state, try rows(on: file, context, parameters: parameters, cancellation: cancellation))
        }
    }
}
