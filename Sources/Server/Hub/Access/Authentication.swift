#if Replication
import Base
import Foundation
import Transport
import WebServer

/// Determines the user of a request: by a session's cookie, or by a name and a password.
final class Authentication: Sendable {
    let users: HubUsers
    let sessions = Sessions()
    private let checks: PasswordChecks
    /// Whether the hub can be reached from this machine only, so that guests may use it while it has no users.
    private let isOfThisMachineOnly: Bool

    init(_ users: HubUsers, isOfThisMachineOnly: Bool, _ checks: PasswordChecks) {
        self.users = users
        self.isOfThisMachineOnly = isOfThisMachineOnly
        self.checks = checks
    }

    /// Returns what the client of a request may do.
    ///
    /// - Throws: ``WebError`` 401 if it is not a user, 429 if its address has sent too many wrong passwords, 503 if too many passwords wait.
    func access(_ request: WebRequest) async throws -> HubAccess {
        if let access = try await login(request) { return access }
        return try guestAccess()
    }

    /// Returns what the user may do whose password, or the cookie of whose session, is in a request; `nil` if it has neither. The cookie of a
    /// session that has ended is none.
    ///
    /// - Throws: As ``access(_:)``, if the password is wrong.
    func login(_ request: WebRequest) async throws -> HubAccess? {
        if let field = request.headers["Authorization"] {
            guard let credentials = BasicCredentials(fieldValue: field) else { throw HubError.unauthorized }
            return try await access(credentials.username, credentials.password, request)
        }
        for token in Self.cookies(of: request) {
            guard let session = sessions.session(token), let access = try users.access(of: session.userName),
                access.password == session.password
            else { continue }
            return access
        }
        return nil
    }

    /// Returns what a client without a user may do.
    ///
    /// - Throws: ``WebError`` 401 if the hub has users, or can be reached from other machines.
    func guestAccess() throws -> HubAccess {
        guard try isOfThisMachineOnly && users.isEmpty() else { throw HubError.unauthorized }
        return .guest
    }

    /// Returns what a user may do, after checking the password.
    func access(_ name: String, _ password: String, _ request: WebRequest) async throws -> HubAccess {
        let stored = try users.user(name)?.password
        let isCorrect = try await checks.check(name, from: request.clientAddress) {
            try users.remembers(name, password)
        } isCorrect: { [users] in
            try users.isCorrect(name, password)
        }
        // The user may have got another password while this one waited to be checked.
        guard isCorrect, let access = try users.access(of: name), access.password == stored else { throw HubError.unauthorized }
        return access
    }

    /// Returns the tokens of sessions in the cookies of a request. There may be several: browsers send cookies to all ports of a host, and a Sync
    /// Gateway on this host has cookies of the same name.
    static func cookies(of request: WebRequest) -> [String] {
        request.headers.values(of: "Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let sides = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return sides.count == 2 && sides[0].isExactly(Sessions.cookieName) ? sides[1] : nil
        }
    }
}
#endif
