import BLIP
import DocumentStore
import Foundation
import SyncCore
import TestSupport
import Testing

@testable import Replication

@Suite("Pulled blobs while they are received")
struct PulledBlobStreamTests: PulledBlobSuite {
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
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), with: response)
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
        let request = try pull.peer.dequeueOne("getAttachment")
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

    @Test("a blob of which nothing is received for two minutes fails temporarily, and another one is fetched instead")
    func silence() throws {
        let pull = try TestPull { $0.downloadPermits = FairPermits(count: 1) }
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let replies = [
            pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest(of: "p")))}"#),
            pull.rev("b", "1-bb", sequence: "2", #"{"p":\#(blob(digest))}"#),
        ]
        #expect(try pull.peer.dequeueOne("getAttachment").properties["docID"] == "a")
        pull.peer.advance(by: BlobFetcher.timeout - .milliseconds(1))
        #expect(pull.peer.dequeue("getAttachment").isEmpty && pull.ended.isEmpty)
        pull.peer.advance(by: .milliseconds(100))
        #expect(pull.ended == ["a Network/3 again"] && pull.peer.closure == nil)
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
        #expect(replies.map { pull.peer.summary($0) } == ["Network/3", "RES"])
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

    @Test("a blob fetched completely before the connection breaks is not fetched again")
    func large() throws {
        let replica = try TestReplica()
        let pull = try TestPull(replica)
        let large = String(repeating: "0123456789abcdef", count: 100_000)
        let body = #"{"l":\#(blob(digest(of: large), length: 1_600_000)),"s":\#(blob(digest, length: 12))}"#
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", body)
        let requests = pull.peer.dequeue("getAttachment")
        pull.peer.respond(to: requests[0], [:], large)
        #expect(try stored(pull, digest(of: large)) == large)
        #expect(pull.peer.status.completedDocuments == 0 && pull.peer.status.totalDocuments == 1)
        pull.peer.disconnect()
        #expect(try pull.revision("a") == nil)

        let again = try TestPull(replica)
        again.changes(#"[[1,"a","1-aa"]]"#)
        again.rev("a", "1-aa", sequence: "1", body)
        let request = try again.peer.dequeueOne("getAttachment")
        #expect(request.properties["digest"] == digest)
        again.peer.respond(to: request, [:], content)
        #expect(again.progress == ["1"])
        try again.check()
    }
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
