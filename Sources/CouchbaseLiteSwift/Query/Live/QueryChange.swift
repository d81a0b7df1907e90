/// A query has other results than before.
public struct QueryChange: Sendable {
    /// The query.
    public let query: Query
    /// All rows as they are now, for this listener alone; nil when there is an error.
    public let results: ResultSet?
    /// Why the query could not be run.
    public let error: (any Error)?
}
