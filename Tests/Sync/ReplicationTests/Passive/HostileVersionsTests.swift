import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

/// What peers of protocol 4 send against its rules (Version vectors 2, 6.6).
@Suite("Hostile versions from peers")
struct HostileVersionsTests {
    private static let now: UInt64 = 0x18EA_5800_0000_0000
    private static let source = "EREREREREREREREREREREQ"
    private let replica: TestReplica
    private let own: String

    init() throws {
        replica = try TestReplica(versionsAt: SettableClock(Int64(Self.now / 1_000_000)))
        own = try #require(try replica.file.versionSource()).description
    }

    private static func version(_ time: UInt64, _ source: String = Self.source) -> String { String(time, radix: 16) + "@" + source }

    /// Returns versions by different sources.
    private static func versions(_ count: Int) -> [String] {
        (0..<count).map { number in
            let digits = String(number + 1_000_000, radix: 10)
            return version(now - UInt64(number + 1) << 16, String(repeating: "E", count: 21 - digits.utf8.count) + digits + "Q")
        }
    }

    /// The names of revisions and their histories, each of which must be refused.
    private func hostile() -> [(rev: String, history: String)] {
        let (now, source, other) = (Self.now, Self.source, "IiIiIiIiIiIiIiIiIiIiIg")
        let good = Self.version(now)
        return [
            ("*", ""), (Self.version(now, "*"), ""), (Self.version(now, "AAAA"), ""), ("zz@\(source)", ""), ("0@\(source)", ""),
            ("@\(source)", ""), (String(repeating: "1", count: 17) + "@\(source)", ""), (Self.version(.max), ""), (Self.version(1), ""),
            (Self.version(1 << 39), ""), (Self.version(now + 121_000_000_000), ""), (Self.version(now + 121_000_000_000, own), ""),
            (Self.version(1 << 62 | 1), ""), (Self.version(now, String(repeating: "A", count: 22)), ""),
            (good, "\(Self.version(now - 65_536, other)), \(Self.version(now - 131_072, other))"), (good, good),
            (good, Self.version(now + 1) + ";"),
            (good, "\(Self.version(now, other));;"), (good, "\(Self.version(now, other)); x"), (good, "1-aa, \(Self.version(now, other))"),
            (good, "\(Self.version(now, other)) \(Self.version(now, own))"), (good, Self.version(now, "*")),
            (good, Self.version(.max, other)),
            ("1-aa", Self.version(now, other)), (good, Self.versions(10_001).joined(separator: ", ")),
        ]
    }

    @Test("a passive session refuses each invalid version and vector with an error, stores nothing of it, and goes on")
    func passive() throws {
        let peer = ScriptedPeer(
            Session.passive(replica.database, PassiveOptions(collections: [.default])),
            subprotocol: Subprotocol.versions
        )
        _ = peer.send("getCollections", [:], #"{"checkpoint_ids":["x"],"collections":["_default"]}"#)
        for (number, sent) in hostile().enumerated() where sent.history.utf8.count < 90_000 {
            var properties: Properties = ["collection": "0", "id": "bad\(number)", "rev": sent.rev, "noconflicts": "1"]
            if !sent.history.isEmpty { properties["history"] = sent.history }
            let token = peer.send("rev", properties, "{}")
            peer.advance(by: .milliseconds(20))
            let error = try #require(peer.reply(to: token)).error
            #expect([400, 4].contains(error?.code), "\(sent.rev) \(sent.history.prefix(100)): \(String(describing: error))")
        }
        let list = hostile().map { "[\"bad\",\"\($0.rev)\",\"\($0.history.prefix(60))\"]" }.joined(separator: ",")
        let proposals = peer.send("proposeChanges", ["collection": "0"], "[\(list)]")
        #expect(try #require(peer.reply(to: proposals)).error == nil)
        let good = peer.send("rev", ["collection": "0", "id": "good", "rev": Self.version(Self.now)], "{}")
        peer.advance(by: .milliseconds(20))
        #expect(try #require(peer.reply(to: good)).error == nil)
        #expect(try replica.collection().changes(after: 0, limit: 100, remote: nil).map(\.documentID) == ["good"])
    }

    @Test("a vector of 10,000 versions is stored, and one with more is refused")
    func longVectors() throws {
        for (count, isStored) in [(9_999, true), (10_000, false)] {
            let history = Self.versions(count).compactMap { RevisionID($0) }
            #expect(history.count == count)
            let received = ReceivedRevision(
                documentID: "\(count)",
                revision: try #require(RevisionID(Self.version(Self.now))),
                history: history,
                body: try replica.body("{}")
            )
            let outcome = try replica.collection().insert([received], remote: nil).first
            if case .inserted? = outcome { #expect(isStored) } else { #expect(!isStored, "\(String(describing: outcome))") }
        }
        // It can be changed, and loses its oldest version.
        _ = try replica.save("9999", #"{"n":1}"#)
        let id = try #require(try replica.collection().change(of: "9999", remote: nil)).revision
        #expect(try replica.collection().revision(id, of: "9999")?.history.count == 9_999)
    }

    @Test("an active session reports the documents of invalid rows and revisions, and pulls the others")
    func active() throws {
        let options = ActiveOptions(
            remoteURL: "ws://hostile/db/_blipsync",
            push: .disabled,
            pull: .oneShot,
            collections: [CollectionOptions(.default)]
        )
        let peer = ScriptedPeer(Session.active(replica.database, options) { 1_700_000_000 }, subprotocol: Subprotocol.versions)
        peer.respond(to: try peer.dequeueOne("getCollections"), [:], "[{}]")
        peer.respond(to: try peer.dequeueOne("subChanges"))
        let rows = hostile().enumerated().filter { $0.element.rev.contains("@") || $0.element.rev.contains("-") }
        // One row of each, as the offer names only the revision.
        let bad = rows.map { "[\($0.offset + 1),\"bad\($0.offset)\",\"\($0.element.rev)\"]" }
        let body = bad + ["[900,\"good\",\"\(Self.version(Self.now))\"]"]
        let token = peer.send("changes", ["collection": "0"], "[\(body.joined(separator: ","))]")
        peer.advance(by: .milliseconds(20))
        let reply = try #require(peer.reply(to: token))
        #expect(reply.error == nil)
        for row in rows where row.element.history.utf8.count < 90_000 {
            var properties: Properties = [
                "collection": "0", "id": "bad\(row.offset)", "rev": row.element.rev, "sequence": "\(row.offset + 1)",
            ]
            if !row.element.history.isEmpty { properties["history"] = row.element.history }
            _ = peer.send("rev", properties, "{}")
        }
        _ = peer.send("rev", ["collection": "0", "id": "good", "rev": Self.version(Self.now), "sequence": "900"], "{}")
        _ = peer.send("changes", ["collection": "0"], "[]", isNoReply: true)
        peer.advance(by: .seconds(1))
        #expect(peer.documents.filter { $0.error == nil }.map(\.documentID) == ["good"])
        #expect(peer.documents.contains { $0.error != nil })
        #expect(try replica.collection().changes(after: 0, limit: 100, remote: nil).map(\.documentID) == ["good"])
    }
}
