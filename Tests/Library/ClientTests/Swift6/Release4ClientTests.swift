#if Replication
// Code as written for release 4.x, in Swift 6 mode. It uses nothing that 4.0 has removed, so that a warning here is a mistake.
import CouchbaseLiteSwift
import TestSupport
import TestTraits
import Testing

/// Replicates the notes and the tags of a user.
@MainActor
final class UserSync {
    private let replicator: Replicator
    private(set) var pushed: [String] = []

    init(_ database: Database, with other: Database) throws {
        var notes = CollectionConfiguration(collection: try database.createCollection(name: "notes"))
        notes.pushFilter = { document, flags in flags.contains(.deleted) || !document.boolean(forKey: "draft") }
        notes.conflictResolver = LaterVersion()
        let tags = CollectionConfiguration.fromCollections([try database.createCollection(name: "tags")])
        let config = ReplicatorConfiguration(collections: [notes] + tags, target: DatabaseEndpoint(database: other))
        config.replicatorType = .pushAndPull
        replicator = Replicator(config: config)
    }

    func run() async throws {
        let token = replicator.addDocumentReplicationListener { [weak self] replication in
            if replication.isPush { self?.pushed += replication.documents.map { "\($0.collection)/\($0.id)" } }
        }
        let statuses = replicator.statusChanges()
        replicator.start()
        for await status in statuses where status.activity == .stopped { break }
        // The last notification of documents may still be on its way to the main queue.
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        token.remove()
        if let error = replicator.status.error { throw error }
    }

    /// For a report to the administrator of the server.
    var connection: String { replicator.correlationID ?? "no connection with a server" }
}

/// Keeps the later version.
struct LaterVersion: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return nil }
        return local.timestamp > remote.timestamp ? local : remote
    }
}

@Suite("A client of release 4.x in Swift 6 mode", .ownThreads)
struct Release4ClientTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String) throws -> Database {
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        config.versioning = .versionVectors
        return try Database(name: name, config: config)
    }

    @Test("collections with configurations of their own are replicated, and the later version wins a conflict")
    func replicating() async throws {
        let (here, there) = (try open("here"), try open("there"))
        let theirs = try there.createCollection(name: "notes")
        _ = try there.createCollection(name: "tags")
        let sync = try await UserSync(here, with: there)
        let notes = try here.createCollection(name: "notes")
        try notes.save(document: MutableDocument(id: "a").setString("first", forKey: "text"))
        try notes.save(document: MutableDocument(id: "draft").setBoolean(true, forKey: "draft"))
        try here.createCollection(name: "tags").save(document: MutableDocument(id: "t"))
        try await sync.run()
        #expect(await sync.pushed.sorted() == ["notes/a", "tags/t"])
        #expect(await sync.connection == "no connection with a server")
        for (collection, text) in [(notes, "earlier"), (theirs, "later")] {
            let document = try #require(try collection.document(id: "a")).toMutable()
            try collection.save(document: document.setString(text, forKey: "text"))
        }
        try await sync.run()
        for collection in [notes, theirs] {
            #expect(try collection.document(id: "a")?.string(forKey: "text") == "later")
        }
    }

    @Test("a client creates an identity for both roles, and the errors of wrong ones can be caught by their code")
    func identities() throws {
        let label = "client \(UUID().uuidString)"
        let identity = try TLSIdentity.createIdentity(
            for: [.serverAuth, .clientAuth],
            attributes: [certAttrCommonName: "Anna's phone"],
            label: label
        )
        defer { try? TLSIdentity.deleteIdentity(withLabel: label) }
        #expect(identity.certs.count == 1)
        do {
            _ = try TLSIdentity.createIdentity(
                for: .clientAuth,
                attributes: [certAttrCommonName: "Anna's watch"],
                issuer: identity,
                label: label + " watch"
            )
            Issue.record("a self-signed identity is no authority")
        } catch CBLError.crypto {}
    }
}
#endif
