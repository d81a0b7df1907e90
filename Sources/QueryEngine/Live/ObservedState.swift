import DocumentStore
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
        return compiled.readsExpirations ? stores + stores.map(CollectionWatch.expirations) : stores
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

/// Decides when a live query runs after a change (Query 5.9): immediately if the last run was long enough ago, otherwise after a delay, so
/// that a burst of changes needs only one run. All times are in milliseconds of a steady clock.
struct RunPacing: Sendable {
    /// The minimum time since the last run for a change to cause an immediate run.
    static let interval: Int64 = 250
    /// The delay of the run otherwise, which also covers the changes that follow in that time.
    static let delay: Int64 = 500

    private var lastRun: Int64?

    /// Returns the time of the run for a change that is noticed at `now`.
    func runTime(forChangeAt now: Int64) -> Int64 {
        guard let lastRun, now - lastRun < Self.interval else { return now }
        return now + Self.delay
    }

    /// Records the end of a run. Runs without new rows count too, because they cost as much.
    mutating func recordRun(at now: Int64) { lastRun = now }
}
