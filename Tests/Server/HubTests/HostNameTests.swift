#if Replication
import SyncCore
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite("The names of a hub behind a proxy", .ownThreads)
struct HostNameTests {
    /// Returns the status of a request with a name of the hub.
    private func status(_ hub: RunningHub, _ host: String, user: String? = "anna") async throws -> Int {
        try await hub.send("GET", "/db/", user: user, headers: ["Host": host]).status
    }

    @Test("a hub for this machine only serves the names that it is given, with a login, and refuses others", arguments: ["localhost", nil])
    func names(interface: String?) async throws {
        let stopped = try RunningHub()
        #expect(try stopped.hub.users.add("anna", password: "secret", channels: ["*"]))
        await stopped.stop()
        let hub = try RunningHub(restarting: stopped) {
            $0.port = 0
            $0.hostNames = ["Hub.example.com", "[2001:db8::1]"]
            $0.networkInterface = interface
        }
        for host in ["hub.example.com", "HUB.example.com:443", "[2001:DB8::1]", "localhost", "127.0.0.1"] {
            #expect(try await status(hub, host) == 200, "\(host)")
            #expect(try await status(hub, host, user: nil) == 401, "\(host)")
        }
        for host in ["example.com", "hub.example.com.evil.example", "evil.example", "10.0.0.1"] {
            #expect(try await status(hub, host) == 403, "\(host)")
        }
        await hub.stop()
    }

    @Test("without users, a hub with names of a proxy does not start, because everyone could use it")
    func guests() async throws {
        let stopped = try RunningHub()
        await stopped.stop()
        #expect(throws: SyncError.self) { try RunningHub(restarting: stopped) { $0.hostNames = ["hub.example.com"] } }
    }

    @Test("what is no name of a host is refused", arguments: ["hub.example.com:443", "https://hub.example.com", "a/b", "", "::1", "a b"])
    func malformed(name: String) async throws {
        #expect(!HubOptions.isHostName(name))
        let stopped = try RunningHub()
        #expect(try stopped.hub.users.add("anna", password: "secret", channels: ["*"]))
        await stopped.stop()
        #expect(throws: SyncError.self) { try RunningHub(restarting: stopped) { $0.hostNames = [name] } }
    }
}
#endif
