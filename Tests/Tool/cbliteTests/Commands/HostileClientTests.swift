#if Replication
import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import BLIP

/// Memory, descriptor and disk budgets of a real server: hostile clients lose their connections, and other clients are still served.
@Suite("cblite serve with hostile clients", .urgentOnOwnThreads, .serialized)
struct HostileClientTests {
    private let tool: Tool
    /// The maximum peak memory of the server process, in bytes.
    private static let memoryLimit: UInt64 = 300_000_000

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    /// Returns a client with an open WebSocket connection.
    private func client(of server: ServingTool) throws -> HostileClient {
        let client = try HostileClient(port: server.port)
        #expect(client.performHandshake(server.database))
        return client
    }

    /// Expects that a good client can pull all documents and that 100 others get a reply, one after the other, and that the peak memory of
    /// the server is within the limit. Prints the time they wait.
    private func expectService(_ server: ServingTool, documents: Int = 3) throws {
        let copy = "copy-\(UUID().uuidString)"
        #expect(try tool.lines("pull", copy, server.url) == ["Pulled \(documents) documents."])
        var times: [Duration] = []
        for _ in 0..<100 {
            let time = try ContinuousClock().measure {
                let visitor = try client(of: server)
                #expect(visitor.ask(["Profile": "getCheckpoint", "client": "visitor"]))
                #expect(visitor.answer()?.properties["Error-Code"] == "404")
            }
            times.append(time)
        }
        print("good clients are served within \(times.sorted()[98]) (p99)")
        if let peak = server.peakMemory { #expect(peak < Self.memoryLimit, "\(peak >> 20) MiB") }
    }

    @Test("hundreds of silent connections do not keep other clients out")
    func halfOpen() throws {
        let server = try ServingTool(tool, ["db"])
        let silent = try (0..<500).map { _ in try HostileClient(port: server.port) }
        try expectService(server)
        let mute = try (0..<256).map { _ in try HostileClient(port: server.port) }
        #expect(mute.count { $0.performHandshake(server.database) } > 0)
        // Silent connections are closed after two seconds; until then, new clients are asked to retry later, and do.
        try expectService(server)
        withExtendedLifetime((silent, mute)) {}
    }

    @Test("thousands of unread replies with a large checkpoint take little memory")
    func checkpointFlood() throws {
        let server = try ServingTool(tool, ["db"])
        let attackers = try (0..<8).map { _ in try client(of: server) }
        let json = Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x78, count: 65_000) + Array(#""}"#.utf8)
        #expect(attackers[0].ask(["Profile": "setCheckpoint", "client": "big"], json))
        #expect(attackers[0].answer()?.properties["rev"] == "1-cc")
        for attacker in attackers { attacker.ask(["Profile": "getCheckpoint", "client": "big"], times: 2000) }
        try expectService(server)
        #expect(attackers[0].answer()?.body.count == json.count)
        withExtendedLifetime(attackers) {}
    }

    @Test("highly compressed messages take little memory")
    func bombs() throws {
        let server = try ServingTool(tool, ["db"])
        let attackers = try (0..<16).map { _ in try client(of: server) }
        // Each message stays below the size limit of a document, and is never completed.
        for _ in 0..<8 {
            for attacker in attackers { _ = attacker.sendBomb(megabytes: 19) }
        }
        try expectService(server)
        withExtendedLifetime(attackers) {}
    }

    @Test("clients that request many blobs and read none do not exhaust file descriptors")
    func descriptors() throws {
        let store = BlobStore(directory: tool.directory.path("db.cblite2/Attachments"))
        var (digests, documents): ([String], [String]) = ([], [])
        for number in 0..<32 {
            let content = [UInt8](repeating: UInt8(number), count: 300_000)
            let digest = try store.store(content).string
            digests.append(digest)
            let blob = #"{"@type":"blob","digest":"\#(digest)","length":\#(content.count)}"#
            documents.append(#"{"_id":"blob\#(number)","blob":\#(blob)}"#)
        }
        try tool.lines("import", "db", "-", input: documents.joined(separator: "\n"))
        let server = try ServingTool(tool, limits: "ulimit -n 160", ["db"])
        let attackers = try (0..<32).map { _ in try client(of: server) }
        for attacker in attackers {
            for (number, digest) in digests.enumerated() {
                attacker.ask(["Profile": "getAttachment", "digest": digest, "docID": "blob\(number)"])
            }
        }
        // A client that reads gets its reply.
        #expect(attackers[31].answer()?.body.count == 300_000)
        try expectService(server, documents: 35)
        withExtendedLifetime(attackers) {}
    }

    @Test("hundreds of large checkpoints with different names do not exceed a limit of the file size")
    func manyCheckpoints() throws {
        let server = try ServingTool(tool, ["--read-only", "db"])
        let attacker = try client(of: server)
        let json = Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x78, count: 65_000) + Array(#""}"#.utf8)
        for number in 0..<300 {
            #expect(attacker.ask(["Profile": "setCheckpoint", "client": "c\(number)"], json))
            #expect(attacker.answer()?.error == nil)
        }
        #expect(attacker.ask(["Profile": "getCheckpoint", "client": "c299"]))
        #expect(attacker.answer()?.error == nil)
        try expectService(server)
        let file = try FileManager.default.attributesOfItem(atPath: tool.directory.path("db.cblite2/db.sqlite3"))
        #expect(try #require(file[.size] as? Int) < 32 << 20)
    }
}
#endif
