#if Replication
import SyncCore
import Foundation
import Replication
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("Log messages of replication", .ownThreads)
    struct ReplicationLog {
        let log = FreshLog()
        let sink = KeepingSink()
        /// Is part of every password and of the documents, and of nothing else.
        let secret = "s3cr3t" + UUID().uuidString.prefix(8).lowercased()

        private func lines(_ prefix: String, _ level: LogLevel) -> [String] {
            sink.messages(with: prefix).filter { $0.level == level && $0.text.hasPrefix(prefix) }
                .map { String($0.text.dropFirst(prefix.count)) }
        }

        /// A database that is served with a password, and a replicator of another database for it.
        private func replicator(_ folder: DatabaseFolder, _ served: ServedDatabases, password: String) throws -> Replicator {
            let client = try folder.open("client")
            try client.saveDocument(MutableDocument(id: "ours").setString(secret, forKey: secret))
            try client.saveDocument(MutableDocument(id: "disputed").setString(secret, forKey: "a"))
            let url = try #require(URL(string: try served.url()))
            let config = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: client.defaultCollection())],
                target: URLEndpoint(url: url)
            )
            config.replicatorType = .push
            config.maxAttempts = 1
            config.authenticator = BasicAuthenticator(username: "anna", password: password)
            config.headers = ["X-Token": secret]
            return Replicator(config: config)
        }

        @Test("connecting, the counts and rejected documents are logged, but no passwords and no contents of documents")
        func run() async throws {
            let folder = try DatabaseFolder()
            let served = try ServedDatabases(["db": []], in: folder) { config in
                config.authenticator = ListenerPasswordAuthenticator { [secret] in $0 == "anna" && $1 == secret }
            }
            try served.database().saveDocument(MutableDocument(id: "disputed").setInt(1, forKey: "n"))
            LogSinks.custom = CustomLogSink(level: .verbose, logSink: sink)
            let replicator = try replicator(folder, served, password: secret)
            await #expect(throws: NSError.self) { try await replicator.runToEnd() }
            LogSinks.custom = nil
            let name = "Replicator client with \(try served.url()): "
            #expect(
                lines(name, .info) == [
                    "connecting", "connected, BLIP_3+CBMobile_3",
                    "_default._default begins without a checkpoint after local sequence 0, remote none",
                    "ended, 1 pushed, 0 pulled, 0 removed, 1 refused", "stopped",
                ]
            )
            let reason = #"pushing "disputed" of _default._default failed: WebSocket 409: conflict with the server's revision"#
            #expect(lines(name, .warning) == [reason])
            #expect(lines(name, .verbose).contains("_default._default: proposes 2 revisions"))
            #expect(lines(name, .verbose).contains { $0.hasPrefix(#"checkpoint saved: {"time":"#) })
            #expect(sink.messages(with: secret) == [])
        }

        @Test("all documents that the other side refuses are in one warning, with the reason for the first, and are counted in the status")
        func manyRefused() async throws {
            let folder = try DatabaseFolder()
            let served = try ServedDatabases(["db": []], in: folder)
            let client = try folder.open("client")
            for number in 0..<300 {
                try served.database().saveDocument(MutableDocument(id: "d\(number)").setInt(1, forKey: "n"))
                try client.saveDocument(MutableDocument(id: "d\(number)").setInt(2, forKey: "n"))
            }
            try client.saveDocument(MutableDocument(id: "new"))
            let config = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: client.defaultCollection())],
                target: URLEndpoint(url: try #require(URL(string: try served.url())))
            )
            config.replicatorType = .push
            let replicator = Replicator(config: config)
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            await #expect(throws: NSError.self) { try await replicator.runToEnd() }
            LogSinks.custom = nil
            let name = "Replicator client with \(try served.url()): "
            let reason = #"pushing "d0" of _default._default failed: WebSocket 409: conflict with the server's revision"#
            #expect(lines(name, .warning) == ["300 documents were not replicated, the first because \(reason)"])
            #expect(lines(name, .info).contains("ended, 1 pushed, 0 pulled, 0 removed, 300 refused"))
            let status = replicator.status
            #expect(status.error == nil && status.refusedCount == 300)
            #expect((status.firstRefusal as NSError?)?.code == CBLError.httpConflict)
        }

        @Test("a document rejected by the pull filter is logged at verbose level only")
        func filtered() async throws {
            let folder = try DatabaseFolder()
            let served = try ServedDatabases(["db": []], in: folder)
            let client = try folder.open("client")
            try client.saveDocument(MutableDocument(id: "kept here"))
            try served.database().saveDocument(MutableDocument(id: "kept away"))
            let url = try #require(URL(string: try served.url()))
            let config = ReplicatorConfiguration(target: URLEndpoint(url: url))
            var collectionConfig = CollectionConfiguration()
            collectionConfig.pullFilter = { _, _ in false }
            collectionConfig.pushFilter = { _, _ in false }
            config.addCollection(try client.defaultCollection(), config: collectionConfig)
            LogSinks.custom = CustomLogSink(level: .verbose, logSink: sink)
            #expect(
                await thrown { try await Replicator(config: config).runToEnd() }
                    == .couchbaseLite(CBLError.httpForbidden)
            )
            LogSinks.custom = nil
            let said = sink.messages(with: "kept ").filter { $0.text.hasPrefix("Replicator ") }
            #expect(said.map(\.level) == [.verbose])
            #expect(said.first?.text.contains("\"kept away\" of _default._default skipped: rejected by the pull filter") == true)
        }

        @Test("a failed connection is logged with its cause, but without passwords")
        func refused() async throws {
            let folder = try DatabaseFolder()
            let served = try ServedDatabases(["db": []], in: folder) { config in
                config.authenticator = ListenerPasswordAuthenticator { _, _ in false }
            }
            LogSinks.custom = CustomLogSink(level: .verbose, logSink: sink)
            let replicator = try replicator(folder, served, password: secret)
            await #expect(throws: NSError.self) { try await replicator.runToEnd() }
            LogSinks.custom = nil
            let name = "Replicator client with \(try served.url()): "
            #expect(lines(name, .info) == ["connecting"])
            #expect(lines(name, .warning) == ["stopped with an error: WebSocket 401: Unauthorized"])
            #expect(sink.messages(with: secret) == [])
        }

        @Test("a one-shot replicator warns after its first attempt what it waits for and how often it will try")
        func firstAttempt() throws {
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            let name = "Replicator \(secret) with test: "
            let driven = try DrivenReplicator(logName: String(name.dropLast(2)))
            driven.start()
            try driven.end(SyncError(.posix, 111, "connection refused"))
            driven.advance(by: 2000)
            try driven.end(SyncError(.posix, 111, "connection refused"))
            driven.stop()
            LogSinks.custom = nil
            #expect(lines(name, .warning) == ["retrying in 2.0 s, at most 9 more times: POSIX 111: connection refused"])
            #expect(lines(name, .info).contains("retrying in 4.0 s, at most 8 more times: POSIX 111: connection refused"))
        }

        @Test("retries are logged with their cause and delay, and so is the end of a replicator")
        func retrying() throws {
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            let name = "Replicator \(secret) with test: "
            let driven = try DrivenReplicator(continuous: true, logName: String(name.dropLast(2)))
            driven.start()
            try driven.end(SyncError(.webSocket, 503, "busy"))
            driven.advance(by: 2000)
            try driven.end(SyncError(.network, 2, "no such host"))
            driven.advance(by: 4000)
            try driven.open()
            driven.stop()
            try driven.end(nil)
            LogSinks.custom = nil
            #expect(
                lines(name, .info) == [
                    "connecting", "retrying in 2.0 s: WebSocket 503: busy", "connecting",
                    "retrying in 4.0 s: Network 2: no such host", "connecting",
                    "connected, without a subprotocol", "closing the connection", "stopped",
                ]
            )
        }
    }
}
#endif
