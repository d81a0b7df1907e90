#if Replication
import Base
import Fleece
import Foundation
import Transport
import WebServer

/// `_session`: login, the user of the session, and logout.
struct SessionRequests {
    let authentication: Authentication
    /// Whether browsers may send the cookie over TLS only.
    let usesTLS: Bool
    /// Whether the requests come from the port for administration, which begins sessions without a password.
    let isAdmin: Bool

    /// - Parameter isOfDatabase: Whether the database in the path exists. A client that has not logged in does not learn it: the users are those of
    ///   all databases.
    func respond(to request: WebRequest, ofDatabase isOfDatabase: Bool) async throws -> WebResponse {
        let response = try await respond(to: request)
        if isOfDatabase { return response }
        guard !isAdmin, request.method != "POST", try await current(request) == nil else { throw HubError.noDatabase }
        return response
    }

    private func respond(to request: WebRequest) async throws -> WebResponse {
        try HubRoute.session.check(request.method)
        switch request.method {
        case "GET": return Self.response(try await current(request))
        case "POST": return try await isAdmin ? beginForUser(request) : begin(request)
        case "DELETE":
            let tokens = Authentication.cookies(of: request)
            guard !tokens.isEmpty else { throw HubError.missing }
            tokens.forEach { authentication.sessions.end($0) }
            return WebResponse(headers: [("Set-Cookie", cookie("", lifetime: 0))], json: Array("{}".utf8))
        default: throw HubRoute.session.wrongMethod
        }
    }

    /// Returns what the client of a request may do; `nil` if it has not logged in, and guests may do nothing.
    private func current(_ request: WebRequest) async throws -> HubAccess? {
        if let access = try await authentication.login(request) { return access }
        do {
            return try authentication.guestAccess()
        } catch let error as WebError where error.status == 401 {
            return nil
        }
    }

    private func begin(_ request: WebRequest) async throws -> WebResponse {
        let bytes = try await request.body.collect()
        // Without a name, it is the user of the request, also if the body is empty.
        let given = try bytes.isEmpty ? nil : withJSONObject(bytes) { try Self.credentials($0) }
        let access: HubAccess
        if let (name, password) = given {
            access = try await authentication.access(name, password, request)
        } else {
            access = try await authentication.access(request)
        }
        guard let name = access.userName, let password = access.password else { throw HubError.badRequest("A guest has no session") }
        var response = Self.response(access)
        response.headers.append("Set-Cookie", cookie(authentication.sessions.begin(name, password).token, lifetime: Sessions.lifetime))
        return response
    }

    /// Returns the name and the password in the body of a login; `nil` if it has neither.
    private static func credentials(_ root: DictionaryValue) throws -> (name: String, password: String)? {
        let password = try root.optional("password", "a string") { $0.string }
        guard let name = try root.optional("name", "a string", { $0.string }) else {
            guard password == nil else { throw HubError.badRequest("name is missing") }
            return nil
        }
        return (name, password ?? "")
    }

    /// Begins a session of any user, whose cookie an app's own server passes to the client, as in Sync Gateway.
    private func beginForUser(_ request: WebRequest) async throws -> WebResponse {
        let bytes = try await request.body.collect()
        let (name, lifetime) = try withJSONObject(bytes) { root in
            guard let name = root.value(for: "name")?.string else { throw HubError.badRequest("name is missing") }
            guard let ttl = root.value(for: "ttl") else { return (name, Sessions.lifetime) }
            guard let seconds = ttl.integerBits.map({ Int($0) }), (1...Sessions.maximumLifetime).contains(seconds) else {
                throw HubError.badRequest("ttl must be a number of seconds from 1 to \(Sessions.maximumLifetime)")
            }
            return (name, seconds)
        }
        guard let password = try authentication.users.user(name)?.password else { throw HubError.missing }
        let session = authentication.sessions.begin(name, password, lifetime: lifetime)
        let end = Date(timeIntervalSince1970: TimeInterval(session.end)).formatted(.iso8601)
        return WebResponse(
            json: JSONWriter.object(["session_id": session.token, "expires": end, "cookie_name": Sessions.cookieName]).byteArray
        )
    }

    /// The path is not that of the database, as in Sync Gateway, because browsers would not send the cookie to `/database.scope.collection`. All
    /// databases of a hub have the same users, so a session is valid for all of them anyway.
    private func cookie(_ token: String, lifetime: Int) -> String {
        let attributes = "Max-Age=\(lifetime); HttpOnly; SameSite=Strict\(usesTLS ? "; Secure" : "")"
        return "\(Sessions.cookieName)=\(token); Path=/; \(attributes)"
    }

    private static func response(_ access: HubAccess?) -> WebResponse {
        let json = JSONWriter.object { writer in
            writer.member("authentication_handlers", ["default", "cookie"])
            writer.member("ok", true)
            writer.object("userCtx") { writer in
                writer.object("channels") { writer in
                    for channel in (access?.channels ?? []).sorted() { writer.member(channel.string, 1) }
                }
                writer.member("name", access?.userName)
            }
        }
        return WebResponse(json: json.byteArray)
    }
}
#endif
