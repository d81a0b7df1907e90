import DocumentStore

/// The database that is inspected, and the calls of the API on it. Thread-safe: every call reads its own snapshot.
final class InspectedDatabase: Sendable {
    let source: InspectedSource
    let isReadOnly: Bool
    let counts = CountCache()
    let queries: RunningQueries
    let log: LogBuffer

    /// - Parameter queries: The running queries, which the databases of an inspector share.
    init(_ source: InspectedSource, log: LogBuffer, queries: RunningQueries = RunningQueries()) {
        (self.source, self.log, self.queries) = (source, log, queries)
        isReadOnly = (try? source.openFile().options.isReadOnly) ?? true
    }

    var name: String { source.name }

    var file: DatabaseFile {
        get throws { try source.openFile() }
    }

    /// Returns the collection that the parameter `collection` names, as `scope.name`.
    func collection(_ request: APIRequest) throws -> CollectionStore { try collection(named: request.required("collection")) }

    func collection(named name: String) throws -> CollectionStore {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw APIError(.badRequest, "a collection is named as scope.name") }
        guard let store = try file.collection(CollectionID(name: parts[1], scope: parts[0])) else {
            throw APIError(.notFound, "there is no collection \(name)")
        }
        return store
    }

    /// - Throws: ``APIError`` if the database is read-only.
    func checkIsWritable() throws(APIError) {
        guard !isReadOnly else { throw APIError(.forbidden, "the database is open for reading only") }
    }

    /// Performs a call. Blocks until it is done.
    func answer(_ request: APIRequest) -> APIResponse {
        do {
            return try perform(request)
        } catch {
            return APIError(error).response
        }
    }

    private func perform(_ request: APIRequest) throws -> APIResponse {
        switch (request.name, request.method) {
        case ("database", "GET"): try information(request)
        case ("collections", "GET"): try collections(request)
        case ("schema", "GET"): try schema(request)
        case ("words", "GET"): words(request)
        case ("documents", "GET"): try documents(request)
        case ("document", "GET"): try document(request)
        case ("document", "PUT"): try saveDocument(request)
        case ("document", "DELETE"): try deleteDocument(request)
        case ("revisions", "GET"): try revisions(request)
        case ("revision", "GET"): try revision(request)
        case ("blob", "GET"): try blob(request)
        case ("blob", "POST"): try uploadBlob(request)
        case ("query", "POST"): try runQuery(request)
        case ("cancel", "POST"): try cancelQuery(request)
        case ("explain", "POST"): try explain(request)
        case ("indexes", "GET"): try indexes(request)
        case ("indexes", "POST"): try createIndex(request)
        case ("indexes", "DELETE"): try deleteIndex(request)
        case ("conflicts", "GET"): try conflicts(request)
        case ("conflicts", "POST"): try resolveConflict(request)
        case ("counters", "GET"): try counters(request)
        case ("log", "GET"): try logLines(request)
        case (let name, let method) where Self.names.contains(name): throw APIError(.badMethod, "\(name) has no method \(method)")
        default: throw APIError(.notFound, "the API has no \"\(request.name)\"")
        }
    }

    private static let names: Set<String> = [
        "database", "collections", "schema", "words", "documents", "document", "revisions", "revision", "blob", "query", "cancel",
        "explain",
        "indexes", "conflicts", "counters", "log",
    ]
}
