#if Replication
import CouchbaseLiteSwift
import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing
import WebServer

@testable import Hub

@Suite("Large attachments of a hub", .ownThreads)
struct LargeAttachmentTests {
    /// The memory that a hub may use, in bytes. It is less than one of the contents.
    private static let maximumMemory: UInt64 = 150 << 20

    private let directory: TemporaryDirectory
    private let curl = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["curl", "-s"])

    init() throws { directory = try TemporaryDirectory() }

    /// Makes a file of zeros with a text at its end.
    private func file(_ size: Int, _ end: String) throws -> URL {
        let url = directory.url.appendingPathComponent("content-\(size)")
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(size - end.utf8.count))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(end.utf8))
        try handle.close()
        return url
    }

    @Test("an attachment of 300 MiB is sent to several clients from its file")
    func reading() async throws {
        let size = 300 << 20
        let content = try file(size, "the end")
        let hub = try HubProcess { database in
            let document = MutableDocument(id: "d")
            document.setBlob(try Blob(contentType: "application/octet-stream", fileURL: content), forKey: "file")
            try database.defaultCollection().save(document: document)
        }
        let url = "http://127.0.0.1:\(hub.port)/db/d/blob_%2Ffile"
        let head = try await curl.run(["-I", url]).output.lowercased()
        #expect(head.contains("content-length: \(size)\r\n"))
        let results = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<3 {
                group.addTask { [curl] in
                    try await curl.run(["-o", "/dev/null", "-w", "%{http_code} %{size_download}", url]).output
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: "200 \(size)", count: 3))
        #expect(try await curl.run(["-r", "-7", url]).output == "the end")
        let range = "\(size - 7)-\(size - 5)"
        #expect(try await curl.run(["-r", range, "-w", " %{http_code}", url]).output == "the 206")
        #expect(try await curl.run(["-r", "\(size)-", "-o", "/dev/null", "-w", "%{http_code}", url]).output == "416")
        let etag = try await curl.run(["-I", url]).output.firstMatch(of: /(?i:etag): ("[^"]+")/)?.1 ?? ""
        #expect(!etag.isEmpty)
        #expect(try await curl.run(["-H", "If-None-Match: \(etag)", "-o", "/dev/null", "-w", "%{http_code}", url]).output == "304")
        if let memory = hub.peakMemory { #expect(memory < Self.maximumMemory, "\(memory >> 20) MiB") }
    }

    @Test(
        "attachments and blobs of any permitted size are written to their files while they are received, and synced from them",
        .runsProgram(of: .tool)
    )
    func writing() async throws {
        let (sent, pushed) = (200 << 20, 160 << 20)
        let hub = try HubProcess(options: ["--max-attachment-size", "200"], users: [("root", ["*"])])
        let url = "http://127.0.0.1:\(hub.port)/db/d/f"
        let user = ["-u", "root:secret", "-o", "/dev/null", "-w", "%{http_code}"]
        #expect(try await curl.run(user + ["-T", try file(sent, "sent").path, url]).output == "201")
        #expect(try await curl.run(user + ["-T", try file(sent + 1, "more").path, url + "2"]).output == "413")
        let client = try SyncingClient(port: hub.port, user: "root")
        let document = MutableDocument(id: "p")
        document.setBlob(try Blob(contentType: "application/zip", fileURL: try file(pushed, "pushed")), forKey: "file")
        try client.collections[0].save(document: document)
        #expect(try await client.sync() == nil)
        #expect(try await curl.run(["-u", "root:secret", "-r", "-6", "http://127.0.0.1:\(hub.port)/db/p/blob_%2Ffile"]).output == "pushed")
        #expect(try client.ids() == ["d", "p"])
        if let memory = hub.peakMemory { #expect(memory < Self.maximumMemory, "\(memory >> 20) MiB") }
    }

    @Test("the contents of attachments in documents share a limit of memory while the documents are encoded")
    func memory() throws {
        let hub = try StoppedHub()
        let json = Array(#"{"_attachments":{"f":{"data":"aGVsbG8="},"g":{"data":"aGVsbG8="}}}"#.utf8)
        let input = try withJSONObject(json) { try DocumentInput($0, over: { _ in nil }, in: hub.keyspace.database.file) }
        _ = try DocumentWriting(keyspace: hub.keyspace, access: { .guest }).store(input, as: "a", base: nil)
        let found = try #require(try hub.keyspace.current("a"))
        let (memory, all) = (hub.keyspace.database.attachmentMemory, HubDatabase.maximumAttachmentMemory)
        for (free, status) in [(9, 503), (10, nil)] as [(Int, Int?)] {
            let others = memory.reserve(all - free)
            do {
                #expect(try found.json(.init(hasAttachmentData: true), of: hub.keyspace).count > 100)
                #expect(status == nil)
            } catch let error as WebError {
                #expect(error.status == status)
            }
            #expect(memory.used == all - free)
            withExtendedLifetime(others) {}
        }
        #expect(memory.used == 0)
        hub.databases.close()
    }

    @Test("an attachment that is too large is refused over REST and in sync")
    func limit() async throws {
        try await withHub {
            $0.maximumAttachmentSize = 50_000
        } _: { hub in
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            let client = try SyncingClient(hub, user: "root")
            for (id, size, status) in [("small", 50_000, 201), ("large", 50_001, 413)] {
                let content = try file(size, id)
                let url = "http://127.0.0.1:\(hub.port)/db/rest-\(id)/f"
                let arguments = ["-u", "root:secret", "-o", "/dev/null", "-w", "%{http_code}", "-T", content.path, url]
                #expect(try await curl.run(arguments).output == "\(status)")
                let document = MutableDocument(id: id)
                document.setBlob(try Blob(contentType: "text/plain", fileURL: content), forKey: "file")
                try client.collections[0].save(document: document)
            }
            _ = try await client.sync()
            #expect(try await hub.send("GET", "/db/small", user: "root").status == 200)
            #expect(try await hub.send("GET", "/db/large", user: "root").status == 404)
            #expect(try await hub.send("GET", "/db/rest-large", user: "root").status == 404)
        }
    }
}
#endif
