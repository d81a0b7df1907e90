import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("Batches")
struct BatchTests {
    struct Oops: Error, LocalizedError {
        var errorDescription: String? { "the cat sat on it" }
    }

    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    /// The error that ends a batch.
    private func error(_ block: () throws -> Void) throws -> NSError {
        do {
            try database.inBatch(using: block)
        } catch let error as NSError {
            return error
        }
        throw Oops()
    }

    @Test("all changes of a batch are committed together with consecutive sequences")
    func commit() throws {
        let documents = (0..<50).map { MutableDocument(id: "\($0)").setInt($0, forKey: "n") }
        try database.inBatch {
            for document in documents { try database.saveDocument(document) }
            #expect(database.count == 50)
            try database.deleteDocument(documents[0])
            try database.purgeDocument(documents[1])
            #expect(database.count == 48)
            #expect(database["2"]["n"].int == 2)
        }
        #expect(database.count == 48)
        #expect(documents.dropFirst(2).map(\.sequence) == Array(3...50))
        #expect(documents[0].sequence == 51)
    }

    @Test("uncommitted changes of a batch are invisible to another database object, also on the same thread")
    func isolation() throws {
        let other = try folder.open()
        try database.saveDocument(MutableDocument(id: "old").setInt(1, forKey: "n"))
        let seen = try other.defaultCollection()
        func numbers(_ database: Database) throws -> [Int] {
            try database.createQuery("SELECT n FROM _ WHERE n > 0 ORDER BY n").execute().map { $0.int(at: 0) }
        }
        let prepared = try other.createQuery("SELECT count(*) FROM _")
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "new").setInt(2, forKey: "n").setInt(0, forKey: "newKey"))
            try database.saveDocument(#require(database.document(withID: "old")).toMutable().setInt(3, forKey: "n"))
            let made = try database.createCollection(name: "made")
            try made.save(document: MutableDocument(id: "m"))
            // The state that the other objects see.
            #expect(other.count == 1 && seen.count == 1)
            #expect(other.document(withID: "new") == nil)
            #expect(other["old"]["n"].int == 1)
            #expect(try seen.document(id: "old")?.sequence == 1)
            #expect(try numbers(other) == [1])
            #expect(try prepared.execute().allResults().first?.int(at: 0) == 1)
            #expect(try other.collection(name: "made") == nil)
            #expect(try other.collections().map(\.name) == ["_default"])
            // This object sees all changes, also after the other objects were queried, and in nested batches.
            #expect(database.count == 2 && made.count == 1)
            #expect(try numbers(database) == [2, 3])
            try database.inBatch {
                try database.saveDocument(MutableDocument(id: "inner"))
                #expect(database.count == 3 && other.count == 1)
            }
        }
        #expect(other.count == 3 && seen.count == 3)
        #expect(try numbers(other) == [2, 3])
        #expect(try other.collection(name: "made")?.count == 1)
    }

    @Test("writing through another database object inside a batch fails with busy, and the batch continues")
    func writingThroughAnother() throws {
        let other = try folder.open()
        try database.saveDocument(MutableDocument(id: "old"))
        let theirs = try #require(other.document(withID: "old"))
        let collection = try other.defaultCollection()
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "a"))
            let writes: [() throws -> Void] = [
                { try other.saveDocument(MutableDocument(id: "b")) },
                { try other.deleteDocument(theirs) },
                { try other.purgeDocument(withID: "old") },
                { try other.setDocumentExpiration(withID: "old", expiration: Date()) },
                { try other.inBatch {} },
                { _ = try other.createCollection(name: "c") },
                { try collection.createIndex(withName: "i", config: ValueIndexConfiguration(["n"])) },
            ]
            for (number, write) in writes.enumerated() {
                #expect(thrown(write) == .couchbaseLite(CBLError.busy), "write \(number)")
            }
            try database.saveDocument(MutableDocument(id: "c"))
        }
        #expect(database.count == 3)
        try other.saveDocument(MutableDocument(id: "b"))
        #expect(database.count == 4)
        try other.inBatch { try other.deleteDocument(theirs) }
        #expect(database.count == 3)
    }

    @Test("changes of a rolled-back batch are never visible to another database object")
    func isolationOfRollback() throws {
        let other = try folder.open()
        _ = try error {
            try database.saveDocument(MutableDocument(id: "a").setString("x", forKey: "key"))
            #expect(other.count == 0)
            throw Oops()
        }
        #expect(other.count == 0 && database.count == 0)
        try other.saveDocument(MutableDocument(id: "b").setString("y", forKey: "otherKey"))
        #expect(database["b"]["otherKey"].string == "y")
    }

    @Test("a collection deleted in a batch exists for other threads and database objects until the batch is committed")
    func isolationOfDeletedCollections() throws {
        let other = try folder.open()
        let mine = try database.createCollection(name: "things")
        try mine.save(document: MutableDocument(id: "a"))
        let theirs = try #require(try other.collection(name: "things"))
        func deleteAndCheck() throws {
            try database.deleteCollection(name: "things")
            #expect(thrown { _ = try mine.document(id: "a") } == .notOpen)
            #expect(try database.collection(name: "things") == nil)
            #expect(try theirs.document(id: "a") != nil)
            #expect(try theirs.indexes() == [])
            #expect(try other.collection(name: "things") == theirs)
            #expect(try onOtherThread { mine.count } == 1)
        }
        _ = try error {
            try deleteAndCheck()
            throw Oops()
        }
        #expect(mine.count == 1 && theirs.count == 1)
        try mine.save(document: MutableDocument(id: "a"))
        try database.inBatch { try deleteAndCheck() }
        #expect(thrown { _ = try theirs.document(id: "a") } == .notOpen)
        #expect(thrown { _ = try mine.document(id: "a") } == .notOpen)
        let again = try other.createCollection(name: "things")
        #expect(again.count == 0 && mine.count == 0)
    }

    @Test("an error in a batch rolls back all collections, sequences and new keys")
    func rollback() throws {
        let collection = try database.createCollection(name: "c")
        try database.saveDocument(MutableDocument(id: "a").setInt(1, forKey: "known"))
        let kept = MutableDocument(id: "kept")
        try collection.save(document: kept)
        let error = try error {
            try database.saveDocument(MutableDocument(id: "a").setInt(2, forKey: "newKey"))
            try database.saveDocument(MutableDocument(id: "b").setInt(2, forKey: "newKey"))
            try collection.purge(document: kept)
            try collection.save(document: MutableDocument(id: "c").setInt(3, forKey: "newerKey"))
            throw Oops()
        }
        #expect(error.domain == CBLError.domain)
        #expect(error.code == CBLError.unexpectedError)
        #expect(error.localizedDescription == "the cat sat on it")
        #expect(error.userInfo[NSUnderlyingErrorKey] is Oops)
        #expect(database["a"].document?.toDictionary() as? [String: Int] == ["known": 1])
        #expect(!database["b"].exists)
        #expect(collection["kept"].exists)
        #expect(collection.count == 1)
        let next = MutableDocument(id: "d").setInt(4, forKey: "otherKey")
        try database.saveDocument(next)
        #expect(next.sequence == 2)
        #expect(database["d"]["otherKey"].int == 4)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("an error thrown by the library in a batch becomes an unexpected error with the same description")
    func ownError() throws {
        let error = try error { try database.saveDocument(MutableDocument(id: "_")) }
        #expect(error.domain == CBLError.domain)
        #expect(error.code == CBLError.unexpectedError)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.code == CBLError.badDocID)
        #expect(error.localizedDescription == underlying.localizedDescription)
    }

    struct Refusal: Error, Equatable {
        let reason: String
    }

    @Test("batch returns the value of its closure after the commit")
    func value() throws {
        let database = database
        let count = try database.batch {
            try database.saveDocument(MutableDocument(id: "a"))
            return database.count
        }
        #expect(count == 1)
        #expect(try onOtherThread { database.count } == 1)
    }

    @Test("batch rolls back and passes on the error of its closure unchanged")
    func unchangedError() throws {
        #expect(throws: Refusal(reason: "no money")) {
            try database.batch {
                try database.saveDocument(MutableDocument(id: "a"))
                throw Refusal(reason: "no money")
            }
        }
        #expect(throws: CancellationError.self) { try database.batch { throw CancellationError() } }
        let own = #expect(throws: NSError.self) { try database.batch { try database.saveDocument(MutableDocument(id: "_")) } }
        #expect(own?.code == CBLError.badDocID)
        #expect(database.count == 0)
    }

    @Test("both forms of batches can be nested in each other")
    func nestedForms() throws {
        try database.batch {
            try database.inBatch {
                try database.batch { try database.saveDocument(MutableDocument(id: "a")) }
            }
        }
        #expect(database.count == 1)
        #expect(throws: Refusal(reason: "inner")) {
            try database.batch {
                try database.saveDocument(MutableDocument(id: "b"))
                try database.batch { throw Refusal(reason: "inner") }
            }
        }
        let error = try error { try database.batch { throw Refusal(reason: "inner") } }
        #expect(error.code == CBLError.unexpectedError)
        #expect(error.userInfo[NSUnderlyingErrorKey] as? Refusal == Refusal(reason: "inner"))
        #expect(database.count == 1)
        try database.batch {
            try? database.batch {
                try database.saveDocument(MutableDocument(id: "c"))
                throw Refusal(reason: "caught")
            }
        }
        #expect(database.count == 2)
    }

    @Test("batch of a closed database throws notOpen and does not call its closure")
    func closedBatch() throws {
        try database.close()
        var wasCalled = false
        let error = #expect(throws: NSError.self) { try database.batch { wasCalled = true } }
        #expect(error?.code == CBLError.notOpen)
        #expect(!wasCalled)
    }

    @Test("nested batches are part of the outer batch")
    func nested() throws {
        let database = database
        try database.inBatch {
            try database.inBatch {
                try database.saveDocument(MutableDocument(id: "a"))
                try database.inBatch { try database.saveDocument(MutableDocument(id: "b")) }
            }
            #expect(try onOtherThread { database.count } == 0)
            #expect(database.count == 2)
        }
        #expect(try onOtherThread { database.count } == 2)
        let error = try error {
            try database.inBatch { try database.saveDocument(MutableDocument(id: "c")) }
            try database.inBatch { throw Oops() }
        }
        #expect(error.code == CBLError.unexpectedError)
        #expect(error.localizedDescription == "the cat sat on it")
        #expect(error.userInfo[NSUnderlyingErrorKey] is Oops, "not wrapped twice")
        #expect(database.count == 2)
    }

    @Test("other threads see the last commit during a batch, and their writes wait for its end")
    func otherThreads() throws {
        let database = database
        try database.saveDocument(MutableDocument(id: "a").setInt(1, forKey: "n"))
        let started = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "a").setInt(2, forKey: "n"))
            Thread.detachNewThread {
                started.signal()
                #expect(throws: Never.self) {
                    // This save waits for the batch, and its revision follows that of the batch.
                    let document = MutableDocument(id: "a").setInt(3, forKey: "n")
                    try database.saveDocument(document)
                    #expect(document.sequence == 4)
                }
                done.signal()
            }
            started.wait()
            #expect(try onOtherThread { database["a"]["n"].int } == 1)
            try database.saveDocument(MutableDocument(id: "b"))
            #expect(database["a"]["n"].int == 2)
        }
        done.wait()
        #expect(database["a"]["n"].int == 3)
    }

    @Test("a document saved in a failed batch can be saved again")
    func savedAgain() throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        _ = try error {
            try database.saveDocument(document)
            throw Oops()
        }
        try database.saveDocument(document)
        #expect(database["a"]["n"].int == 1)
        #expect(document.sequence == 1)
    }

    @Test("maintenance is refused inside a batch")
    func maintenance() throws {
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "a"))
            #expect(thrown { try database.performMaintenance(type: .reindex) } == .transactionNotClosed)
        }
        for type in [MaintenanceType.compact, .reindex, .integrityCheck, .optimize, .fullOptimize] {
            try database.performMaintenance(type: type)
        }
        #expect(database.count == 1)
    }
}
