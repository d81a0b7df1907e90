import BLIP
import DocumentStore
import Foundation
import SyncCore
import TestSupport
import Testing

@testable import Replication

@Suite("Blobs requested by a peer")
struct BlobServerTests {
    static let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
    /// Requests the stored blob.
    static let good: Properties = ["digest": digest]

    /// A server that receives documents with blobs and has not answered.
    ///
    /// - Parameter contents: The blobs, one for each document.
    private func peer(_ contents: [[UInt8]] = [Array("Hello, blob!".utf8)]) throws -> (PushingSide, ScriptedPeer) {
        let side = try PushingSide(.continuous)
        for (index, content) in contents.enumerated() {
            let digest = try side.replica.database.blobs.store(content)
            let blob = #"{"@type":"blob","digest":"\#(digest.string)","length":\#(content.count)}"#
            try side.replica.save("doc\(index)", #"{"note":\#(blob)}"#, hasBlobs: true)
        }
        let peer = try side.connect()
        peer.respond(to: try peer.first("proposeChanges"), [:], "[]")
        #expect(peer.waiting.count { $0 == "rev" } == contents.count)
        return (side, peer)
    }

    @Test("a blob is available to the peer only while a revision that refers to it is unanswered")
    func onlyWhatIsSent() throws {
        let (side, peer) = try peer()
        let other = try side.replica.database.blobs.store(Array("not pushed".utf8))
        let question: Properties = ["digest": other.string, "docID": "doc0"]
        for profile in ["getAttachment", "proveAttachment"] {
            #expect(peer.reply(to: peer.send(profile, question, [1]))?.error?.code == 7)
            #expect(peer.reply(to: peer.send(profile, Self.good, [1]))?.error == nil)
        }
        peer.respond(to: try peer.first("rev"))
        for profile in ["getAttachment", "proveAttachment"] {
            #expect(peer.reply(to: peer.send(profile, Self.good, [1]))?.error?.code == 7)
        }
    }

    @Test("a proof of a large blob is computed in parts and cancelled with the connection")
    func proofInParts() throws {
        let content = [UInt8](repeating: 7, count: 5 << 20)
        let (_, peer) = try peer([content])
        let digest = BlobDigest(of: content).string
        let token = peer.send("proveAttachment", ["digest": digest], [1])
        #expect(peer.reply(to: token) == nil)
        peer.advance(by: .seconds(1))
        #expect(peer.reply(to: token)?.body.count == 33)
        let late = peer.send("proveAttachment", ["digest": digest], [2])
        peer.disconnect()
        peer.advance(by: .seconds(1))
        #expect(peer.reply(to: late) == nil)
    }

    @Test("open blob files are shared, and their number is limited")
    func openFiles() throws {
        let replica = try TestReplica()
        let files = OpenBlobs(maximumOpen: 2)
        let contents = (0..<5).map { [UInt8](repeating: $0, count: 1000) }
        let digests = try contents.map { try replica.database.blobs.store($0) }
        var open = try digests.map { try #require(try files.file(of: $0, in: replica.database.blobs)) }
        #expect(try files.file(of: digests[0], in: replica.database.blobs) === open[0])
        #expect(try files.file(of: BlobDigest(of: [1, 2, 3] as [UInt8]), in: replica.database.blobs) == nil)
        for position in [0, 400, 800] as [UInt64] {
            for (file, content) in zip(open, contents) {
                #expect(try file.read(upTo: 400, at: position)[...] == content[Int(position)...].prefix(400))
                #expect(files.openCount <= 2)
            }
        }
        open = []
        #expect(files.openCount == 0)
    }

    @Test("proveAttachment returns a proof without the content of the blob")
    func proof() throws {
        let (_, peer) = try peer()
        let reply = peer.reply(to: peer.send("proveAttachment", ["digest": Self.digest], Array(0..<20)))
        #expect(reply?.body == Array("sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90=".utf8))
    }

    @Test("a nonce with 0 or more than 255 bytes is rejected", arguments: [0, 256])
    func nonces(count: Int) throws {
        let (_, peer) = try peer()
        let nonce = [UInt8](repeating: 7, count: count)
        let reply = peer.reply(to: peer.send("proveAttachment", ["digest": Self.digest], nonce))
        #expect(reply?.error?.code == 400)
    }

    @Test(
        "a request for a missing or invalid digest is answered with an error",
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

    @Test("a large blob is sent completely and does not count as a document in the progress")
    func large() throws {
        let content = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let (_, peer) = try peer([content])
        let before = peer.status
        let digest = BlobDigest(of: content).string
        let reply = peer.reply(to: peer.send("getAttachment", ["digest": digest, "compress": "true"]))
        #expect(reply?.body == content)
        peer.tell(.databaseChanged([]))
        #expect(peer.status.completedDocuments == before.completedDocuments)
        #expect(peer.status.totalDocuments == before.totalDocuments)
    }

    @Test("a hundred blob requests are all answered, one after the other and all at once")
    func many() throws {
        let (_, peer) = try peer()
        for _ in 0..<100 {
            #expect(peer.reply(to: peer.send("getAttachment", Self.good))?.body.count == 12)
        }
        let tokens = peer.sendTogether("getAttachment", Array(repeating: Self.good, count: 100))
        #expect(tokens.allSatisfy { peer.reply(to: $0)?.body.count == 12 })
    }

    @Test("blob requests beyond 2032 pending ones are refused, and the others are answered")
    func tooMany() throws {
        let (_, peer) = try peer()
        let replies = peer.sendTogether("getAttachment", Array(repeating: Self.good, count: 2034)).map {
            peer.reply(to: $0)
        }
        #expect(replies.prefix(2032).allSatisfy { $0?.body.count == 12 })
        #expect(replies.suffix(2).map { $0?.error?.code } == [503, 503])
        #expect(peer.reply(to: peer.send("getAttachment", Self.good))?.body.count == 12)
    }

    /// Two stored blobs. The file of the first one is open, and reading it fails.
    private struct UnreadableBlob {
        let replica: TestReplica
        let files = OpenBlobs(maximumOpen: 4)
        let unreadable: Properties
        let readable: Properties
        /// The file stays open as long as it is used.
        private let file: SharedBlobFile

        init() throws {
            replica = try TestReplica()
            let blobs = replica.database.blobs
            let digest = try blobs.store([UInt8](repeating: 7, count: 200_000))
            unreadable = ["digest": digest.string]
            readable = ["digest": try blobs.store([1, 2, 3] as [UInt8]).string]
            file = try #require(try files.file(of: digest, in: blobs))
            #expect(try file.read(upTo: 1, at: 0) == [7])
            try replaceOpenFile(blobs.path(of: digest), by: replica.directory.url.path)
        }

        func connect() -> ScriptedPeer {
            let context = SessionContext(database: replica.database, options: BLIPOptions(), currentTime: { 0 })
            return ScriptedPeer(Session(context, ServingRole(context, files)))
        }
    }

    @Test("if the content of a blob cannot be read, the session ends with a transient error, and the blob does not seem complete")
    func unreadable() throws {
        let blobs = try UnreadableBlob()
        let peer = blobs.connect()
        let token = peer.send("getAttachment", blobs.unreadable)
        #expect(peer.reply(to: token) == nil)
        #expect(peer.closure?.code == CloseCode.retry.rawValue)
        let error = peer.disconnect()
        #expect(error?.isTransient == true)
    }

    @Test("a blob that has ended a session because it cannot be read does not keep the next sessions from sending other blobs")
    func unreadableAgain() throws {
        let blobs = try UnreadableBlob()
        blobs.connect().send("getAttachment", blobs.unreadable)
        let next = blobs.connect()
        for _ in 0..<OpenBlobs.refusalCount {
            let tokens = next.sendTogether("getAttachment", [blobs.unreadable, blobs.readable])
            #expect(tokens.map { next.summary($0) } == ["HTTP/502", "RES \u{1}\u{2}\u{3}"])
            #expect(next.reply(to: tokens[0])?.error?.isTransient == true)
        }
        #expect(next.closure == nil)
        next.send("getAttachment", blobs.unreadable)
        #expect(next.closure?.code == CloseCode.retry.rawValue)
    }

    @Test("a proof of a blob that cannot be read is answered with a transient error")
    func unreadableProof() throws {
        let blobs = try UnreadableBlob()
        let peer = blobs.connect()
        let token = peer.send("proveAttachment", blobs.unreadable, [1])
        // A proof may have to wait for those of other sessions.
        while peer.reply(to: token) == nil, peer.time < .seconds(600) { peer.advance(by: .milliseconds(10)) }
        #expect(peer.reply(to: token)?.error?.isTransient == true && peer.closure == nil)
    }

    @Test("a document is pushed again later if one of its blobs cannot be read, whatever the peer answers, and others are not delayed")
    func postponed() throws {
        let (side, peer) = try peer([[1, 2, 3], [4, 5, 6]])
        let digest = BlobDigest(of: [1, 2, 3] as [UInt8])
        let file = try #require(try OpenBlobs.shared.file(of: digest, in: side.replica.database.blobs))
        file.noteFailure()
        #expect(peer.ask("getAttachment", ["digest": digest.string]) == "HTTP/502")
        #expect(peer.ask("getAttachment", ["digest": BlobDigest(of: [4, 5, 6] as [UInt8]).string]) == "RES \u{4}\u{5}\u{6}")
        peer.respond(to: try peer.first("rev"), error: SyncError(.http, 500, "error 502 from getAttachment"))
        peer.respond(to: try peer.first("rev"))
        #expect(peer.documents.map(\.documentID) == ["doc0", "doc1"] && peer.documents.map(\.isTransient) == [true, false])
        peer.advance(by: Pusher.retryDelay)
        #expect(try peer.first("proposeChanges").text.contains("doc0"))
    }

    @Test("queued requests that fail or need no reply do not block later requests")
    func invalidQueuedRevisions() throws {
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

/// A session that only serves blobs.
private final class ServingRole: SessionRole {
    private let server: BlobServer

    init(_ context: SessionContext, _ files: OpenBlobs) { server = BlobServer(context, files: files) }

    var isServing: Bool { true }

    func opened() {}
    func handle(_ request: IncomingRequest) { _ = server.handle(request) { _ in true } }
    func databaseChanged(_ collections: Set<CollectionID>) {}
    func conflictSettled(_ collection: CollectionID, _ documentID: String) {}
    func stop() {}
    func eventHandled() {}
    func disconnected() { server.disconnected() }
}

/// Lets reads of a file that is open fail: afterwards its descriptors are those of a directory.
private func replaceOpenFile(_ path: String, by directory: String) throws {
    var wanted = stat()
    try #require(stat(path, &wanted) == 0)
    let descriptors = (0..<65_536 as Range<Int32>).filter { descriptor in
        var found = stat()
        return fstat(descriptor, &found) == 0 && found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino
    }
    #expect(!descriptors.isEmpty)
    let other = open(directory, O_RDONLY | O_DIRECTORY)
    for descriptor in descriptors { #expect(dup2(other, descriptor) == descriptor) }
    close(other)
}
