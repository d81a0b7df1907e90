#if Replication
// Code as written for Swift 6: everything is checked for data races. The main purpose of the test is that this code compiles.
import CouchbaseLiteSwift
import Synchronization
import TestSupport
import TestTraits
import Testing

/// Keeps the notes of two databases equal.
actor NotesSync {
    private let replicator: Replicator
    private(set) var levels: [Replicator.ActivityLevel] = []

    init(_ notes: Collection, with other: Database, resolver: any AsyncConflictResolverProtocol & Sendable) {
        var collectionConfig = CollectionConfiguration()
        collectionConfig.asyncConflictResolver = resolver
        collectionConfig.pushFilter = { document, flags in
            flags.contains(.deleted) || !document.boolean(forKey: "draft")
        }
        let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: other))
        config.addCollection(notes, config: collectionConfig)
        replicator = Replicator(config: config)
    }

    /// Runs once, and returns what was replicated.
    func run() async throws -> [String] {
        let pulled = Mutex<[String]>([])
        let token = replicator.addDocumentReplicationListener(withQueue: .global()) { replication in
            pulled.withLock { $0 += replication.documents.map(\.id) }
        }
        let statuses = replicator.statusChanges()
        replicator.start()
        for await status in statuses {
            levels.append(status.activity)
            if status.activity == .stopped { break }
        }
        token.remove()
        if let error = replicator.status.error { throw error }
        return pulled.withLock { $0.sorted() }
    }
}

/// Keeps the longer text, and suspends in between.
struct LongerText: AsyncConflictResolverProtocol, Sendable {
    func resolve(conflict: Conflict) async throws -> Document? {
        await Task.yield()
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return nil }
        let (mine, theirs) = (local.string(forKey: "text") ?? "", remote.string(forKey: "text") ?? "")
        return mine.count > theirs.count ? local : remote
    }
}

@Suite("Replication in a client in Swift 6 mode", .ownThreads)
struct ReplicationClientTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ name: String) throws -> Database {
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        return try Database(name: name, config: config)
    }

    @Test("an actor replicates two databases with an async conflict resolver")
    func replicating() async throws {
        let (here, there) = (try open("here"), try open("there"))
        let notes = try here.createCollection(name: "notes")
        let theirs = try there.createCollection(name: "notes")
        let sync = NotesSync(notes, with: there, resolver: LongerText())
        try notes.save(document: MutableDocument(id: "a").setString("first", forKey: "text"))
        try notes.save(document: MutableDocument(id: "draft").setBoolean(true, forKey: "draft"))
        _ = try await sync.run()
        #expect(try theirs.document(id: "a")?.string(forKey: "text") == "first")
        #expect(theirs.count == 1)

        for (collection, text) in [(notes, "a long text of ours"), (theirs, "theirs")] {
            let document = try #require(try collection.document(id: "a")).toMutable()
            try collection.save(document: document.setString(text, forKey: "text"))
        }
        _ = try await sync.run()
        _ = try await sync.run()
        for collection in [notes, theirs] {
            #expect(try collection.document(id: "a")?.string(forKey: "text") == "a long text of ours")
        }
        #expect(try notes.conflictedDocumentIDs().isEmpty)
        #expect(await sync.levels.last == .stopped)
    }
}
#endif
