import BLIP
import DocumentStore
import Testing

@testable import Replication

@Suite("Blobs that a peer asks for")
struct BlobServerTests {
    static let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
    /// Asks for the blob that is there.
    static let good: Properties = ["digest": digest]

    private func peer() throws -> (PushingSide, ScriptedPeer) {
        let side = try PushingSide(.continuous)
        _ = try side.replica.database.blobs.store(Array("Hello, blob!".utf8))
        return (side, try side.connect())
    }

    @Test("possession is proved without sending the blob")
    func proof() throws {
        let (_, peer) = try peer()
        let reply = peer.reply(to: peer.send("proveAttachment", ["digest": Self.digest], Array(0..<20)))
        #expect(reply?.body == Array("sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90=".utf8))
    }

    @Test("a nonce has 1 to 255 bytes", arguments: [0, 256])
    func nonces(count: Int) throws {
        let (_, peer) = try peer()
        let nonce = [UInt8](repeating: 7, count: count)
        let reply = peer.reply(to: peer.send("proveAttachment", ["digest": Self.digest], nonce))
        #expect(reply?.error?.code == 400)
    }

    @Test(
        "what cannot be given is an error",
        arguments: ["getAttachment", "proveAttachment"],
        [
            (nil, .http, 400), ("sha1-nonsense", .liteCore, 9), ("sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .liteCore, 7),
        ] as [(String?, SyncError.Domain, Int)]
    )
    func errors(profile: String, expected: (digest: String?, domain: SyncError.Domain, code: Int)) throws {
        let (_, peer) = try peer()
        var properties: Properties = [:]
        properties["digest"] = expected.digest
        let error = peer.reply(to: peer.send(profile, properties, [1]))?.error
        #expect(error?.domain == expected.domain && error?.code == expected.code)
    }

    @Test("a large blob goes over whole, and counts in the progress")
    func large() throws {
        let (side, peer) = try peer()
        let content = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let digest = try side.replica.database.blobs.store(content)
        let reply = peer.reply(to: peer.send("getAttachment", ["digest": digest.string, "compress": "true"]))
        #expect(reply?.body == content)
        peer.tell(.databaseChanged([]))
        #expect(peer.status.completedUnits == 1_500_000 && peer.status.totalUnits == 1_500_000)
    }

    @Test("many blobs at once are sent a few at a time")
    func many() throws {
        let (_, peer) = try peer()
        for _ in 0..<100 {
            #expect(peer.reply(to: peer.send("getAttachment", Self.good))?.body.count == 12)
        }
        let tokens = peer.sendTogether("getAttachment", Array(repeating: Self.good, count: 100))
        #expect(tokens.allSatisfy { peer.reply(to: $0)?.body.count == 12 })
    }

    @Test("more than two thousand questions in line are refused, and the others are answered")
    func tooMany() throws {
        let (_, peer) = try peer()
        let replies = peer.sendTogether("getAttachment", Array(repeating: Self.good, count: 2034)).map {
            peer.reply(to: $0)
        }
        #expect(replies.prefix(2032).allSatisfy { $0?.body.count == 12 })
        #expect(replies.suffix(2).map { $0?.error?.code } == [503, 503])
        #expect(peer.reply(to: peer.send("getAttachment", Self.good))?.body.count == 12)
    }

    @Test("questions in line that cannot be answered, or want no answer, hold up nobody behind them")
    func badOnesInLine() throws {
        let (_, peer) = try peer()
        let unknown: Properties = ["digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        for _ in 0..<40 { peer.send("getAttachment", Self.good, isNoReply: true) }
        let questions = [(Self.good, 32), (unknown, 40), (Self.good, 10)].flatMap {
            Array(repeating: $0.0, count: $0.1)
        }
        let replies = peer.sendTogether("getAttachment", questions).map { peer.reply(to: $0) }
        #expect(replies.map { $0?.error?.code } == questions.map { $0["digest"] == Self.digest ? nil : 7 })
        #expect(replies.suffix(10).allSatisfy { $0?.body.count == 12 })
    }
}
