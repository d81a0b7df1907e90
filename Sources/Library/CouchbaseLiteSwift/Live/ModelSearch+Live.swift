extension ModelSearch where Model: Sendable {
    /// Returns the hits as an asynchronous sequence of arrays that stays live: the current hits, and all of them again after each change.
    ///
    /// A change of any document that contains one of the words changes the ranks of all hits, so that they are decoded again.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded; see ``ModelQuery/live(onDecodingError:)``. Default: it is left out,
    ///   with a warning in the log.
    public func live(onDecodingError policy: DecodingErrorPolicy = .skip) -> LiveModels<SearchHit<Model>> {
        LiveModels { try LiveSource(query, decode: { row in try throwingPublicErrors { try liveHit(row, policy) } }) }
    }

    private func liveHit(_ row: Result, _ policy: DecodingErrorPolicy) throws -> SearchHit<Model>? {
        // The text may have changed after the query was run. Then another run follows.
        let text = try row.database.flatMap { database in try database.withFile { file in try snippet(of: row, on: file) } }
        return try hit(row, text, policy.handle)
    }
}
