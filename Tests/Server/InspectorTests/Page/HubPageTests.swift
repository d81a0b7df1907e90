#if Replication
import CouchbaseLiteSwift
import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite(
    "The inspector's page of a hub in Chromium",
    .urgentOnOwnThreads,
    .enabled(if: Chromium.isInstalled, "Chromium is not installed"),
    .runsProgram(of: .tool)
)
struct HubPageTests {
    /// A client that replicates continuously with a database of the hub.
    private final class Client {
        let directory: TemporaryDirectory
        let database: Database
        let replicator: Replicator
        /// The IDs of the documents that were pulled.
        let pulled = Recorder<String>()
        private let levels = Recorder<Replicator.ActivityLevel>()
        private var tokens: [ListenerToken] = []

        init(_ url: URL) throws {
            directory = try TemporaryDirectory()
            let config = DatabaseConfiguration()
            config.directory = directory.url.path
            database = try Database(name: "client", config: config)
            let replication = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: database.defaultCollection())],
                target: URLEndpoint(url: url)
            )
            replication.continuous = true
            replication.authenticator = BasicAuthenticator(username: "anna", password: "secret")
            replicator = Replicator(config: replication)
            tokens.append(replicator.addChangeListener { [levels] in levels.append($0.status.activity) })
            tokens.append(
                replicator.addDocumentReplicationListener { [pulled] replication in
                    for document in replication.documents where !replication.isPush { pulled.append(document.id) }
                }
            )
        }

        func start() async {
            replicator.start()
            _ = await levels.reaches { $0.contains(.idle) || $0.contains(.stopped) }
        }

        func stop() async {
            replicator.stop()
            _ = await levels.reaches { $0.last == .stopped }
            tokens.forEach { $0.remove() }
        }
    }

    @Test("a database is chosen and a document is changed in the page, and the change arrives at a client that replicates with the hub")
    func page() async throws {
        let sample = try SampleDatabase()
        let config = DatabaseConfiguration()
        config.directory = sample.directory.url.path
        try Database(name: "other", config: config).close()
        let tool = try ProcessRunner(product: "cblite")
        for words in [
            "role add DIR staff --channel news10", "user add DIR anna --channel * --role staff", "user add DIR <b>eve</b> --channel news2",
            "user set DIR <b>eve</b> --disable-login",
        ] {
            let arguments = words.split(separator: " ").map { $0 == "DIR" ? sample.directory.url.path : String($0) }
            let result = try await tool.run(["hub"] + arguments, environment: ["CBLITE_HUB_PASSWORD": "secret"])
            try #require(result.exitCode == 0, "\(result.errorOutput)")
        }
        let hub =
            try tool
            .start(["serve", "--hub", sample.directory.url.path, "--port", "0", "--admin-port", "0"])
        defer { hub.kill() }
        // Two databases, the port for administration, and the inspector.
        let lines = hub.waitForOutput(lines: 4)
        let link = try #require(lines.last)
        try #require(link.contains("/_inspect/?token="), "\(lines)")
        let base = try #require(lines.first { $0.hasSuffix("/sample") })
        let client = try Client(try #require(URL(string: base.replacing("http://", with: "ws://"))))
        await client.start()
        let before = client.pulled.all.count
        try Chromium.run("drive_hub.py", [link])
        _ = await client.pulled.reaches { $0.dropFirst(before).contains("person-001") }
        let changed = try client.database.defaultCollection().document(id: "person-001")
        #expect(changed?.string(forKey: "name") == "Person 1 of the hub")
        await client.stop()
        hub.kill(SIGINT)
        #expect(hub.waitUntilExit().exitCode == 0)
        withExtendedLifetime(sample) {}
    }
}
#endif
