#if Replication
import Foundation
import TestSupport
import Testing

@testable import Hub
@testable import WebServer

/// The router of a hub that is not running, for requests whose bodies a test sends when it wants. All of them share one thread.
struct StoppedRouter {
    let hub: StoppedHub
    let users: HubUsers
    let router: HubRouter
    private let authentication: Authentication
    private let threads = RequestThreads(count: 1)

    init() throws {
        hub = try StoppedHub()
        let own = hub.databases.own
        users = HubUsers(own, iterations: 10)
        authentication = Authentication(users, isOfThisMachineOnly: true, PasswordChecks(PasswordLimits(), now: { 0 }))
        let options = HubOptions(directory: hub.directory.url.path)
        let sync = SyncRequests(maximumBlobSize: 1 << 20)
        router = HubRouter(HubPort(options, hub.databases, ChannelIndexes(in: own.file), authentication, sync))
    }

    /// A request that the router has received.
    struct Sent {
        private let body: WebBody
        private let response: Task<WebResponse, any Error>

        fileprivate init(_ body: WebBody, _ response: Task<WebResponse, any Error>) { (self.body, self.response) = (body, response) }

        /// Sends the body, or the last part of it.
        func finish(_ text: String) {
            _ = body.append(Array(text.utf8))
            body.finish()
        }

        /// Waits for the response, and returns its status and its body.
        func answer() async throws -> (status: Int, text: String) {
            let response = try await response.value
            guard case .bytes(let bytes) = response.body else { return (response.status, "") }
            return (response.status, String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Sends the head of a request with a session of a user, and waits until its response needs the body or something else.
    func send(_ method: String, _ path: String, user: String) async throws -> Sent {
        let password = try #require(try users.user(user)).password
        let cookie = "\(Sessions.cookieName)=\(authentication.sessions.begin(user, password).token)"
        let body = WebBody(maximumBytes: 4 << 20, budget: BodyBudget(bytes: 4 << 20))
        let request = try WebRequest(method: method, target: path, headers: [("Cookie", cookie)], body: body)
        let response = Task(executorPreference: threads) { [router] in try await router.respond(to: request) }
        await settle()
        return Sent(body, response)
    }

    /// Waits until no request uses the thread.
    func settle() async { await Task(executorPreference: threads) {}.value }

    func close() { hub.databases.close() }
}
#endif
