#if Replication
import CouchbaseLiteSwift
import Foundation
import TestTraits
import TestSupport
import Testing

@Suite("The guide to replication", .ownThreads)
struct ReplicatingGuideTests {
    @Test("the examples of the guide to replication replicate, report the status and list pending documents")
    func works() async throws {
        let folder = try DatabaseFolder()
        let server = try ServedDatabase(folder, collection: "notes") { config in
            config.authenticator = ListenerPasswordAuthenticator { name, password in
                name == "anna" && password == "letmein"
            }
        }
        let (url, password) = (server.url, "letmein")
        let database = try folder.open("client")
        let notes = try database.createCollection(name: "notes")
        let queue = DispatchQueue(label: "guide")
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        try notes.save(document: MutableDocument(id: "note-1").setString("Hello", forKey: "text"))
        try server.collection.save(document: MutableDocument(id: "note-2").setString("Hi", forKey: "text"))

        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes)],
            target: URLEndpoint(url: url)
        )
        config.continuous = true
        config.authenticator = BasicAuthenticator(username: "anna", password: password)

        let replicator = Replicator(config: config)
        replicator.start()

        func save(_ note: MutableDocument) async throws {
            try notes.save(document: note)
            try await replicator.waitUntilIdle()
        }
        try await save(MutableDocument(id: "note-4"))
        #expect(try server.collection.document(id: "note-4") != nil)

        let token = replicator.addChangeListener(withQueue: queue) { change in
            let progress = change.status.progress
            print(change.status.activity, progress.completed, "of", progress.total)
            if let error = change.status.error as NSError? {
                print("failed:", error.code, error.localizedDescription)
            }
            if let reason = change.status.firstRefusal {
                print("refused:", change.status.refusedCount, reason.localizedDescription)
            }
        }

        let documents = replicator.addDocumentReplicationListener(withQueue: queue) {
            replication in
            for document in replication.documents {
                print(
                    replication.isPush ? "pushed" : "pulled",
                    document.id,
                    document.error?.localizedDescription ?? ""
                )
            }
        }

        let statuses = replicator.statusChanges()
        if replicator.status.activity != .idle {
            for await status in statuses {
                if status.activity == .idle || status.activity == .stopped { break }
            }
        }

        let waiting = try replicator.pendingDocumentIds(collection: notes)
        if try replicator.isDocumentPending("note-1", collection: notes) {
            print("not yet on the server, as", waiting.count, "in all")
        }

        #expect(waiting.isEmpty)
        #expect(try server.collection.document(id: "note-1")?.string(forKey: "text") == "Hello")
        #expect(try notes.document(id: "note-2")?.string(forKey: "text") == "Hi")
        // The listener may have been added after the replicator became idle for the first time.
        try notes.save(document: MutableDocument(id: "note-3"))
        printed.wait { $0.contains { $0.hasPrefix("idle") } }
        token.remove()
        documents.remove()
        replicator.stop()
        await replicator.waitUntilDone()
    }

    @Test("the example of the guide to replication runs a replicator and prints its report")
    func running() async throws {
        let folder = try DatabaseFolder()
        let server = try ServedDatabase(folder, collection: "notes")
        let (url, notes) = (server.url, try folder.open("client").createCollection(name: "notes"))
        try notes.save(document: MutableDocument(id: "note-1"))
        try server.collection.save(document: MutableDocument(id: "note-2"))
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes)],
            target: URLEndpoint(url: url)
        )
        let report = try await Replicator(config: config).run()
        print(report.pushed.count, "pushed,", report.pulled.count, "pulled")
        for conflict in report.conflicts.first {
            print(conflict.id, "was in conflict:", conflict.resolution)
        }
        for refusal in report.refused.first {
            print(refusal.id, "was refused:", refusal.error.localizedDescription)
        }
        #expect(printed == ["1 pushed, 1 pulled"])
    }

    @Test("the example of the guide to replication does not push filtered documents")
    func filters() async throws {
        let folder = try DatabaseFolder()
        let server = try ServedDatabase(folder, collection: "notes")
        let notes = try folder.open("client").createCollection(name: "notes")
        try notes.save(document: MutableDocument(id: "a").setBoolean(true, forKey: "draft"))
        try notes.save(document: MutableDocument(id: "b"))
        let url = server.url

        var configuration = CollectionConfiguration(collection: notes)
        configuration.channels = ["paris", "lyon"]
        configuration.pushFilter = { document, flags in
            flags.contains(.deleted) || !document.boolean(forKey: "draft")
        }
        let config = ReplicatorConfiguration(
            collections: [configuration],
            target: URLEndpoint(url: url)
        )

        config.replicatorType = .push
        let replicator = Replicator(config: config)
        replicator.start()
        let status = await replicator.waitUntilDone()
        #expect(status.error == nil)
        #expect(try server.collection.document(id: "a") == nil)
        #expect(try server.collection.document(id: "b") != nil)
    }
}
#endif
