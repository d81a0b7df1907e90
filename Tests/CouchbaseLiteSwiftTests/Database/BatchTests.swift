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

    /// The error a batch ends with.
    private func error(_ block: () throws -> Void) throws -> NSError {
        do {
            try database.inBatch(using: block)
        } catch let error as NSError {
            return error
        }
        throw Oops()
    }

    @Test("all changes are committed together, and get sequences one after the other")
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

    @Test("an error takes back everything, in all collections, with sequences and new keys")
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

    @Test("an error of our own comes out as unexpected, with its description")
    func ownError() throws {
        let error = try error { try database.saveDocument(MutableDocument(id: "_")) }
        #expect(error.domain == CBLError.domain)
        #expect(error.code == CBLError.unexpectedError)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.code == CBLError.badDocID)
        #expect(error.localizedDescription == underlying.localizedDescription)
    }

    @Test("nested batches are part of the outer one, through whichever object of the file")
    func nested() throws {
        let database = database
        let twin = try folder.open()
        try database.inBatch {
            try database.inBatch {
                try database.saveDocument(MutableDocument(id: "a"))
                try twin.inBatch { try twin.saveDocument(MutableDocument(id: "b")) }
            }
            #expect(try onOtherThread { database.count } == 0)
            #expect(twin.count == 2)
        }
        #expect(try onOtherThread { database.count } == 2)
        let error = try error {
            try database.inBatch { try database.saveDocument(MutableDocument(id: "c")) }
            try twin.inBatch { throw Oops() }
        }
        #expect(error.code == CBLError.unexpectedError)
        #expect(error.localizedDescription == "the cat sat on it")
        #expect(error.userInfo[NSUnderlyingErrorKey] is Oops, "not wrapped twice")
        #expect(database.count == 2)
    }

    @Test("other threads see the last commit, and wait when they want to write")
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
                    // Waits for the batch; then it is on top of that.
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

    @Test("an object saved in a batch that failed can be saved again")
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

    @Test("maintenance has to wait for the end of a batch")
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
