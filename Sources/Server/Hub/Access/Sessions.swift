#if Replication
import Base
import Foundation
import Synchronization

/// The sessions of users that have logged in, each with a random token in a cookie. They are in memory: a restart of the hub ends them. So does
/// another password of the user.
final class Sessions: Sendable {
    /// The name of the cookie, as in Sync Gateway.
    static let cookieName = "SyncGatewaySession"
    /// The time for which a session is valid unless the administrator chooses another, in seconds.
    static let lifetime = 24 * 3600
    /// The longest time that the administrator can choose for a session, in seconds.
    static let maximumLifetime = 366 * 24 * 3600
    /// The maximum number of sessions. When it is exceeded, one ends of the user who has most of them: the one that would end first. So a user who
    /// logs in very often does not log out others.
    static let maximumCount = 10_000

    struct Session {
        let userName: String
        /// The password of the user at the login. A user who was removed and added again has another one, with another salt.
        let password: PasswordHash
        fileprivate let end: Int64
    }

    private let sessions = Mutex<[ExactString: Session]>([:])
    private let now: @Sendable () -> Int64

    /// - Parameter now: Returns the time in seconds.
    init(now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }) { self.now = now }

    /// Begins a session, and returns its token and its end, in seconds since 1970.
    func begin(_ userName: String, _ password: PasswordHash, lifetime: Int = Sessions.lifetime) -> (token: String, end: Int64) {
        var generator = SystemRandomNumberGenerator()
        let token = (0..<32).map { _ in String(format: "%02x", UInt8.random(in: .min ... .max, using: &generator)) }.joined()
        let time = now()
        let end = time + Int64(lifetime)
        sessions.withLock { sessions in
            if sessions.count >= Self.maximumCount {
                sessions = sessions.filter { $0.value.end > time }
                if sessions.count >= Self.maximumCount { Self.endOne(of: &sessions) }
            }
            sessions[ExactString(token)] = Session(userName: userName, password: password, end: end)
        }
        return (token, end)
    }

    private static func endOne(of sessions: inout [ExactString: Session]) {
        let counts = sessions.values.reduce(into: [ExactString: Int]()) { $0[ExactString($1.userName), default: 0] += 1 }
        guard let user = counts.max(by: { $0.value < $1.value })?.key else { return }
        let next = sessions.filter { $0.value.userName.isExactly(user.string) }.min { $0.value.end < $1.value.end }
        if let next { sessions[next.key] = nil }
    }

    /// Returns the session with a token; `nil` if it has ended.
    func session(_ token: String) -> Session? {
        let time = now()
        return sessions.withLock { sessions in
            sessions[ExactString(token)].flatMap { $0.end > time ? $0 : nil }
        }
    }

    func end(_ token: String) { sessions.withLock { $0[ExactString(token)] = nil } }
}
#endif
