#if Replication
import SyncCore
import Foundation
import Replication
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Replication between two databases in one process", .ownThreads)
struct LocalReplicationTests {
    let folder: DatabaseFolder
    let near: Database
    let far: Database

    init() throws {
        folder = try DatabaseFolder()
        near = try folder.open("near")
        far = try folder.open("far")
    }

    /// Runs a replicator until it has stopped, and returns the reported documents.
    @discardableResult
    private func run(
        _ type: ReplicatorType = .pushAndPull,
        reset: Bool = false,
        collections: [String] = ["_default"],
        configure: (inout CollectionConfiguration) -> Void = { _ in }
    ) async throws -> [String] {
        var collectionConfig = CollectionConfiguration()
        configure(&collectionConfig)
        let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: far))
        for name in collections {
            config.addCollection(try #require(try near.collection(name: name)), config: collectionConfig)
        }
        config.replicatorType = type
        return try await Replicator(config: config).runToEnd(reset: reset)
    }

    private func save(_ id: String, _ json: String = #"{"a":1}"#, in database: Database) throws {
        let document = database.document(withID: id)?.toMutable() ?? MutableDocument(id: id)
        try database.saveDocument(document.setJSON(json))
    }

    private func contents(_ database: Database) throws -> [String: String] {
        var contents: [String: String] = [:]
        for result in try database.createQuery("SELECT meta().id FROM _").execute().allResults() {
            let id = try #require(result.string(at: 0))
            contents[id] = database.document(withID: id)?.toJSON()
        }
        return contents
    }

    private func openVectors(_ name: String) throws -> Database {
        let config = folder.config
        config.versioning = .versionVectors
        return try Database(name: name, config: config)
    }

    private func replicator(
        _ source: Database,
        with target: Database,
        _ type: ReplicatorType = .pushAndPull,
        resolving resolve: (any ConflictResolverProtocol)? = nil
    ) throws -> Replicator {
        let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: target))
        var collection = CollectionConfiguration()
        collection.conflictResolver = resolve
        config.addCollection(try source.defaultCollection(), config: collection)
        config.replicatorType = type
        return Replicator(config: config)
    }

    @Test("databases with version vectors are replicated, with deletions, blobs and conflicts, which a resolver merges")
    func versionVectors() async throws {
        let (here, there) = (try openVectors("here"), try openVectors("there"))
        for id in ["kept", "deleted", "conflict"] { try save(id, in: here) }
        let blob = MutableDocument(id: "blob")
        blob.setBlob(Blob(contentType: "text/plain", data: Data("content".utf8)), forKey: "blob")
        try there.saveDocument(blob)
        try await replicator(here, with: there).runToEnd()
        #expect(try contents(here) == contents(there))
        #expect(here.document(withID: "blob")?.blob(forKey: "blob")?.content == Data("content".utf8))
        #expect(there.document(withID: "kept")?.revisionID?.hasSuffix("@*") == false)

        try here.deleteDocument(try #require(here.document(withID: "deleted")))
        try save("conflict", #"{"here":1}"#, in: here)
        try save("conflict", #"{"there":2}"#, in: there)
        let merging = VectorMerging()
        try await replicator(here, with: there, resolving: merging).runToEnd()
        #expect(merging.count.withLock { $0 } == 1)
        for database in [here, there] {
            let merged = try #require(database.document(withID: "conflict"))
            #expect(merged.int(forKey: "here") == 1 && merged.int(forKey: "there") == 2)
            #expect(try contents(database).keys.sorted() == ["blob", "conflict", "kept"])
        }
        #expect(try await replicator(here, with: there).runToEnd() == [])
        for database in [here, there] { try database.performMaintenance(type: .integrityCheck) }
    }

    @Test("a database with version vectors serves one with trees, and the other way round a replicator stops with an error that says so")
    func mixedVersioning() async throws {
        let vectors = try openVectors("vectors")
        try save("a", in: near)
        for type in [.pushAndPull, .push, .pull] as [ReplicatorType] {
            let replicator = try replicator(vectors, with: near, type)
            let error = await #expect(throws: NSError.self) { try await replicator.runToEnd() }
            #expect(error?.code == 501 && error?.domain == CBLError.domain)
            #expect(error?.localizedDescription.contains("version vectors") == true)
            #expect(error?.localizedDescription.contains("upgrade") == true)
        }
        try save("c", in: vectors)
        try await replicator(near, with: vectors).runToEnd()
        #expect(vectors.document(withID: "a")?.toJSON() == #"{"a":1}"#)
        #expect(try contents(near) == contents(vectors))
        try near.upgradeToVersionVectors()
        try save("a", #"{"a":2}"#, in: near)
        try save("b", in: vectors)
        try await replicator(near, with: vectors).runToEnd()
        #expect(try contents(near) == contents(vectors))
    }

    @Test("a database is not upgraded to version vectors while a replicator runs, but as soon as it has stopped")
    func upgradeWhileRunning() async throws {
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: near.defaultCollection())],
            target: DatabaseEndpoint(database: far)
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        replicator.start()
        await replicator.wait(for: .idle)
        for database in [near, far] {
            let error = #expect(throws: NSError.self) { try database.upgradeToVersionVectors() }
            #expect(error?.code == CBLError.busy)
        }
        replicator.stop()
        await replicator.wait(for: .stopped)
        try near.upgradeToVersionVectors(ignoringRemotes: true)
        try far.upgradeToVersionVectors()
    }

    @Test("documents are replicated in both directions, and a second run transfers nothing")
    func bothWays() async throws {
        for number in 0..<30 {
            try save("near\(number)", in: near)
            try save("far\(number)", #"{"b":[1,{"c":"d"}]}"#, in: far)
        }
        let notified = try await run()
        #expect(notified.filter { $0.hasPrefix("push near") }.count == 30)
        #expect(notified.filter { $0.hasPrefix("pull far") }.count == 30)
        #expect(notified.count == 60)
        #expect(try contents(near) == contents(far))
        #expect(try contents(near).count == 60)
        #expect(try await run().isEmpty)
        for name in ["near", "far"] {
            // A revision ID is computed from the bytes of the database in which it was created: keys have other numbers in this one.
            let problems = try folder.problems(name).filter {
                !$0.hasSuffix("its ID is not the digest of its body")
            }
            #expect(problems == [])
        }
    }

    @Test("changes, deletions and blobs are replicated between two databases")
    func changes() async throws {
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try near.saveDocument(MutableDocument(id: "blob").setBlob(Blob(contentType: "image/png", data: data), forKey: "b"))
        try save("changed", in: near)
        try save("deleted", in: near)
        try await run()
        #expect(far.document(withID: "blob")?.blob(forKey: "b")?.content == data)
        try save("changed", #"{"a":2}"#, in: far)
        try near.deleteDocument(#require(near.document(withID: "deleted")))
        try await run()
        #expect(try contents(near) == contents(far))
        #expect(near.document(withID: "changed")?.int(forKey: "a") == 2)
        #expect(far.document(withID: "deleted") == nil)
    }

    @Test("a push leaves the local database unchanged, and a pull the remote one", arguments: [ReplicatorType.push, .pull])
    func direction(_ type: ReplicatorType) async throws {
        try save("near", in: near)
        try save("far", in: far)
        try await run(type)
        #expect((far.document(withID: "near") != nil) == (type == .push))
        #expect((near.document(withID: "far") != nil) == (type == .pull))
    }

    @Test("named collections are replicated by name, and a collection that the peer lacks is an error")
    func collections() async throws {
        for name in ["a", "b"] {
            try near.createCollection(name: name).save(document: MutableDocument(id: "in \(name)"))
            _ = try far.createCollection(name: name)
        }
        try await run(collections: ["a", "b"])
        for name in ["a", "b"] {
            let collection = try #require(try far.collection(name: name))
            #expect(try collection.document(id: "in \(name)") != nil)
            #expect(collection.count == 1)
        }
        _ = try near.createCollection(name: "c")
        #expect(await thrown { try await run(collections: ["a", "c"]) } == .couchbaseLite(CBLError.httpNotFound))
    }

    @Test("push and pull filters get the documents, and decide which ones are replicated")
    func filters() async throws {
        for number in 0..<4 {
            try save("near\(number)", #"{"n":\#(number)}"#, in: near)
            try save("far\(number)", #"{"n":\#(number)}"#, in: far)
        }
        let seen = Recorder<String>()
        // A document that the pull filter rejects is reported with an error.
        let code = await thrown {
            try await run { config in
                config.pushFilter = { document, flags in
                    seen.append("push \(document.id) \(document.collection?.name ?? "none") \(flags.rawValue)")
                    return document.int(forKey: "n") % 2 == 0
                }
                config.pullFilter = { document, _ in document.int(forKey: "n") < 3 }
            }
        }
        #expect(code == .couchbaseLite(CBLError.httpForbidden))
        #expect(Set(seen.all) == Set((0..<4).map { "push near\($0) _default 0" }))
        #expect(Set(try contents(far).keys.filter { $0.hasPrefix("near") }) == ["near0", "near2"])
        #expect(Set(try contents(near).keys.filter { $0.hasPrefix("far") }) == ["far0", "far1", "far2"])
    }

    @Test("document IDs restrict replication in both directions")
    func documentIDs() async throws {
        for id in ["a", "b"] {
            try save("near \(id)", in: near)
            try save("far \(id)", in: far)
        }
        try await run { $0.documentIDs = ["near a", "far b"] }
        #expect(Set(try contents(far).keys) == ["near a", "far a", "far b"])
        #expect(Set(try contents(near).keys) == ["near a", "near b", "far b"])
    }

    @Test("a merged conflict is pushed by the run that has pulled it, and is reported once")
    func conflict() async throws {
        struct Merge: ConflictResolverProtocol {
            func resolve(conflict: Conflict) -> Document? {
                guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return nil }
                let base = conflict.baseDocument?.int(forKey: "n") ?? 0
                let sum = local.int(forKey: "n") + remote.int(forKey: "n") - base
                return remote.toMutable().setInt(sum, forKey: "n")
            }
        }
        try save("x", #"{"n":10}"#, in: near)
        try await run()
        try save("x", #"{"n":13}"#, in: near)
        try save("x", #"{"n":15}"#, in: far)
        let notified = try await run { $0.conflictResolver = Merge() }
        #expect(near.document(withID: "x")?.int(forKey: "n") == 18)
        #expect(far.document(withID: "x")?.int(forKey: "n") == 18)
        #expect(notified == ["pull x"])
        let pending = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: near.defaultCollection())],
            target: DatabaseEndpoint(database: far)
        )
        #expect(try Replicator(config: pending).pendingDocumentIds() == [])
        #expect(near.document(withID: "x")?.revisionID == far.document(withID: "x")?.revisionID)
        #expect(try near.defaultCollection().conflictedDocumentIDs().isEmpty)
    }

    @Test("a run with a reset checkpoint pulls a purged document again and transfers nothing else")
    func reset() async throws {
        try save("x", in: near)
        try save("y", in: far)
        try await run()
        try near.purgeDocument(withID: "y")
        #expect(try await run() == [])
        #expect(try await run(reset: true) == ["pull y"])
        #expect(try contents(near) == contents(far))
    }

    @Test("a run with a reset checkpoint pushes a document that was purged on the other side")
    func resetPush() async throws {
        for id in ["x", "y"] { try save(id, in: near) }
        try await run()
        try far.purgeDocument(withID: "x")
        #expect(try await run() == [])
        #expect(try await run(reset: true) == ["push x"])
        #expect(try contents(near) == contents(far))
    }

    @Test("pending document IDs do not contain uncommitted changes of another database object, also on the same thread")
    func pendingInBatchOfAnother() throws {
        func replicator(of database: Database) throws -> Replicator {
            let config = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: database.defaultCollection())],
                target: DatabaseEndpoint(database: far)
            )
            return Replicator(config: config)
        }
        let mine = try replicator(of: near)
        let theirs = try replicator(of: folder.open("near"))
        try save("a", in: near)
        try near.inBatch {
            try save("b", in: near)
            try near.purgeDocument(withID: "a")
            #expect(try theirs.pendingDocumentIds() == ["a"])
            #expect(try theirs.isDocumentPending("a"))
            #expect(try !theirs.isDocumentPending("b"))
            #expect(try mine.pendingDocumentIds() == ["b"])
        }
        #expect(try theirs.pendingDocumentIds() == ["b"])
    }

    @Test("pending document IDs follow changes, the push filter and a completed run")
    func pending() async throws {
        let collection = try near.defaultCollection()
        var only = CollectionConfiguration()
        only.pushFilter = { document, _ in document.id != "filtered" }
        let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: far))
        config.addCollection(collection, config: only)
        let replicator = Replicator(config: config)
        #expect(try replicator.pendingDocumentIds(collection: collection).isEmpty)
        for id in ["a", "b", "filtered"] { try save(id, in: near) }
        #expect(try replicator.pendingDocumentIds(collection: collection) == ["a", "b"])
        #expect(try replicator.pendingDocumentIds() == ["a", "b"])
        #expect(try replicator.isDocumentPending("a", collection: collection))
        #expect(try !replicator.isDocumentPending("filtered"))
        #expect(try !replicator.isDocumentPending("unknown"))
        try await replicator.runToEnd()
        #expect(try replicator.pendingDocumentIds().isEmpty)
        #expect(try !replicator.isDocumentPending("a"))
        try save("b", #"{"a":2}"#, in: near)
        #expect(try replicator.pendingDocumentIds() == ["b"])
        let other = try near.createCollection(name: "other")
        #expect(thrown { _ = try replicator.pendingDocumentIds(collection: other) } == .notFound)
        config.replicatorType = .pull
        #expect(
            thrown { _ = try Replicator(config: config).pendingDocumentIds() }
                == .couchbaseLite(CBLError.unsupported)
        )
    }

    @Test("a run after a replicator was stopped while idle neither transfers nor filters a document again")
    func stopWhenIdle() async throws {
        for number in 0..<50 {
            try save("near\(number)", in: near)
            try save("far\(number)", in: far)
        }
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: near.defaultCollection())],
            target: DatabaseEndpoint(database: far)
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        replicator.start()
        let status = await replicator.wait(for: .idle)
        #expect(status.progress.completed == status.progress.total)
        replicator.stop()
        await replicator.wait(for: .stopped)
        let offered = Recorder<String>()
        let next = try await run { config in
            config.pushFilter = { document, _ in
                offered.append(document.id)
                return true
            }
        }
        #expect(next.isEmpty)
        // Pushed documents are not even read again.
        #expect(offered.all.isEmpty)
    }

    @Test("a replicator can be stopped while its push filter rejects many documents")
    func stopWhileFiltering() async throws {
        try near.inBatch {
            for number in 0..<3000 { try near.saveDocument(MutableDocument(id: "near\(number)")) }
        }
        let collection = try near.defaultCollection()
        let asked = Recorder<String>()
        let holder = Recorder<Replicator>()
        var only = CollectionConfiguration()
        only.pushFilter = { document, _ in
            asked.append(document.id)
            if asked.all.count == 300 { holder.all.first?.stop() }
            return false
        }
        let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: far))
        config.addCollection(collection, config: only)
        let replicator = Replicator(config: config)
        holder.append(replicator)
        replicator.start()
        await replicator.wait(for: .stopped)
        #expect(asked.all.count < 700)
        #expect(far.count == 0)
        try near.close()
    }

    @Test("a continuous replicator transfers later changes of either side until the other database is closed")
    func continuous() throws {
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: near.defaultCollection())],
            target: DatabaseEndpoint(database: far)
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        let statuses = Recorder<Replicator.Status>()
        let pulled = Recorder<String>()
        let queue = DispatchQueue(label: "test.continuous")
        replicator.addChangeListener(withQueue: queue) { statuses.append($0.status) }
        replicator.addDocumentReplicationListener(withQueue: queue) { replication in
            for document in replication.documents { pulled.append("\(replication.isPush) \(document.id)") }
        }
        replicator.start()
        statuses.wait { $0.last?.activity == .idle }
        try save("near", in: near)
        pulled.wait { $0.contains("true near") }
        try save("far", in: far)
        pulled.wait { $0.contains("false far") }
        #expect(try contents(near) == contents(far))
        try far.close()
        #expect(replicator.status.activity == .stopped)
        #expect(replicator.status.error == nil)
    }
}

/// Merges both sides of a conflict.
private final class VectorMerging: ConflictResolverProtocol {
    let count = Mutex(0)

    func resolve(conflict: Conflict) -> Document? {
        count.withLock { $0 += 1 }
        guard let local = conflict.localDocument?.toMutable(), let remote = conflict.remoteDocument else { return nil }
        for key in remote.keys { local.setValue(remote.value(forKey: key), forKey: key) }
        return local
    }
}
#endif
