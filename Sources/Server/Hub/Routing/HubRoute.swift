#if Replication
import Base
import WebServer

/// The endpoints of a path.
final class HubRoute: Sendable {
    let path: String
    /// The operations of the endpoints, in the order in which the field `Allow` lists their methods.
    let operations: [OpenAPI.Operation]
    /// Whether only the port for administration has this route.
    let isForAdministration: Bool
    /// Responds to a request for the path.
    ///
    /// - Throws: ``WebError`` 405 if the path does not have the method. That is checked after who has sent the request and what the path names.
    let respond: @Sendable (WebRequest, HubPort) async throws -> WebResponse

    private enum Segment {
        case exactly(String)
        case any
        case documentID
    }

    private let pattern: [Segment]
    private let isOpenEnded: Bool

    /// Returns the routes of endpoints, in the order of the first endpoint of each path.
    static func routes<Call: HubCall>(_ endpoints: [HubEndpoint<Call>]) -> [HubRoute] {
        endpoints.enumerated().compactMap { index, first in
            let ofPath = endpoints[index...].filter { $0.path == first.path }
            return endpoints[..<index].contains { $0.path == first.path } ? nil : HubRoute(first.path, ofPath)
        }
    }

    private init<Call: HubCall>(_ path: String, _ endpoints: [HubEndpoint<Call>]) {
        let parts = path.split(separator: "/")
        pattern = parts.map { $0 == "{document}" ? .documentID : $0.first == "{" ? .any : .exactly(String($0)) }
        isOpenEnded = parts.last == "{attachment}"
        self.path = path
        operations = endpoints.map(\.operation)
        isForAdministration = Call.isForAdministration
        let wrongMethod = HubError.wrongMethod(operations.map(\.method).joined(separator: ", "))
        respond = { request, port in
            let call = try await Call(request, at: port)
            guard let endpoint = endpoints.first(where: { $0.operation.method.isExactly(request.method) }) else { throw wrongMethod }
            return try await endpoint.respond(call)
        }
    }

    /// The number of segments of the paths, or the smallest one.
    var segmentCount: Int { pattern.count }

    /// Returns whether this is the route of a path, whose decoded segments are given.
    func matches(_ path: [String]) -> Bool {
        guard path.count == pattern.count || isOpenEnded && path.count > pattern.count else { return false }
        for (index, part) in pattern.enumerated() {
            switch part {
            case .exactly(let text): guard path[index].isExactly(text) else { return false }
            case .documentID: guard path[index].utf8.first != UInt8(ascii: "_") else { return false }
            case .any: break
            }
        }
        return true
    }

    /// The response to `OPTIONS`: the methods.
    var options: WebResponse {
        let allowed = operations.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] } + ["OPTIONS"]
        return WebResponse(status: 204, headers: [("Allow", allowed.joined(separator: ", "))])
    }

    /// Returns the maximum size of a body in bytes. It is the same for all methods, so that one that is not served is answered with 405, and
    /// not with 413.
    func maximumBodyBytes(_ options: HubOptions) -> Int {
        operations.compactMap { $0.body?.limit.bytes(options) }.max() ?? HubRoutes.defaultBodyBytes
    }
}
#endif
