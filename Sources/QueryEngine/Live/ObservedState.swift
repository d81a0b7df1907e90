import DocumentStore
import SQLiteEngine

/// What the result of a query depends on apart from its parameters: as long as it is the same, so are the rows.
struct ObservedState: Equatable, Sendable {
    /// The counts of the stores that the query reads.
    let counts: [StoreCounts]
    /// Changes when tables or indexes come or go.
    let schemaVersion: Int64

    init(of query: CompiledQuery, on connection: Connection) throws {
        counts = try query.sources.map { try StoreCounts(of: $0.storeName, on: connection) }
        schemaVersion = try connection.scalar("PRAGMA schema_version") ?? 0
    }

    /// Whether documents have left the tables with live documents, which is told even where the rows are the same.
    func hasSamePurges(as other: ObservedState) -> Bool {
        counts.map(\.purgeCount) == other.counts.map(\.purgeCount)
    }
}

extension PreparedQuery {
    /// The names of the stores that the query reads.
    var storeNames: [String] { compiled.sources.map(\.storeName) }

    /// Runs the query unless what it reads is as it was, in one view of the database.
    ///
    /// - Parameter known: The state at the last run; nil to run it whatever the state.
    /// - Returns: The state now, and the rows if it was run.
    /// - Throws: As ``run(on:parameters:cancellation:)``.
    func run(
        on file: DatabaseFile,
        parameters: QueryParameters,
        unlessStillIn known: ObservedState?,
        cancellation: QueryCancellation
    ) throws -> (state: ObservedState, rows: RecordedRows?) {
        try file.read { context in
            try context.inOneView {
                let state = try ObservedState(of: compiled, on: context.connection)
                if state == known { return (state, nil) }
                return (state, try rows(on: file, context, parameters: parameters, cancellation: cancellation))
            }
        }
    }
}
