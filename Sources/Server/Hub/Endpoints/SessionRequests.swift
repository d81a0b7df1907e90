#if Replication
import Base
import Fleece
import Foundation
import Transport
import WebServer

/// `_session`: login, the user of the session, and logout.
struct SessionRequests {
    private let request: WebRequest
    private let authentication: Authentication
    /// Whether browsers may send the cookie over TLS only.
    private let usesTLS: Bool
    /// Whether the request comes from the port for administration, which begins sessions without a password.
    private let isAdmin: Bool
    private let hasDatabase: Bool

    init(_ call: OpenCall) {
        (request, authentication, isAdmin) = (call.request, call.port.authentication, call.port.isAdmin)
        usesTLS = call.port.options.certificate != nil && !isAdmin
        hasDatabase = call.port.databases.database(request.path[0]) != nil
    }

    func read() async throws -> WebResponse { try await checked(Self.response(try await current())) }

    func begin() async throws -> WebResponse {
        let response = try await isAdmin ? beginForUser() : beginWithPassword()
        guard hasDatabase else { throw HubError.noDatabase }
        return response
    }

    func end() async throws -> WebResponse {
        let tokens = Authentication.cookies(of: request)
        guard !tokens.isEmpty else { throw HubError.missing }
        tokens.forEach { authentication.sessions.end($0) }
        return try await checked(WebResponse(headers: [("Set-Cookie", cookie("", lifetime: 0))], json: Array("{}".utf8)))
    }

    /// Returns a response if the database in the path exists. A client that has not logged in does not learn whether it does: the users are those
    /// of all databases.
    private func checked(_ response: WebResponse) async throws -> WebResponse {
        if hasDatabase { return response }
        guard !isAdmin, try await current() == nil else { throw HubError.noDatabase }
        return response
    }

    /// Returns what the client may do; `nil` if it has not logged in, and guests may do nothing.
    private func current() async throws -> HubAccess? {
        if let access = try await authentication.login(request) { return access }
        do {
            return try authentication.guestAccess()
        } catch let error as WebError where error.status == 401 {
            return nil
        }
    }

    private func beginWithPassword() async throws -> WebResponse {
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
    private func beginForUser() async throws -> WebResponse {
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
