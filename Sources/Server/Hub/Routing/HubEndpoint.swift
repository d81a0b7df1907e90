#if Replication
import WebServer

/// A request that a hub serves: one method of a path, with its description and what responds to it.
struct HubEndpoint<Call: HubCall>: Sendable {
    /// The path as the description writes it. Parts in braces stand for any segment; a document's ID does not begin with an underscore, and the
    /// name of an attachment may have several segments.
    let path: String
    let operation: OpenAPI.Operation
    let respond: @Sendable (Call) async throws -> WebResponse

    /// - Parameters:
    ///   - target: The method and the path, separated by a space.
    ///   - id: The name by which generated clients call the operation.
    init(
        _ target: String,
        _ id: String,
        _ summary: String,
        parameters: [OpenAPI.Parameter] = [],
        body: OpenAPI.Body? = nil,
        _ responses: OpenAPI.Response...,
        respond: @escaping @Sendable (Call) async throws -> WebResponse
    ) {
        let method = String(target.prefix { $0 != " " })
        path = String(target.dropFirst(method.count + 1))
        operation = .init(method: method, id: id, summary: summary, parameters: parameters, body: body, responses: responses)
        self.respond = respond
    }
}
#endif
