import BLIP
import DocumentStore
import Foundation
import SQLiteEngine
import Testing

@testable import Replication

@Suite("Pulled blobs whose files are damaged, missing or unreadable")
struct PulledBlobDamageTests: PulledBlobSuite {
    @Test("a blob whose file is truncated is fetched again")
    func cutShort() throws {
        let pull = try TestPull()
        let blobs = pull.replica.database.blobs
        let path = blobs.path(of: try blobs.store(Array(content.utf8)))
        try #require(truncateFile(path, to: 3))
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, length: 12))}"#)
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
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
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
        #expect(pull.peer.summary(reply) == "RES" && pull.progress == ["1"])
        #expect(try stored(pull, digest) == content)
        #expect(try BundleChecker(replica.file).findings() == [])
    }

    @Test("a fetched blob that is deleted before its document is stored is fetched again")
    func removedMeanwhile() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest))}"#)
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
        #expect(try stored(pull, digest) == content && pull.revision("a") == nil)
        try pull.replica.database.blobs.delete(except: [])
        pull.peer.advance(by: .milliseconds(20))
        #expect(try pull.revision("a") == nil && pull.peer.summary(reply) == "no reply")
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
        pull.peer.advance(by: .milliseconds(20))
        #expect(pull.peer.summary(reply) == "RES" && pull.progress == ["1"])
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
        next.peer.respond(to: try next.peer.dequeueOne("getAttachment"), [:], content)
        #expect(next.ended == ["a"] && next.progress == ["1"])
        try next.check()
    }
}

/// Truncates a file, whatever its permissions.
private func truncateFile(_ path: String, to count: Int) -> Bool {
    let content = FileManager.default.contents(atPath: path)?.prefix(count)
    try? FileManager.default.removeItem(atPath: path)
    return FileManager.default.createFile(atPath: path, contents: content)
}
