#if Replication
import WebServer

/// The description of the REST API in the format of OpenAPI 3.0, which `GET /_openapi` returns. A test compares it with the routes of
/// ``HubRouter``, and another one with the responses to random requests.
enum HubDescription {
    /// Returns the description.
    ///
    /// - Parameter isAdmin: Whether it is that of the port for administration, which has more requests and needs no password.
    static func response(isAdmin: Bool) -> WebResponse {
        let security: StaticString = isAdmin ? "[]" : #"[{"password": []}, {"session": []}]"#
        let parts = isAdmin ? [publicPaths, ",\n", administrationPaths] : [publicPaths]
        let all: [StaticString] = parts + ["\n", components, "\n  \"security\": ", security, "\n}\n"]
        return WebResponse(json: all.flatMap { part in part.withUTF8Buffer { Array($0) } })
    }
}
#endif
