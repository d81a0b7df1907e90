import BLIP
import DocumentStore
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

/// The pull of a scripted client from Couchbase Lite 4.0.4 is repeated with a session (Version vectors 6.2, 6.3).
@Suite("Replay of a pull from Couchbase Lite 4")
struct PassiveVersionsPullTests {
    @Test("a client without version vectors is refused, and one with them gets the changes and the revisions as from the original")
    func pull() throws {
        let database = try ReplayedDatabase("730iF0nLSzuzFcs/DxT5cQ", at: 0x18EA_58E7_500D_0000)
        try database.store("mine", "18ea58e6f35d0000@730iF0nLSzuzFcs/DxT5cQ", #"{"n":1}"#)
        let connections = try Transcript.ofVersions("couchbase-lite-4.0.4-passive").connections
        let recorded = try #require(connections.first { $0.section.hasPrefix("getCollections with and without uuid") })
        let session = Session.passive(database.replica.database, PassiveOptions(collections: [.default]))
        let peer = ScriptedPeer(session, subprotocol: Subprotocol.versions)
        var served: [String] = []
        for exchange in recorded.exchanges {
            let token = peer.send(exchange.request.profile, exchange.request.properties, exchange.request.body)
            let reply = try #require(peer.reply(to: token))
            let expected = try #require(exchange.reply)
            #expect(reply.error?.code == expected.properties["Error-Code"].flatMap { Int($0) })
            #expect(reply.error?.domain.rawValue == expected.properties["Error-Domain"])
            if !expected.isError { #expect(String(decoding: reply.body, as: UTF8.self) == expected.text) }
            for question in exchange.questions {
                // The last list can come before or after the revision.
                let index = peer.requests.firstIndex {
                    $0.profile == question.request.profile && $0.isNoReply == question.request.isNoReply
                }
                let request = peer.requests.remove(at: try #require(index, "\(question.request)"))
                for name in ["collection", "id", "rev", "sequence", "history"] {
                    #expect(request.properties[name] == question.request.properties[name], "\(name)")
                }
                let mine = try database.rows(Transcript.Message(request), from: 0, count: 3)
                if request.profile == "changes" {
                    #expect(try mine == database.rows(question.request, from: 0, count: 3))
                } else {
                    #expect(request.text == question.request.text)
                }
                served.append(request.profile)
                if !request.isNoReply { peer.respond(to: request, [:], question.answer?.text ?? "") }
            }
        }
        #expect(served == ["changes", "changes", "rev"])
        #expect(peer.requests.isEmpty)
    }
}
