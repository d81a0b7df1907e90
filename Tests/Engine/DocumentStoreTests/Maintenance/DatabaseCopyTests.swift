import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import DocumentStore

@Suite("Database copies")
struct DatabaseCopyTests {
    @Test("a copy of an open database has the last committed state, and its own UUIDs")
    func openDatabase() throws {
        let database = try TestDatabase()
        let digest = try database.file.blobs.store(Array("hello".utf8))
        try database.save("a", #"{"n":1}"#)
        let before = try database.texts("SELECT hex(body) FROM kv_info WHERE key GLOB '*UUID' ORDER BY key")
        let target = BundlePath(database.directory.path("copies/copy.cblite2"))
        try DatabaseCopy.copy(database.path, to: target)
        #expect(try database.texts("SELECT hex(body) FROM kv_info WHERE key GLOB '*UUID' ORDER BY key") == before)
        let copy = try DatabaseRegistry.open(target.directory)
        defer { try? DatabaseRegistry.close(copy) }
        #expect(try copy.collection(.default)?.document("a")?.canonicalJSON() == #"{"n":1}"#)
        #expect(try copy.blobs.contents(of: digest) == Array("hello".utf8))
        try copy.read { context in
            let connection = context.connection
            let previous = try InfoStore.bytes(InfoStore.previousPrivateUUID, on: connection)
            #expect(previous == hex(before[0]))
            for key in [InfoStore.publicUUID, InfoStore.privateUUID] {
                let uuid = try #require(try InfoStore.bytes(key, on: connection))
                #expect(!before.map(hex).contains(uuid))
            }
        }
        #expect(try BundleChecker(copy).findings() == [])
        try database.checkAndClose()
    }

    @Test("a copy has all blobs of its documents despite concurrent saves and compactions")
    func whileCompacting() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        let file = database.file
        let isDone = Atomic(false)
        func save(_ number: Int) throws {
            let digest = try file.blobs.store(Array("blob \(number)".utf8))
            let json = #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#
            try file.transaction { writer in
                // The blob is stored again if a compaction was executed before the document was saved.
                _ = try file.blobs.store(Array("blob \(number)".utf8))
                try collection.save(DocumentSave("\(number % 20)", base: .latest), json, hasBlobs: true, in: writer)
            }
        }
        for number in 0..<20 { try save(number) }
        try onThreads(2) { thread in
            guard thread == 0 else {
                var number = 20
                while !isDone.load(ordering: .relaxed) {
                    for _ in 0..<10 {
                        try save(number)
                        number += 1
                    }
                    try file.compact()
                }
                return
            }
            defer { isDone.store(true, ordering: .relaxed) }
            for round in 0..<15 {
                let target = BundlePath(database.directory.path("copy\(round).cblite2"))
                try DatabaseCopy.copy(database.path, to: target)
                let copy = try DatabaseRegistry.open(target.directory)
                defer { try? DatabaseRegistry.close(copy) }
                #expect(try BundleChecker(copy).findings() == [])
            }
        }
        try database.checkAndClose()
    }

    @Test("copying onto an existing database, or from something that is not a database, throws an error and leaves no files")
    func failures() throws {
        let database = try TestDatabase()
        let target = BundlePath(database.directory.path("copy.cblite2"))
        #expect(throws: StoreError.alreadyExists(path: database.path.directory)) {
            try DatabaseCopy.copy(target, to: database.path)
        }
        #expect(throws: StoreError.self) {
            try DatabaseCopy.copy(BundlePath(database.directory.path("none")), to: target)
        }
        try Data("no".utf8).write(to: database.directory.url.appendingPathComponent("text"))
        #expect(throws: StoreError.self) {
            try DatabaseCopy.copy(BundlePath(database.directory.path("text")), to: target)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: database.directory.url.path).sorted()
                == ["test.cblite2", "text"]
        )
    }

    @Test("copies of real databases are upgraded, and the originals stay unchanged", arguments: ["v2.8", "wal"])
    func fixture(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let original = try directory.copy(RealDatabase.url(name))
        let target = BundlePath(directory.path("copy.cblite2"))
        let file = original.appendingPathComponent("db.sqlite3")
        let before = try Data(contentsOf: file)
        try DatabaseCopy.copy(BundlePath(original.path), to: target)
        #expect(try Data(contentsOf: file) == before)
        let copy = try DatabaseRegistry.open(target.directory)
        #expect(try copy.collection(.default)?.count() == UInt64(FixtureTests.documentCounts[name] ?? 0))
        #expect(copy.version == .current)
        try DatabaseRegistry.close(copy)
        #expect(try DatabaseChecker.check(URL(fileURLWithPath: target.directory)).problems == [])
    }
}
