#if Replication
import PeerSupport
import SyncCore
import BLIP
import Foundation
import TestSupport
import TestTraits
import Testing
import Transport

@Suite("WebSocket with an independent peer", .ownThreads)
struct IndependentPeerTests {
    @Test("a client connects to an independent Sync Gateway server, and is refused with a wrong password")
    func syncGateway() async throws {
        let server = try IndependentPeer.serve(.syncGateway, ["--db", "db", "--user", "u:p"])
        let url = server.url("db")
        func channel(_ password: String) throws -> ChannelRecorder {
            let configuration = try Loopback.configuration(url) {
                $0.authentication = .basic(BasicCredentials(username: "u", password: password))
            }
            return ChannelRecorder(WebSocketClientChannel(configuration))
        }
        #expect(try await channel("x").closed().error?.code == 401)
        let client = try channel("p")
        #expect(try await client.opened().subprotocol == "BLIP_3+CBMobile_3")
        // Both sides understand each other's messages: the server answers a request of the client.
        var connection = BLIPConnection()
        let token = connection.send(OutgoingMessage(["Profile": "getCheckpoint", "client": "x"]))
        while let frame = connection.nextFrame() { client.channel.send(frame) }
        var reply: IncomingReply?
        while reply == nil {
            for case .reply(token, let answer) in try connection.receive(try await client.frame()) {
                reply = answer
            }
        }
        #expect(reply?.error?.code == 404)
        client.channel.close(code: 1000, reason: "")
        #expect(try await client.closed().code == 1000)
        server.kill()
    }

    @Test("a killed server is reported as a lost connection")
    func killed() async throws {
        let server = try IndependentPeer.serve(.couchbaseLite, ["--db", "db"])
        let client = ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(server.url("db"))))
        _ = try await client.opened()
        server.kill()
        let closure = try await client.closed()
        #expect(closure.error?.code == 1006 || closure.error?.domain == .posix)
    }
}
#endif
