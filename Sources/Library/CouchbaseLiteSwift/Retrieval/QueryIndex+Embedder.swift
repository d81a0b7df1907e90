import DatabaseRuntime

extension QueryIndex {
    /// Computes the vectors of all documents that need one with an embedder, for a lazy vector index whose expression is a text.
    ///
    /// Other tasks may change documents meanwhile. What was computed remains if the function throws. A document whose value is no text has no
    /// vector, and is offered again only when it changes.
    ///
    /// - Parameters:
    ///   - embedder: What computes the vectors. It receives the texts of a batch at once.
    ///   - batch: How many documents are read, embedded and written at once. Default: 64.
    ///   - limit: The maximum number of documents. Default: `nil`, all.
    /// - Returns: The number of vectors that were set.
    /// - Throws: ``CBLError/invalidParameter`` if the embedder does not return one vector for each text, or one with another number of
    ///   components than the index has, or if `batch` or `limit` is less than 1; the errors of ``beginUpdate(limit:)`` and
    ///   ``IndexUpdater/finish()``; those of the embedder; `CancellationError` if the task is cancelled.
    @discardableResult
    public nonisolated(nonsending) func update(with embedder: any Embedder, batch: Int = 64, limit: Int? = nil) async throws -> Int {
        try await updateInBatches(of: batch, limit: limit) { updater in
            try Task.checkCancellation()
            let values = (0..<updater.count).map { updater.value(at: $0) as? String }
            let texts = values.compactMap(\.self)
            let vectors = texts.isEmpty ? [] : try await embedder.embed(texts, for: .document)
            guard vectors.count == texts.count else {
                throw publicError(
                    LibraryError(CBLError.invalidParameter, "The embedder returned \(vectors.count) vectors for \(texts.count) texts")
                )
            }
            var remaining = vectors[...]
            for (index, value) in values.enumerated() {
                try updater.setVector(value == nil ? nil : remaining.removeFirst(), at: index)
            }
        }
    }
}
