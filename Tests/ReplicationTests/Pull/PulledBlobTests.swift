import BLIP
import DocumentStore
import Foundation
import SQLiteEngine
import SyncCore
import TestSupport
import Testing

@testable import Replication

@Suite("Pulled blobs")
struct PulledBlobTests {
    private let content = "Hello, blob!"
    private let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="

    private func blob(_ digest: String, length: Int? = nil, type: String = "text/plain") -> String {
        let length = length.map { #","length":\#($0)"# } ?? ""
        return #"{"@type":"blob","content_type":"\#(type)","digest":"\#(digest)"\#(length)}"#
    }

    private func digest(of text: String) -> String {
        Array(text.utf8).withUnsafeBytes { BlobDigest(of: $0) }.string
    }

    private func stored(_ pull: TestPull, _ digest: String) throws -> String? {
        try pull.replica.database.blobs.contents(of: try #require(BlobDigest(digest))).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("a blob is fetched before its document is stored and acknowledged")
    func fetched() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let body = #"{"note":\#(blob(digest, length: 12))}"#
        let reply = pull.rev("a", "1-aa", sequence: "1", body)
        let request = try pull.peer.takeOne("getAttachment")
        #expect(request.properties == ["Profile": "getAttachment", "digest": digest, "docID": "a", "compress": "true"])
        #expect(pull.peer.summary(reply) == "no reply" && pull.puller.isBusy)
        #expect(try pull.revision("a") == nil)
        pull.peer.respond(to: request, [:], content)
        #expect(pull.peer.summary(reply) == "RES")
        #expect(
            try stored(pull, digest) == content
                && pull.json("a") == #"{"note":\#(blob(digest).dropLast()),"length":12}}"#
        )
        #expect(pull.progress == ["1"])
        try pull.check()
    }

    @Test("a JPEG image is fetched without compression")
    func incompressible() throws {
        let pull = try TestPull { $0.collectionIndex = 2 }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, type: "image/jpeg"))}"#)
        let request = try pull.peer.takeOne("getAttachment")
        #expect(request.properties["compress"] == nil && request.properties["collection"] == "2")
    }

    @Test("a blob that is stored already is not fetched, and content shared by two documents is fetched once")
    func shared() throws {
        let pull = try TestPull()
        _ = try pull.replica.database.blobs.store(Array("hello".utf8))
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"],[3,"c","1-cc"]]"#)
        let replies = [
            pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest(of: "hello"), length: 5))}"#),
            pull.rev("b", "1-bb", sequence: "2", #"{"p":\#(blob(digest)),"q":\#(blob(digest))}"#),
            pull.rev("c", "1-cc", sequence: "3", #"{"p":\#(blob(digest))}"#),
        ]
        let request = try pull.peer.takeOne("getAttachment")
        pull.peer.respond(to: request, [:], content)
        #expect(pull.peer.take("getAttachment").isEmpty)
        #expect(replies.map { pull.peer.summary($0) } == ["RES", "RES", "RES"])
        try pull.check()
    }

    @Test("a blob whose file is truncated is fetched again")
    func cutShort() throws {
        let pull = try TestPull()
        let blobs = pull.replica.database.blobs
        let path = blobs.path(of: try blobs.store(Array(content.utf8)))
        try #require(truncateFile(path, to: 3))
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, length: 12))}"#)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
        #expect(try stored(pull, digest) == content)
    }

    @Test("a damaged blob file of an encrypted database is replaced by a download", arguments: [0, 3, 50])
    func damagedAndEncrypted(size: Int) throws {
        let replica = try TestReplica(key: EncryptionSecret(key: [UInt8](repeating: 1, count: 32)))
        let path = replica.database.blobs.path(of: try replica.database.blobs.store(Array(content.utf8)))
        try #require(truncateFile(path, to: size))
        let pull = try TestPull(replica)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, length: 12))}"#)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
        #expect(pull.peer.summary(reply) == "RES" && pull.progress == ["1"])
        #expect(try stored(pull, digest) == content)
        #expect(try BundleChecker(replica.file).findings() == [])
    }

    @Test("blobs are fetched in parallel up to the maximum")
    func sideBySide() throws {
        let pull = try TestPull()
        let contents = (0..<50).map { "content \($0)" }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let body =
            "{" + contents.indices.map { "\"\($0)\":" + blob(digest(of: contents[$0])) }.joined(separator: ",") + "}"
        let reply = pull.rev("a", "1-aa", sequence: "1", body)
        var requests = pull.peer.take("getAttachment")
        #expect(requests.count == BlobFetcher.maximumActive)
        while !requests.isEmpty {
            let request = requests.removeFirst()
            let content = try #require(contents.first { digest(of: $0) == request.properties["digest"] })
            pull.peer.respond(to: request, [:], content)
            requests += pull.peer.take("getAttachment")
        }
        #expect(pull.peer.summary(reply) == "RES")
        try pull.check()
    }

    @Test("a session fetches a blob although another one that receives nothing has all permits")
    func silentOther() throws {
        let permits = FairPermits(count: 2)
        let silent = try TestPull { $0.downloadPermits = permits }
        silent.changes(#"[[1,"a","1-aa"]]"#)
        silent.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest)),"q":\#(blob(digest(of: "q"))),"r":\#(blob(digest(of: "r")))}"#)
        #expect(silent.peer.take("getAttachment").count == 2)
        let pull = try TestPull { $0.downloadPermits = permits }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest)),"q":\#(blob(digest(of: "q")))}"#)
        for content in [content, "q"] {
            pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
            pull.peer.advance(by: .milliseconds(50))
        }
        #expect(pull.peer.summary(reply) == "RES" && pull.progress == ["1"])
        try pull.check()
    }

    @Test("a blob of which nothing is received for two minutes fails temporarily, and another one is fetched instead")
    func silence() throws {
        let pull = try TestPull { $0.downloadPermits = FairPermits(count: 1) }
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let replies = [
            pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest(of: "p")))}"#),
            pull.rev("b", "1-bb", sequence: "2", #"{"p":\#(blob(digest))}"#),
        ]
        #expect(try pull.peer.takeOne("getAttachment").properties["docID"] == "a")
        pull.peer.advance(by: BlobFetcher.timeout - .milliseconds(1))
        #expect(pull.peer.take("getAttachment").isEmpty && pull.ended.isEmpty)
        pull.peer.advance(by: .milliseconds(100))
        #expect(pull.ended == ["a Network/3 again"] && pull.peer.closure == nil)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
        #expect(replies.map { pull.peer.summary($0) } == ["Network/3", "RES"])
    }

    @Test("the blobs that a revision waits for count for the memory of the connection")
    func memory() throws {
        let pull = try TestPull()
        let contents = (0..<1000).map { "content \($0)" }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let before = pull.puller.context.connection.memory.used
        let body = "{" + contents.indices.map { "\"\($0)\":" + blob(digest(of: contents[$0])) }.joined(separator: ",") + "}"
        pull.rev("a", "1-aa", sequence: "1", body)
        #expect(pull.puller.context.connection.memory.used - before > 2 * body.utf8.count + 400_000)
    }

    @Test("the history of a revision that waits for a blob counts for the memory of the connection")
    func memoryOfHistory() throws {
        let pull = try TestPull()
        let history = (1..<5000).reversed().map { "\($0)-aa" }
        pull.changes(#"[[1,"a","5000-aa"]]"#)
        let before = pull.puller.context.connection.memory.used
        pull.rev("a", "5000-aa", sequence: "1", history: history.joined(separator: ","), #"{"p":\#(blob(digest, length: 12))}"#)
        #expect(pull.puller.context.connection.memory.used - before > 5000 * 64)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
        #expect(pull.progress == ["1"])
        #expect(pull.puller.context.connection.memory.used - before < 5000 * 64)
    }

    @Test("a document without blobs does not wait for an earlier one with a blob")
    func overtaking() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest))}"#)
        let reply = pull.rev("b", "1-bb", sequence: "2")
        pull.peer.advance(by: .milliseconds(20))
        #expect(pull.peer.summary(reply) == "RES" && pull.progress.isEmpty)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
        #expect(pull.progress == ["2"])
    }

    @Test("an empty blob is fetched and stored")
    func emptyBlob() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest(of: ""), length: 0))}"#)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"))
        #expect(pull.peer.summary(reply) == "RES")
        #expect(try stored(pull, digest(of: "")) == "")
    }

    @Test("a blob with wrong content is rejected together with its document", arguments: ["Hello, blub!", "Hello", "Hello, blob!!", ""])
    func wrongContent(_ wrong: String) throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, length: 12))}"#)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], wrong)
        #expect(pull.peer.summary(reply) == "LiteCore/5")
        #expect(try pull.revision("a") == nil && stored(pull, digest) == nil)
        #expect(pull.ended == ["a LiteCore/5"] && pull.progress == ["1"])
        try pull.check()
    }

    @Test("a blob missing at the peer is a permanent error, and a temporarily unavailable blob a transient one")
    func missing() throws {
        for (error, ended, progress) in [
            (SyncError(.http, 404, "no"), "a WebSocket/404", ["1"]), (SyncError(.liteCore, 7), "a LiteCore/7", ["1"]),
            (SyncError(.http, 503), "a WebSocket/503 again", []),
        ] {
            let pull = try TestPull()
            pull.changes(#"[[1,"a","1-aa"]]"#)
            pull.caughtUp()
            let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest))}"#)
            pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), error: error)
            #expect(pull.peer.reply(to: reply)?.error != nil)
            #expect(pull.ended == [ended] && pull.progress == progress)
            #expect(!pull.puller.isBusy)
        }
    }

    @Test("a blob refused for one document is requested for the next document that refers to it")
    func nextDocument() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let replies = ["a", "b"].enumerated().map { index, id in
            pull.rev(id, "1-\(id)\(id)", sequence: "\(index + 1)", #"{"p":\#(blob(digest))}"#)
        }
        let first = try pull.peer.takeOne("getAttachment")
        #expect(first.properties["docID"] == "a")
        pull.peer.respond(to: first, error: SyncError(.http, 403))
        let second = try pull.peer.takeOne("getAttachment")
        #expect(second.properties["docID"] == "b")
        pull.peer.respond(to: second, [:], content)
        #expect(replies.map { pull.peer.summary($0) } == ["HTTP/403", "RES"])
    }

    @Test("_attachments entries for blobs are removed, and other attachments are fetched and kept")
    func attachments() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let other = digest(of: "other")
        let body =
            #"{"note":\#(blob(digest)),"_attachments":{"blob_/note":{"digest":"\#(digest)","length":12,"revpos":1,"stub":true},"old":{"digest":"\#(other)","length":5,"revpos":1,"stub":true}}}"#
        pull.rev("a", "1-aa", sequence: "1", body)
        let requests = pull.peer.take("getAttachment")
        #expect(Set(requests.map { $0.properties["digest"] }) == [digest, other])
        for request in requests {
            pull.peer.respond(to: request, [:], request.properties["digest"] == digest ? content : "other")
        }
        #expect(
            try pull.json("a")
                == #"{"_attachments":{"old":{"digest":"\#(other)","length":5,"revpos":1,"stub":true}},"note":\#(blob(digest))}"#
        )
        try pull.check()
    }

    @Test("a blob that is neither stored locally nor listed in _attachments is an error")
    func unlisted() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let body =
            #"{"note":\#(blob(digest)),"_attachments":{"x":{"digest":"\#(digest(of: "hello"))","length":5,"stub":true}}}"#
        let reply = pull.rev("a", "1-aa", sequence: "1", body)
        #expect(pull.peer.summary(reply) == "LiteCore/7" && pull.ended == ["a LiteCore/7"])
        _ = try pull.replica.database.blobs.store(Array(content.utf8))
        _ = try pull.replica.database.blobs.store(Array("hello".utf8))
        #expect(pull.peer.summary(pull.rev("b", "1-bb", sequence: "2", body)) == "RES")
    }

    @Test("a blob fetched completely before the connection breaks is not fetched again")
    func large() throws {
        let replica = try TestReplica()
        let pull = try TestPull(replica)
        let large = String(repeating: "0123456789abcdef", count: 100_000)
        let body = #"{"l":\#(blob(digest(of: large), length: 1_600_000)),"s":\#(blob(digest, length: 12))}"#
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", body)
        let requests = pull.peer.take("getAttachment")
        pull.peer.respond(to: requests[0], [:], large)
        #expect(try stored(pull, digest(of: large)) == large)
        #expect(pull.peer.status.completedDocuments == 0 && pull.peer.status.totalDocuments == 1)
        pull.peer.disconnect()
        #expect(try pull.revision("a") == nil)

        let again = try TestPull(replica)
        again.changes(#"[[1,"a","1-aa"]]"#)
        again.rev("a", "1-aa", sequence: "1", body)
        let request = try again.peer.takeOne("getAttachment")
        #expect(request.properties["digest"] == digest)
        again.peer.respond(to: request, [:], content)
        #expect(again.progress == ["1"])
        try again.check()
    }

    @Test("a fetched blob that is deleted before its document is stored is fetched again")
    func removedMeanwhile() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest))}"#)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
        #expect(try stored(pull, digest) == content && pull.revision("a") == nil)
        try pull.replica.database.blobs.delete(except: [])
        pull.peer.advance(by: .milliseconds(20))
        #expect(try pull.revision("a") == nil && pull.peer.summary(reply) == "no reply")
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), [:], content)
        pull.peer.advance(by: .milliseconds(20))
        #expect(pull.peer.summary(reply) == "RES" && pull.progress == ["1"])
        try pull.check()
    }

    @Test("a blob is written to its file while it is received and is not kept in memory as a whole")
    func streamed() throws {
        let pull = try TestPull()
        let size = 2 << 20
        let expected = try generatedDigest(size)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(expected, length: size, type: "video/mp4"))}"#)
        let directory = pull.replica.database.blobs.directory
        // Bytes that were read and not written are in transit, and flow control limits their number.
        let unwritten = Box(0)
        let source = GeneratedSource(size) { readCount in
            unwritten.value = max(unwritten.value, readCount - sizeOfIncoming(in: directory))
        }
        var response = OutgoingMessage()
        response.body = .stream(source)
        pull.peer.respond(to: try pull.peer.takeOne("getAttachment"), with: response)
        #expect(pull.peer.summary(reply) == "RES")
        #expect(unwritten.value > 0 && unwritten.value < 512 << 10)
        #expect(try pull.replica.database.blobs.size(of: #require(BlobDigest(expected))) == UInt64(size))
        try pull.check()
    }

    @Test("a blob that is too long is refused while the rest of it is still being received")
    func tooLong() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, length: 12))}"#)
        let request = try pull.peer.takeOne("getAttachment")
        let readCounts = Box<[Int]>([])
        let source = GeneratedSource(1 << 20) { [peer = pull.peer] readCount in
            if peer.reply(to: reply) == nil { readCounts.value.append(readCount) }
        }
        var response = OutgoingMessage()
        response.body = .stream(source)
        pull.peer.respond(to: request, with: response)
        #expect(pull.peer.summary(reply) == "LiteCore/5" && pull.progress == ["1"])
        // Flow control stops the peer after 128,000 bytes, and the session answers then.
        let last = try #require(readCounts.value.last)
        #expect(last < 256 << 10)
        try pull.check()
    }

    @Test("a document whose blobs cannot be looked up fails temporarily, and the next pull requests it again")
    func unreadableStore() throws {
        let replica = try TestReplica()
        let directory = replica.database.blobs.directory
        try? FileManager.default.removeItem(atPath: directory)
        // No blob can be looked up in a directory that is a file.
        try #require(FileManager.default.createFile(atPath: directory, contents: nil))
        let pull = try TestPull(replica)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let body = #"{"p":\#(blob(digest, length: 12))}"#
        #expect(pull.peer.summary(pull.rev("a", "1-aa", sequence: "1", body)) == "LiteCore/15")
        #expect(pull.ended == ["a LiteCore/15 again"] && pull.progress.isEmpty)
        try FileManager.default.removeItem(atPath: directory)

        let next = try TestPull(replica)
        next.changes(#"[[1,"a","1-aa"]]"#)
        next.rev("a", "1-aa", sequence: "1", body)
        next.peer.respond(to: try next.peer.takeOne("getAttachment"), [:], content)
        #expect(next.ended == ["a"] && next.progress == ["1"])
        try next.check()
    }

    @Test("an interrupted download leaves no blob in the database")
    func brokenOff() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest))}"#)
        pull.peer.disconnect()
        #expect(try stored(pull, digest) == nil)
        try pull.check()
    }

    @Test("all documents with blobs are pulled when there are more than may fetch blobs at a time")
    func manyWaiting() throws {
        let pull = try TestPull()
        let count = RevisionReceiver.maximumWaitingForBlobs + 20
        pull.changes("[" + (1...count).map { "[\($0),\"d\($0)\",\"1-aa\"]" }.joined(separator: ",") + "]")
        let contents = (1...count).map { "content \($0)" }
        for number in 1...count {
            pull.rev("d\(number)", "1-aa", sequence: "\(number)", #"{"p":\#(blob(digest(of: contents[number - 1])))}"#)
        }
        var requests = pull.peer.take("getAttachment")
        while !requests.isEmpty {
            let request = requests.removeFirst()
            pull.peer.respond(to: request, [:], try #require(contents.first { digest(of: $0) == request.properties["digest"] }))
            requests += pull.peer.take("getAttachment")
        }
        #expect(pull.progress.last == "\(count)")
        try pull.check()
    }
}

/// Truncates a file, whatever its permissions.
private func truncateFile(_ path: String, to count: Int) -> Bool {
    let content = FileManager.default.contents(atPath: path)?.prefix(count)
    try? FileManager.default.removeItem(atPath: path)
    return FileManager.default.createFile(atPath: path, contents: content)
}

/// The digest of this number of generated bytes.
private func generatedDigest(_ count: Int) throws -> String {
    Array(GeneratedContent(count: UInt64(count)).data).withUnsafeBytes { BlobDigest(of: $0) }.string
}

/// The number of bytes in unfinished blobs.
private func sizeOfIncoming(in directory: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasPrefix("incoming_") }.reduce(0) { size, name in
        let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
        return size + (attributes?[.size] as? Int ?? 0)
    }
}

/// Generated bytes, read in pieces.
private final class GeneratedSource: BodySource {
    private var content: GeneratedContent
    private var readCount = 0
    private let onRead: (Int) -> Void

    init(_ count: Int, onRead: @escaping (Int) -> Void) {
        content = GeneratedContent(count: UInt64(count))
        self.onRead = onRead
    }

    func read(upTo maximum: Int) throws -> [UInt8] {
        onRead(readCount)
        let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            count = content.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        readCount += bytes.count
        return bytes
    }
}
