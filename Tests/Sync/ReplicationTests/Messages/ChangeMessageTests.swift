import BLIP
import SyncCore
import Testing

@testable import DocumentStore
@testable import Replication

@Suite("Change lists and their replies")
struct ChangeMessageTests {
    static let first = RevisionID("1-a1")!
    static let second = RevisionID("2-b2")!

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("a proposal row has the server revision or an empty string")
    func proposals() {
        let rows = [
            ProposalRow(documentID: "doc1", revision: Self.first, serverRevision: nil, bodySize: 18),
            ProposalRow(documentID: "d\"2", revision: Self.second, serverRevision: Self.first, bodySize: 96),
        ]
        #expect(text(ProposalRow.json(rows)) == #"[["doc1","1-a1","",18],["d\"2","2-b2","1-a1",96]]"#)
        #expect(text(ProposalRow.json([])) == "[]")
    }

    @Test("an announcement row omits trailing values that are false or zero")
    func announcements() {
        func row(_ isDeleted: Bool, _ size: Int) -> LocalChange {
            LocalChange(
                documentID: "d",
                sequence: 7,
                revision: Self.first,
                isDeleted: isDeleted,
                isConflicted: false,
                hasAttachments: false,
                bodySize: size,
                remoteAncestor: nil,
                isExpired: false
            )
        }
        let rows = [row(false, 0), row(true, 0), row(false, 9), row(true, 9)]
        #expect(
            text(AnnouncementRow.json(rows.map { AnnouncedChange($0) }))
                == #"[[7,"d","1-a1"],[7,"d","1-a1",true],[7,"d","1-a1",false,9],[7,"d","1-a1",true,9]]"#
        )
    }

    @Test(
        "a reply to proposeChanges is parsed into one answer per row",
        arguments: [
            ("[]", [.wanted, .wanted]),
            ("", [.wanted, .wanted]),
            ("null", [.wanted, .wanted]),
            ("[304]", [.known, .wanted]),
            ("[0,409]", [.wanted, .conflict(current: nil)]),
            (#"[0,{"status":409,"rev":"2-b2"}]"#, [.wanted, .conflict(current: second)]),
            (#"[{"status":409,"rev":"no revision"},{"status":304}]"#, [.conflict(current: nil), .known]),
            (#"[null,403,500]"#, [.wanted, .refused(status: 403)]),
        ] as [(String, [ProposalReply])]
    )
    func proposalReplies(json: String, replies: [ProposalReply]) throws {
        #expect(try ProposalReply.parse(Array(json.utf8), count: 2) == replies)
    }

    @Test(
        "a reply to changes is parsed into one answer per row",
        arguments: [
            ("[]", [.notWanted, .notWanted]),
            ("", [.notWanted, .notWanted]),
            ("[[]]", [.wanted([]), .notWanted]),
            (#"[0,["2-b2","1-a1","nonsense",7]]"#, [.notWanted, .wanted([second, first])]),
            ("[null,409]", [.notWanted, .refused(409)]),
            ("[200,[],[]]", [.notWanted, .wanted([])]),
        ] as [(String, [ChangeAnswer])]
    )
    func announcementReplies(json: String, replies: [ChangeAnswer]) throws {
        #expect(try ChangeAnswer.parse(Array(json.utf8), count: 2) == replies)
    }

    @Test("a reply that is not a JSON array throws an error", arguments: ["{}", "[", "17", "\u{FF}"])
    func badReplies(json: String) {
        #expect(throws: SyncError.self) { try ProposalReply.parse(Array(json.utf8), count: 2) }
        #expect(throws: SyncError.self) { try ChangeAnswer.parse(Array(json.utf8), count: 2) }
    }

    @Test("the abilities a peer has declared are kept by later messages")
    func abilities() {
        var abilities = PeerAbilities()
        #expect(abilities.maximumHistory == 50 && !abilities.findsBlobs && !abilities.takesDeltas)
        abilities.learn(from: ["maxHistory": "20", "blobs": "true", "deltas": "1"])
        abilities.learn(from: [:])
        #expect(abilities.maximumHistory == 20 && abilities.findsBlobs && abilities.takesDeltas)
        abilities.learn(from: ["maxHistory": "-3"])
        #expect(abilities.maximumHistory == 1)
        abilities.learn(from: ["maxHistory": "9223372036854775807"])
        #expect(abilities.maximumHistory == PeerAbilities.longestHistory)
    }

    @Test(
        "boolean properties accept several spellings",
        arguments: [
            ("true", true), ("YES", true), ("1", true), ("-7", true), ("false", false), ("No", false), ("0", false),
            ("", false), ("perhaps", false),
        ]
    )
    func booleans(text: String, value: Bool) {
        #expect((["p": text] as Properties).boolean("p") == value)
    }

    @Test("collections of the default scope are named without the scope in getCollections")
    func collections() throws {
        let json = CollectionsMessage.json([
            (id: try CollectionID(name: "items", scope: "inv"), checkpointID: "cp-P"),
            (id: try CollectionID(name: "notes"), checkpointID: "cp-Q"), (id: .default, checkpointID: "cp-R"),
        ])
        #expect(
            text(json)
                == #"{"checkpoint_ids":["cp-P","cp-Q","cp-R"],"collections":["inv.items","notes","_default"]}"#
        )
    }

    @Test("the reply to getCollections is parsed into one item per collection")
    func collectionsReply() throws {
        let json = #"[{"_rev":"0-3","local":5,"remote":9,"time":1},{"rev":"1-cc"},{},null]"#
        let replies = try CollectionsMessage.parseReply(Array(json.utf8), count: 4)
        let checkpoint = Checkpoint(json: Array(#"{"local":5,"remote":9}"#.utf8))
        #expect(
            replies == [
                .checkpoint(checkpoint, token: "0-3"), .checkpoint(Checkpoint(), token: "1-cc"), .withoutCheckpoint,
                .unknown,
            ]
        )
        #expect(throws: SyncError.self) { try CollectionsMessage.parseReply(Array(json.utf8), count: 3) }
        #expect(throws: SyncError.self) { try CollectionsMessage.parseReply([], count: 0) }
    }
}
