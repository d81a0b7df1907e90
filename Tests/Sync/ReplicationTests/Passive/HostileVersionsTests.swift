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

    /// A revision that must be refused.
    private struct Sent {
        let rev: String
        var history = ""
        /// What is wrong.
        let fault: Fault

        enum Fault {
            /// `rev` is not the name of a revision.
            case name
            /// The history makes no vector.
            case history
            /// A time, which is checked only when the revision is stored.
            case time
        }

        /// The text in a list: the whole vector.
        var text: String { history.isEmpty ? rev : rev + (history.contains(";") ? ", " : "; ") + history }
    }

    private func hostile() -> [Sent] {
        let (now, source, other) = (Self.now, Self.source, "IiIiIiIiIiIiIiIiIiIiIg")
        let good = Self.version(now)
        let names = [
            "*", Self.version(now, "*"), Self.version(now, "AAAA"), "zz@\(source)", "0@\(source)", "@\(source)",
            String(repeating: "1", count: 17) + "@\(source)", Self.version(now, String(repeating: "A", count: 22)),
        ]
        let histories = [
            "\(Self.version(now - 65_536, other)), \(Self.version(now - 131_072, other))", good, Self.version(now + 1) + ";",
            "\(Self.version(now, other));;", "\(Self.version(now, other)); x", "1-aa, \(Self.version(now, other))",
            "\(Self.version(now, other)) \(Self.version(now, own))", Self.version(now, "*"),
        ]
        let times = [
            Self.version(.max), Self.version(1), Self.version(1 << 39), Self.version(now + 121_000_000_000),
            Self.version(now + 121_000_000_000, own), Self.version(1 << 62 | 1),
        ]
        return names.map { Sent(rev: $0, fault: .name) } + times.map { Sent(rev: $0, fault: .time) }
            + [Sent(rev: good, history: Self.version(.max, other), fault: .time)]
            + histories.map { Sent(rev: good, history: $0, fault: .history) }
            + [Sent(rev: "1-aa", history: Self.version(now, other), fault: .history)]
    }

    /// A vector with more versions than are permitted. It is larger than the properties of a message can be.
    private var tooLong: Sent { Sent(rev: Self.version(Self.now), history: Self.versions(10_000).joined(separator: ", "), fault: .history) }

    @Test("a passive session refuses each invalid version and vector with an error, stores nothing of it, and goes on")
    func passive() throws {
        let peer = ScriptedPeer(
            Session.passive(replica.database, PassiveOptions(collections: [.default])),
            subprotocol: Subprotocol.versions
        )
        _ = peer.send("getCollections", [:], #"{"checkpoint_ids":["x"],"collections":["_default"]}"#)
        for (number, sent) in hostile().enumerated() {
            var properties: Properties = ["collection": "0", "id": "bad\(number)", "rev": sent.rev, "noconflicts": "1"]
            if !sent.history.isEmpty { properties["history"] = sent.history }
            let token = peer.send("rev", properties, "{}")
            peer.advance(by: .milliseconds(20))
            let error = try #require(peer.reply(to: token)).error
            #expect(error?.code == (sent.fault == .name ? 400 : 4), "\(sent.text.prefix(100)): \(String(describing: error))")
        }
        // The times are not checked in a list. A status is omitted only after the last one that is not 0.
        let proposed = hostile() + [tooLong]
        let list = proposed.enumerated().map { "[\"bad\($0.offset)\",\"\($0.element.text)\"]" }.joined(separator: ",")
        let proposals = try #require(peer.reply(to: peer.send("proposeChanges", ["collection": "0"], "[\(list)]")))
        let statuses = proposed.map { $0.fault == .time ? "0" : "400" }.joined(separator: ",")
        #expect(proposals.error == nil && String(decoding: proposals.body, as: UTF8.self) == "[\(statuses)]")
        let good = peer.send("rev", ["collection": "0", "id": "good", "rev": Self.version(Self.now)], "{}")
        peer.advance(by: .milliseconds(20))
        #expect(try #require(peer.reply(to: good)).error == nil)
        #expect(try replica.collection().changes(after: 0, limit: 100, remote: nil).map(\.documentID) == ["good"])
    }

    @Test("a client of either kind cannot store a revision with a generation after which no other one is possible")
    func generations() throws {
        let high = ["1152921504606846976-aa", "4611686018427387904-aa"]
        for subprotocol in [Subprotocol.versions, Subprotocol.collections] {
            let peer = ScriptedPeer(
                Session.passive(replica.database, PassiveOptions(collections: [.default])),
                subprotocol: subprotocol
            )
            _ = peer.send("getCollections", [:], #"{"checkpoint_ids":["x"],"collections":["_default"]}"#)
            var sent = high.map { ($0, "") } + high.map { ($0, "2-bb, 1-aa") }
            if subprotocol == Subprotocol.versions { sent += high.map { (Self.version(Self.now), "\($0), 1-aa") } }
            for (rev, history) in sent {
                var properties: Properties = ["collection": "0", "id": "bad", "rev": rev, "noconflicts": "1"]
                if !history.isEmpty { properties["history"] = history }
                let token = peer.send("rev", properties, "{}")
                peer.advance(by: .milliseconds(20))
                let error = try #require(peer.reply(to: token)).error
                #expect(error?.code == 4 && error?.message.contains("generation") == true, "\(rev) \(history)")
            }
        }
        #expect(try replica.collection().changes(after: 0, limit: 100, remote: nil).isEmpty)
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
        // The original refuses all of a list with a name that resembles none.
        let rows = hostile().enumerated().filter { $0.element.rev.contains("@") || $0.element.rev.contains("-") }
        let bad = rows.map { "[\($0.offset + 1),\"bad\($0.offset)\",\"\($0.element.rev)\"]" }
        let body = bad + ["[800,\"long\",\"\(tooLong.text)\"]", "[900,\"good\",\"\(Self.version(Self.now))\"]"]
        let token = peer.send("changes", ["collection": "0"], "[\(body.joined(separator: ","))]")
        peer.advance(by: .milliseconds(20))
        let reply = try #require(peer.reply(to: token))
        // A revision is requested unless its name shows that it is invalid.
        let answers = rows.map { $0.element.fault == .name ? "0" : "[]" } + ["0", "[]"]
        #expect(reply.error == nil && String(decoding: reply.body, as: UTF8.self) == "[\(answers.joined(separator: ","))]")
        for row in rows where row.element.fault != .name {
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
        let refused = peer.documents.filter { $0.error != nil }
        #expect(refused.map(\.documentID).sorted() == (rows.map { "bad\($0.offset)" } + ["long"]).sorted())
        #expect(refused.allSatisfy { $0.error?.code == 4 })
        #expect(try replica.collection().changes(after: 0, limit: 100, remote: nil).map(\.documentID) == ["good"])
    }
}
