import SyncCore
import Testing

@testable import BLIP

/// The bytes that the specification gives, in both directions (Replication 2.10 and 7.1). The checksum and the compression of each
/// direction run through all its frames.
@Suite("Frames of the specification")
struct FrameExampleTests {
    private let checkpoint = hex(
        """
        01 00 24 50 72 6f 66 69 6c 65 00 67 65 74 43 68 65 63 6b 70 6f 69 6e 74 00 63 6c 69 65 6e 74 00 63 70 2d 61 62 63 00
        55 75 19 7f
        """
    )
    private let proposal = hex(
        """
        02 18 04 c1 bd 0e c2 20 14 06 50 9e 85 59 13 8a 06 ba 3b b9 19 d7 a6 c3 fd f9 d0 26 84 db 40 eb f3 7b 4e 78 75 2b 5b
        85 db bb ed 36 f0 f8 52 fb 60 38 b1 56 ea 26 c7 b3 49 3d 15 e3 8d 9f 3b fa 09 b7 2c 5e 4d 26 7f f1 d3 35 21 e2 c6 a1
        b0 46 9d 39 51 2c 89 33 65 e2 ac 42 c8 1a 22 ee 3a 53 f2 eb fa 07 4e fa 7c fa
        """
    )
    private let revision = hex(
        """
        03 08 8a 81 d9 53 04 34 28 33 85 01 64 06 98 4d bc 29 0c c5 a9 85 a5 a9 79 c9 a9 0c 86 0c 79 f9 30 07 16 03 79 d5 4a
        79 89 b9 a9 4a 56 4a 69 99 45 c5 25 4a b5 00 00 2c 69 b3 4d
        """
    )
    private let changes = hex("04 30 10 50 72 6f 66 69 6c 65 00 63 68 61 6e 67 65 73 00 5b 5d b8 4a 41 42")
    private let firstHalf = hex("05 40 0a 50 72 6f 66 69 6c 65 00 78 00 00 01 02 03 04 79 75 d3 26")
    private let secondHalf = hex("05 00 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 da 58 04 2c")
    private let missing = hex(
        """
        01 02 21 45 72 72 6f 72 2d 44 6f 6d 61 69 6e 00 48 54 54 50 00 45 72 72 6f 72 2d 43 6f 64 65 00 34 30 34 00 6d 69 73
        73 69 6e 67 92 10 de bc
        """
    )
    private let empty = hex("02 01 00 10 47 00 f4")
    private let deltas = hex("02 19 e2 49 49 cd 29 49 2c 66 28 29 2a 4d 65 88 8e 05 00 a1 f0 ff 0b")

    private let revisionID = "1-6e2e3b0fbd2d8b6a2f6b7a7ab7dcae7d02e4d8a6"

    private var messages: [OutgoingMessage] {
        [
            OutgoingMessage(["Profile": "getCheckpoint", "client": "cp-abc"]),
            OutgoingMessage(
                ["Profile": "proposeChanges", "conflictIncludesRev": "true"],
                body: Array(#"[["doc1","\#(revisionID)"]]"#.utf8),
                isUrgent: true,
                isCompressed: true
            ),
            OutgoingMessage(
                ["Profile": "rev", "id": "doc1", "rev": revisionID, "sequence": "1", "noconflicts": "1"],
                body: Array(#"{"name":"first"}"#.utf8),
                isCompressed: true
            ),
            OutgoingMessage(["Profile": "changes"], body: Array("[]".utf8), isUrgent: true, isNoReply: true),
        ]
    }

    @Test("the requests of the specification are decoded")
    func reading() throws {
        let peer = Peer()
        for frame in [checkpoint, proposal, revision, changes, firstHalf, secondHalf] { try peer.receive(frame) }
        let expected = messages + [OutgoingMessage(["Profile": "x"], body: Array(0...0x13))]
        try #require(peer.requests.count == 5)
        for (index, (request, message)) in zip(peer.requests, expected).enumerated() {
            #expect(request.number == UInt64(index + 1))
            #expect(request.properties == message.properties)
            #expect(MessageBody.bytes(request.body).bytes == message.body.bytes)
            #expect(request.isUrgent == message.isUrgent)
            #expect(request.isNoReply == message.isNoReply)
        }
        #expect(peer.requests[1].profile == "proposeChanges")
        #expect(peer.unansweredCount == 4)
    }

    @Test("requests are encoded like those of the specification, except for differences of zlib")
    func writing() throws {
        let peer = Peer()
        for message in messages { peer.send(message) }
        peer.noteChannelIsFull()
        let frames = peer.frames()
        let expected = [checkpoint, proposal, revision, changes]
        try #require(frames.count == 4)
        #expect([frames[0], frames[3]].map { hex($0) } == [expected[0], expected[3]].map { hex($0) })
        // Headers and checksums are the same in any case.
        #expect(frames.map { hex($0.prefix(2)) } == expected.map { hex($0.prefix(2)) })
        #expect(frames.map { hex($0.suffix(4)) } == expected.map { hex($0.suffix(4)) })
        // With a separate window, the third frame would take 105 bytes.
        #expect(frames[2].count < 70)
    }

    @Test("the responses of the specification are decoded")
    func readingResponses() throws {
        let peer = Peer()
        let one = peer.send(OutgoingMessage(["Profile": "getCheckpoint"]))
        let two = peer.send(OutgoingMessage(["Profile": "subChanges"]))
        _ = peer.frames()
        try peer.receive(missing)
        try peer.receive(empty)
        #expect(peer.replies[one]?.error == SyncError(.http, 404, "missing"))
        #expect(peer.replies[two]?.error == nil)
        #expect(peer.replies[two]?.properties == [:])
        #expect(peer.replies[two]?.body.isEmpty == true)
    }

    @Test("the compressed response of the specification is decoded")
    func readingCompressedResponse() throws {
        // The specification's third response is to a request that the second has answered, so the connection would refuse it.
        var decoder = FrameDecoder(inflatedLimit: 1000)
        var payloads: [[UInt8]] = []
        for frame in [missing, empty, deltas] {
            var content = frame[...]
            let (number, flags) = try FrameDecoder.header(of: &content)
            var payload: [UInt8] = []
            try decoder.decode(content, number, flags) { payload += $0 }
            payloads.append(payload)
        }
        #expect(payloads.last == [12] + Array("deltas\0true\0[]".utf8))
    }

    @Test("the first synchronisation of two empty databases has the frames of the specification")
    func transcript() throws {
        let client = Peer()
        let server = Peer()
        let tokens = [
            OutgoingMessage(["Profile": "getCheckpoint", "client": "cp-tiC13OYfx9JC76fBHxYl6tzyWm4="]),
            OutgoingMessage([
                "Profile": "subChanges", "batch": "200", "sendReplacementRevs": "1", "versioning": "rev-trees",
                "activeOnly": "true", "revocations": "true",
            ]),
            OutgoingMessage(
                ["Profile": "proposeChanges", "conflictIncludesRev": "true"],
                body: Array("[]".utf8),
                isUrgent: true,
                isNoReply: true
            ),
        ].map { client.send($0) }
        let fromClient = client.frames()
        #expect(
            fromClient.map { hex($0) } == [
                oneLine(
                    """
                    01 00 3d 50 72 6f 66 69 6c 65 00 67 65 74 43 68 65 63 6b 70 6f 69 6e 74 00 63 6c 69 65 6e 74 00 63 70 2d 74 69 43
                    31 33 4f 59 66 78 39 4a 43 37 36 66 42 48 78 59 6c 36 74 7a 79 57 6d 34 3d 00 0b db 0c b5
                    """
                ),
                oneLine(
                    """
                    02 00 69 50 72 6f 66 69 6c 65 00 73 75 62 43 68 61 6e 67 65 73 00 62 61 74 63 68 00 32 30 30 00 73 65 6e 64 52 65
                    70 6c 61 63 65 6d 65 6e 74 52 65 76 73 00 31 00 76 65 72 73 69 6f 6e 69 6e 67 00 72 65 76 2d 74 72 65 65 73 00 61
                    63 74 69 76 65 4f 6e 6c 79 00 74 72 75 65 00 72 65 76 6f 63 61 74 69 6f 6e 73 00 74 72 75 65 00 98 3f 56 1d
                    """
                ),
                oneLine(
                    """
                    03 30 30 50 72 6f 66 69 6c 65 00 70 72 6f 70 6f 73 65 43 68 61 6e 67 65 73 00 63 6f 6e 66 6c 69 63 74 49 6e 63 6c
                    75 64 65 73 52 65 76 00 74 72 75 65 00 5b 5d 91 60 7a 0b
                    """
                ),
            ]
        )
        for frame in fromClient { try server.receive(frame) }
        try #require(server.requests.map(\.number) == [1, 2, 3])

        server.respond(to: server.requests[0], error: SyncError(.http, 404, "missing"))
        server.respond(to: server.requests[1], with: OutgoingMessage())
        server.send(
            OutgoingMessage(
                ["Profile": "changes", "Content-Type": "application/json"],
                body: Array("null".utf8),
                isNoReply: true,
                isCompressed: true
            )
        )
        let fromServer = server.frames()
        let caughtUp = hex(
            """
            01 28 d2 0b 28 ca 4f cb cc 49 65 48 ce 48 cc 4b 4f 2d 66 70 ce cf 2b 49 cd 2b d1 0d a9 2c 48 65 48 2c 28 c8 c9 4c 4e 2c
            c9 cc cf d3 cf 2a ce cf 63 c8 2b cd c9 01 00 ff 36 89 30
            """
        )
        #expect(fromServer.prefix(2).map { hex($0) } == [hex(missing), hex(empty)])
        for frame in [missing, empty, caughtUp] { try client.receive(frame) }
        #expect(client.replies[tokens[0]]?.error == SyncError(.http, 404, "missing"))
        #expect(client.replies[tokens[1]]?.error == nil)
        #expect(client.requests.map(\.profile) == ["changes"])
        #expect(client.requests.first.map { $0.body } == Array("null".utf8))
    }
}

/// The text of bytes, without line breaks.
private func oneLine(_ text: String) -> String { hex(hex(text)) }

extension MessageBody {
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }
}
