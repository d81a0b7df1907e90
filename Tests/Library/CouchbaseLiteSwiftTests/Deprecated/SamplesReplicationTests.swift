#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Samples of replication", .ownThreads)
struct SamplesReplicationTests {
    let directory: TemporaryDirectory
    let database: Database

    init() throws {
        _ = TestIdentities.directory
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "db", config: config)
    }

    private func open(_ name: String) throws -> Database {
        try Database(name: name, config: database.config)
    }

    @Test(
        "a replication of the database is created from a URL and started",
        arguments: [
            ("blip", "ws"), ("blips", "wss"), ("ws", "ws"), ("wss", "wss"),
        ]
    )
    func replicationWithURL(_ scheme: String, _ expected: String) throws {
        let url = URL(string: "\(scheme)://localhost:1/db")!
        let replication = database.replication(with: url)
        let endpoint = try #require(replication.config.target as? URLEndpoint)
        #expect(endpoint.url.absoluteString == "\(expected)://localhost:1/db")
        replication.push = true
        replication.pull = false
        #expect(replication.push)
        #expect(!replication.pull)
        replication.start()
        replication.stop()
    }

    @Test("the example of the getting-started guide replicates with a user name and a password")
    func starter() throws {
        let targetEndpoint = URLEndpoint(url: URL(string: "ws://localhost:1/example_sg_db")!)
        let replConfig = ReplicatorConfiguration(database: database, target: targetEndpoint)
        replConfig.replicatorType = .pushAndPull
        replConfig.authenticator = BasicAuthenticator(username: "john", password: "pass")
        let replicator = Replicator(config: replConfig)
        replicator.addChangeListener { (change) in
            if let error = change.status.error as NSError? {
                print("Error code :: \(error.code)")
            }
        }
        replicator.start()
        replicator.stop()
    }

    @Test("a replicator can be created with the spelling of the previews")
    func spelling() throws {
        let url = URL(string: "blip://localhost:1/db")!
        let replConfig = ReplicatorConfiguration(withDatabase: database, targetURL: url)
        replConfig.continuous = true
        let replicator = Replicator(withConfig: replConfig)
        replicator.start()
        replicator.stop()
        #expect(replicator.config.continuous)
    }

    @Test("a change listener is notified of an error and of the end of the replication")
    func listening() throws {
        let config = ReplicatorConfiguration(
            database: database,
            target: URLEndpoint(url: URL(string: "ws://localhost:1/db")!)
        )
        config.maxAttempts = 1
        let replicator = Replicator(config: config)
        let stopped = DispatchSemaphore(value: 0)
        // Unsafe: read after the semaphore was signalled.
        nonisolated(unsafe) var code = 0
        replicator.addChangeListener(withQueue: DispatchQueue(label: "sample")) { (change) in
            if let error = change.status.error as NSError? {
                code = error.code
            }
            if change.status.activity == .stopped {
                stopped.signal()
            }
        }
        replicator.start()
        stopped.wait()
        #expect(code == Int(ECONNREFUSED))
    }

    @Test("documents are pushed to another local database")
    func localDatabase() async throws {
        let database2 = try open("backup")
        try database.saveDocument(MutableDocument(id: "x"))
        let targetDatabase = DatabaseEndpoint(database: database2)
        let config = ReplicatorConfiguration(database: database, target: targetDatabase)
        config.replicatorType = .push
        let replicator = Replicator(config: config)
        let statuses = replicator.statusChanges()
        replicator.start()
        for await status in statuses where status.activity == .stopped { break }
        #expect(replicator.status.error == nil)
        #expect(database2.document(withID: "x") != nil)
    }

    @Test("a certificate is read from a file and pinned")
    func pinning() throws {
        let identity = try TLSIdentity.createIdentity(
            forServer: true,
            attributes: [certAttrCommonName: "sample"],
            label: "sample \(directory.url.lastPathComponent)"
        )
        defer { try? TLSIdentity.deleteIdentity(withLabel: "sample \(directory.url.lastPathComponent)") }
        let file = directory.url.appendingPathComponent("cert.cer")
        try (SecCertificateCopyData(identity.certs[0]) as Data).write(to: file)

        let data = NSData(data: try Data(contentsOf: file))
        let cert = SecCertificateCreateWithData(nil, data)
        let target = URLEndpoint(url: URL(string: "wss://localhost:4985/db")!)
        let config = ReplicatorConfiguration(database: database, target: target)
        config.pinnedServerCertificate = cert
        #expect(config.pinnedServerCertificate == identity.certs[0])
    }
}
#endif
