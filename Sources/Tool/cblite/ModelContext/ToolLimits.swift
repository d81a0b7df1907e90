/// What a call of a tool may take.
struct ToolLimits: Sendable {
    /// The most rows of a result.
    let rows: Int
    /// The most time of a query or statement, in seconds.
    let seconds: Double
    /// The most bytes of the rows or documents of a result.
    let bytes = 256 << 10
}
