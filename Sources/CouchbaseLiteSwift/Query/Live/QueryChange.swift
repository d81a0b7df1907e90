/// The new results of a query, as passed to its change listeners.
public struct QueryChange: Sendable {
    /// The query.
    public let query: Query
    /// All current rows, in a ``ResultSet`` that only this listener receives; `nil` if there is an error.
    public let results: ResultSet?
    /// The error because of which the query could not be run; `nil` if it was run.
    public let error: (any Error)?
}
