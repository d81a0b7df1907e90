#if Replication
import ExactStrings
import Foundation
import Replication
import Transport
import WebServer

/// Determines the user of a request: by a session's cookie, or by a name and a password.
final class Authentication: Sendable {
    let users: HubUsers
    let sessions = Sessions()
    private let throttle: PasswordThrottle
    /// Whether the hub can be reached from this machine only, so that guests may use it while it has no users.
    private let isOfThisMachineOnly: Bool

    init(_ users: HubUsers, isOfThisMachineOnly: Bool, throttle: PasswordThrottle = PasswordThrottle()) {
        self.users = users
        self.isOfThisMachineOnly = isOfThisMachineOnly
        self.throttle = throttle
    }

    /// Returns what the client of a request may do.
    ///
    /// - Throws: ``WebError`` 401 if it is not a user, 429 if its address has sent too many wrong passwords.
    func access(_ request: WebRequest) throws -> HubAccess {
        if let field = request.headers["Authorization"] {
            guard let credentials = BasicCredentials(fieldValue: field) else { throw HubError.unauthorized }
            return try access(credentials.username, credentials.password, request)
        }
        if let token = Self.cookie(of: request), let name = sessions.userName(token), let access = try users.access(of: name) {
            return access
        }
        guard try isOfThisMachineOnly && users.isEmpty() else { throw HubError.unauthorized }
        return .guest
    }

    /// Returns what a user may do, after checking the password.
    func access(_ name: String, _ password: String, _ request: WebRequest) throws -> HubAccess {
        var failure: (any Error)?
        let isCorrect = throttle.check(from: request.clientAddress, now: WebSocketOptions().now) {
            do {
                return try users.isCorrect(name, password)
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        guard let isCorrect else { throw HubError.tooManyPasswords }
        guard isCorrect, let access = try users.access(of: name) else { throw HubError.unauthorized }
        return access
    }

    /// Returns the token of a session in the cookies of a request.
    static func cookie(of request: WebRequest) -> String? {
        for field in request.headers.values(of: "Cookie") {
            for pair in field.split(separator: ";") {
                let sides = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if sides.count == 2, sides[0].isExactly(Sessions.cookieName) { return sides[1] }
            }
        }
        return nil
    }
}
#endif
