#if Replication
import DatabaseRuntime
import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import WebServer

/// `_query`: SQL++ with parameters. For users with access to all documents only, because a query reads whole collections.
struct QueryRequests {
    let database: HubDatabase
    /// Returns what the user may do now. A query may wait for its turn, and meanwhile the rights may change.
    let access: @Sendable () throws -> HubAccess

    /// The time after which a query is cancelled.
    var timeout = Duration.seconds(30)

    /// The maximum size of a result, in bytes of JSON.
    private static let maximumSize = 32 << 20

    /// Runs `{"query":"SELECT …","parameters":{…}}`, and returns the rows as an array of objects.
    func run(_ request: WebRequest) async throws -> WebResponse {
        try checkAccess()
        let bytes = try await request.body.collect()
        let (text, parameters) = try withJSONObject(bytes) { root in
            guard let text = root.value(for: "query")?.string else { throw HubError.badRequest("query is missing") }
            return (text, try Self.parameters(root.value(for: "parameters")))
        }
        do {
            let query = QueryCore(.success(try SQLPlusPlus.parse(text)), reportsMatches: false)
            return try await database.queryTurns.run {
                try checkAccess()
                return try await response(query, parameters)
            }
        } catch let error as QueryError {
            throw HubError.badRequest(error.description)
        }
    }

    private func checkAccess() throws {
        guard try access().hasAllChannels else { throw WebError(403, "Queries require access to all documents", error: "Forbidden") }
    }

    /// Runs a query, which ends after some time, or when the task is cancelled because the client has gone.
    private func response(_ query: QueryCore, _ parameters: QueryParameters) async throws -> WebResponse {
        let cancellation = QueryCancellation()
        let timer = HubTimer.call(afterMilliseconds: Int(timeout / .milliseconds(1))) { cancellation.cancel() }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            do {
                return WebResponse(json: try rows(query, parameters, cancellation))
            } catch is CancellationError where !Task.isCancelled {
                throw WebError(503, "The query was ended, because it took longer than \(timeout)")
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private static func parameters(_ value: Value?) throws -> QueryParameters {
        var parameters = QueryParameters()
        guard let value, !value.isNull else { return parameters }
        guard let dictionary = value.dictionary else { throw HubError.badRequest("parameters must be an object") }
        for (key, value) in dictionary.pairs {
            guard let name = key.text(.empty) else { continue }
            var encoder = Encoder()
            encoder.write(value, keys: .other(.empty))
            parameters[name] = try encoder.finishedData()
        }
        return parameters
    }

    private func rows(_ query: QueryCore, _ parameters: QueryParameters, _ cancellation: QueryCancellation) throws -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        try query.stream(on: database.core, cancellation, parameters: parameters) { rows in
            for row in 0..<rows.count { try Self.append(row, of: rows, to: &writer) }
            guard writer.count <= Self.maximumSize else { throw WebError(413, "The result has more than 32 MiB; use LIMIT") }
            return true
        }
        writer.endArray()
        return writer.byteArray
    }

    private static func append(_ row: Int, of rows: RecordedRows, to writer: inout JSONWriter) throws {
        try writer.object { writer in
            for (column, title) in rows.columnTitles.enumerated() {
                // The value references the memory of `rows`.
                try withExtendedLifetime(rows) {
                    guard let value = rows.value(row: row, column: column), !value.isUndefined else { return }
                    writer.name(title)
                    try writer.append(value)
                }
            }
        }
    }
}
#endif
