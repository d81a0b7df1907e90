import DatabaseRuntime

/// What texts are embedded for. Some models embed questions otherwise than the passages that answer them.
public enum EmbeddingPurpose: Hashable, Sendable {
    /// Texts that are stored, and found later.
    case document
    /// Texts that are searched for.
    case query
}

/// Something that makes vectors of texts: a table of word vectors, a model in this process or in another one, a remote service.
///
/// ```swift
/// struct RemoteEmbedder: Embedder {
///     let dimensions = 384
///
///     func embed(_ texts: [String], for purpose: EmbeddingPurpose) async throws -> [[Float]?] {
///         try await service.post(texts.map { purpose == .query ? "query: \($0)" : "passage: \($0)" })
///     }
/// }
/// ```
///
/// <doc:Retrieval> has an example of each kind. The same embedder has to make the vectors of the documents and those of the searches.
public protocol Embedder: Sendable {
    /// The number of components of all vectors: the `dimensions` of the index they are for.
    var dimensions: Int { get }

    /// Returns the vectors of texts.
    ///
    /// The library calls it with batches, from any thread, and does not wait for a call before it begins the next of another index.
    ///
    /// - Parameters:
    ///   - texts: The texts: at least one.
    ///   - purpose: What they are embedded for.
    /// - Returns: One vector for each text, in their order; `nil` for a text that has none, and is not to be found.
    /// - Throws: Any error; the update or the search ends with it, and what earlier batches have stored stays.
    func embed(_ texts: [String], for purpose: EmbeddingPurpose) async throws -> [[Float]?]
}

extension Embedder {
    /// Returns the vector of one text that is searched for.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the embedder has no vector for the text, or does not return one vector for one text; the errors
    ///   of the embedder.
    public func vector(forQuery text: String) async throws -> [Float] {
        let vectors = try await embed([text], for: .query)
        guard vectors.count == 1 else {
            throw publicError(LibraryError(CBLError.invalidParameter, "The embedder returned \(vectors.count) vectors for 1 text"))
        }
        guard let vector = vectors[0] else {
            throw publicError(LibraryError(CBLError.invalidParameter, "The embedder has no vector for the text that is searched for"))
        }
        return vector
    }
}
