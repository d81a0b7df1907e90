import Base
import Synchronization

/// Who may use the inspector: the browser that has opened the link with the token, which works once. Thread-safe.
final class InspectorAccess: Sendable {
    private struct State {
        /// The token of the last link; `nil` when it has been used.
        var token: String?
        /// The secrets in the cookies of the browsers that have opened a link.
        var sessions: [String] = []
    }

    /// More browsers than this replace the oldest ones.
    private static let maximumSessions = 8
    private let state = Mutex(State())

    /// The name of the cookie. It is different for each inspector, because a browser sends a cookie to all ports of a host.
    let cookieName = "cblite_inspector_" + InspectorAccess.secret().prefix(12)

    /// Returns a new token, and invalidates the one before if it has not been used.
    func makeToken() -> String {
        let token = Self.secret()
        state.withLock { $0.token = token }
        return token
    }

    /// Exchanges a token for the value of a cookie; `nil` if it is not the token, or has been used.
    func exchange(_ token: String) -> String? {
        let session = Self.secret()
        return state.withLock { state in
            guard let expected = state.token, expected.isSecretEqual(toGuess: token) else { return nil }
            state.token = nil
            state.sessions.append(session)
            if state.sessions.count > Self.maximumSessions { state.sessions.removeFirst() }
            return session
        }
    }

    /// Returns the session of a request, whose headers `Cookie` have these values; `nil` if the browser has no access.
    func session(cookies: [String]) -> String? {
        cookies.lazy.flatMap { $0.split(separator: ";") }.compactMap { cookie -> String? in
            let parts = cookie.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == self.cookieName, self.isOpen(String(parts[1])) else {
                return nil
            }
            return String(parts[1])
        }.first
    }

    /// Whether a session has access. A session loses it when many others are opened.
    func isOpen(_ session: String) -> Bool {
        state.withLock { $0.sessions }.contains { $0.isSecretEqual(toGuess: session) }
    }

    /// 32 bytes from the system's random generator, as hexadecimal digits.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        return String((0..<64).map { _ in digits[Int(generator.next() & 15)] })
    }
}
