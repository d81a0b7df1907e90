#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Data transfer over sockets", .urgentOnOwnThreads)
struct SocketTransferTests {
    @Test("documents of a mebibyte are replicated in both directions")
    func largeDocuments() async throws {
        let served = try ServedDatabases(["db": []])
        let folder = try DatabaseFolder()
        let client = try folder.open("client")
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        for database in [client, try served.database()] {
            for number in 0..<3 {
                var text = ""
                while text.utf8.count < 1 << 20 {
                    // A third of the content is random, so that it needs many frames.
                    text +=
                        String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
                        + "and so on, and so on, "
                }
                try database.save("\(database.name)\(number)", #"{"text":"\#(text)"}"#)
            }
        }
        #expect(try await replicator(client, served.url()).runToEnd().count == 6)
        #expect(try client.contents() == served.database().contents())
        #expect(try folder.problems("client") == [])
    }

    @Test("a large blob is pushed and pulled without being loaded into memory")
    func largeBlob() async throws {
        let size: UInt64 = 50 << 20
        let folder = try DatabaseFolder()
        let source = try folder.open("source")
        let document = MutableDocument(id: "doc")
            .setBlob(Blob(contentType: "image/png", contentStream: GeneratedContent(count: size).stream()), forKey: "b")
        try source.saveDocument(document)
        let digest = try #require(source.document(withID: "doc")?.blob(forKey: "b")?.digest)
        try source.close()
        let writer = try ProcessRunner(product: "DatabaseWriter")
        let server = try writer.start([folder.path, "server", "serve", "0"])
        defer { server.kill() }
        let port = try #require(server.waitForOutput(lines: 2).last?.split(separator: " ").last)
        for (name, direction) in [("source", "push"), ("copy", "pull")] {
            let result = try await writer.run([folder.path, name, direction, "ws://127.0.0.1:\(port)/server"])
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            let peaks = try #require(result.outputLines.last).split(separator: " ").compactMap { UInt64($0) }
            try #require(peaks.count == 2)
            #expect(peaks[1] - peaks[0] < 30 << 20, "\(direction) \(peaks)")
        }
        server.kill(SIGUSR1)
        let peak = try #require(server.waitForOutput(lines: 3).last?.split(separator: " ").last.flatMap { UInt64($0) })
        #expect(peak < 120 << 20)
        let copy = try folder.open("copy")
        let blob = try #require(copy.document(withID: "doc")?.blob(forKey: "b"))
        #expect(blob.digest == digest)
        #expect(blob.length == size)
        try copy.close()
        #expect(try folder.problems("copy") == [])
    }

    @Test(
        "ten times as many documents need at most 40 MiB more memory on either side",
        .enabled(if: PeakMemory.ofThisProcess != nil, "this system does not say how much memory was used")
    )
    func flatMemory() async throws {
        let few = try await peaksOfTransfers(documents: 4000)
        let many = try await peaksOfTransfers(documents: 40_000)
        for (process, peak) in many {
            let before = try #require(few[process])
            #expect(peak < before + 40 << 20, "\(process): \(before) \(peak)")
        }
    }

    /// Pushes this number of documents to a server and pulls them from it, and returns the peak memory of each process.
    private func peaksOfTransfers(documents: Int) async throws -> [String: UInt64] {
        let folder = try DatabaseFolder()
        let source = try folder.open("source")
        let about = String(repeating: "what there is to say of it, ", count: 15)
        try source.inBatch {
            for number in 0..<documents {
                try source.save("document \(number)", #"{"n":\#(number),"about":"\#(about)"}"#)
            }
        }
        try source.close()
        let writer = try ProcessRunner(product: "DatabaseWriter")
        var peaks: [String: UInt64] = [:]
        for (name, direction) in [("source", "push"), ("copy", "pull")] {
            let server = try writer.start([folder.path, "server", "serve", "0"])
            defer { server.kill() }
            let port = try #require(server.waitForOutput(lines: 2).last?.split(separator: " ").last)
            let client = try await writer.run([folder.path, name, direction, "ws://127.0.0.1:\(port)/server"])
            #expect(client.exitCode == 0, "\(client.errorOutput)")
            peaks["\(direction), client"] = client.outputLines.last?.split(separator: " ").last.flatMap {
                UInt64($0)
            }
            server.kill(SIGUSR1)
            peaks["\(direction), server"] =
                server.waitForOutput(lines: 3).last?.split(separator: " ").last.flatMap { UInt64($0) }
        }
        #expect(peaks.count == 4)
        let copy = try folder.open("copy")
        #expect(try copy.defaultCollection().count == UInt64(documents))
        try copy.close()
        return peaks
    }

    @Test("two concurrent clients get all documents of each other")
    func twoClients() async throws {
        let served = try ServedDatabases(["db": []])
        let folder = try DatabaseFolder()
        let clients = try ["a", "b"].map { try folder.open($0) }
        for client in clients {
            for number in 0..<150 { try client.save("\(client.name)\(number)", #"{"n":\#(number)}"#) }
            try client.save("both", #"{"of":"\#(client.name)"}"#)
        }
        let replicators = try clients.map { try replicator($0, served.url(), continuous: true) }
        for replicator in replicators { replicator.start() }
        // Each waits for its own client: a replicator that has everything reports nothing more while the other one is still busy.
        for (replicator, client) in zip(replicators, clients) {
            let statuses = replicator.statusChanges()
            if try client.contents().count < 301 || replicator.status.activity != .idle {
                for await status in statuses where status.activity == .idle {
                    if try client.contents().count == 301 { break }
                }
            }
        }
        for replicator in replicators {
            replicator.stop()
            await replicator.wait(for: .stopped)
        }
        // One client has resolved the conflict, and the other may not have received the result yet.
        for client in clients { try await replicator(client, served.url()).runToEnd() }
        let contents = try served.database().contents()
        #expect(contents.count == 301)
        for client in clients { #expect(try client.contents() == contents) }
    }

    @Test("a proxy is asked for a tunnel with the user name and password of its settings")
    func proxies() async throws {
        let served = try ServedDatabases(["db": []])
        try served.database().save("theirs", "{}")
        let folder = try DatabaseFolder()
        let client = try folder.open("client")
        let proxy = try TCPRelay(.proxy(authorization: "Basic \(Data("me:secret".utf8).base64EncodedString())"))
        func settings(_ password: String) throws -> ProxySettings {
            ProxySettings(
                kind: .http,
                host: "127.0.0.1",
                port: try #require(UInt16(exactly: proxy.port)),
                username: "me",
                password: password
            )
        }
        let refused = try settings("guess")
        let code = await thrown { try await replicator(client, served.url()) { $0.proxy = refused }.runToEnd() }
        #expect(code == .couchbaseLite(CBLError.httpProxyAuthRequired))
        #expect(client.document(withID: "theirs") == nil)
        let accepted = try settings("secret")
        #expect(try await replicator(client, served.url()) { $0.proxy = accepted }.runToEnd() == ["pull theirs"])
        #expect(proxy.connectionCount == 2)
    }

    @Test("an expired certificate is rejected unless it is pinned")
    func expiredCertificate() async throws {
        _ = TestIdentities.directory
        let label = "expired \(UUID())"
        let identity = try TLSIdentity.createIdentity(
            forServer: true,
            attributes: [certAttrCommonName: "server"],
            expiration: Date(timeIntervalSinceNow: -60),
            label: label
        )
        defer { try? TLSIdentity.deleteIdentity(withLabel: label) }
        let served = try ServedDatabases(["db": []]) {
            $0.disableTLS = false
            $0.tlsIdentity = identity
        }
        let folder = try DatabaseFolder()
        let client = try folder.open("client")
        let trusts: [(ReplicatorConfiguration) -> Void] = [
            { $0.acceptOnlySelfSignedServerCertificate = true },
            { $0.trustedRootCertificates = identity.certs },
        ]
        for trust in trusts {
            let code = await thrown { try await replicator(client, served.url(), trust).runToEnd() }
            #expect(code == .couchbaseLite(CBLError.tlsCertExpired))
        }
        let pinned = try replicator(client, served.url()) { $0.pinnedServerCertificate = identity.certs[0] }
        #expect(try await pinned.runToEnd() == [])
    }

    private func replicator(
        _ database: Database,
        _ url: String,
        continuous: Bool = false,
        _ configure: (ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: database.defaultCollection())],
            target: URLEndpoint(url: try #require(URL(string: url)))
        )
        config.continuous = continuous
        configure(config)
        return Replicator(config: config, clock: AcceleratedClock())
    }
}
#endif
