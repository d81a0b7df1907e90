import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

/// What has happened to the stored document since the saved object was read.
enum StoredState: CaseIterable, Sendable {
    case neverSaved, unchanged, changed, deleted, purged, changedAndDeleted
}

/// The kind of the saved object.
enum Origin: CaseIterable, Sendable {
    /// Created with the ID of the stored document.
    case new
    /// Read before the stored document changed to its present state.
    case read
}

@Suite("Saving documents")
struct SavingTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    /// Changes the stored document to a state, and returns the object to save.
    private func document(_ origin: Origin, _ state: StoredState, in collection: Collection) throws -> MutableDocument {
        let id = "doc"
        if state == .neverSaved { return MutableDocument(id: id).setString("mine", forKey: "who") }
        try collection.save(document: MutableDocument(id: id).setString("first", forKey: "who"))
        let read = try #require(try collection.document(id: id)).toMutable()
        let other = try #require(try collection.document(id: id)).toMutable()
        if state == .changed || state == .changedAndDeleted {
            try collection.save(document: other.setString("theirs", forKey: "who"))
        }
        if state == .deleted || state == .changedAndDeleted { try collection.delete(document: other) }
        if state == .purged { try collection.purge(id: id) }
        let object = origin == .new ? MutableDocument(id: id) : read
        return object.setString("mine", forKey: "who")
    }

    // MARK: Saving

    @Test("lastWriteWins saves a document whatever is stored", arguments: Origin.allCases, StoredState.allCases)
    func lastWriteWins(_ origin: Origin, _ state: StoredState) throws {
        let collection = try database.createCollection(name: "c")
        let document = try document(origin, state, in: collection)
        #expect(try collection.save(document: document, concurrencyControl: .lastWriteWins))
        let stored = try #require(try collection.document(id: "doc"))
        #expect(stored.string(forKey: "who") == "mine")
        #expect(stored.revisionID == document.revisionID)
        #expect(stored.sequence == document.sequence)
        let generations: [StoredState: String] = [
            .neverSaved: "1-", .purged: "1-", .unchanged: "2-", .changed: "3-", .deleted: "3-",
            .changedAndDeleted: "4-",
        ]
        #expect(try document.revisionID?.hasPrefix(#require(generations[state])) == true)
        #expect(collection.count == 1)
        // The same object is saved again.
        try collection.save(document: document.setString("again", forKey: "who"))
        #expect(collection["doc"]["who"].string == "again")
    }

    @Test(
        "failOnConflict refuses to save a document in conflict, which leaves the stored one unchanged",
        arguments: Origin.allCases,
        StoredState.allCases
    )
    func failOnConflict(_ origin: Origin, _ state: StoredState) throws {
        let collection = try database.createCollection(name: "c")
        let document = try document(origin, state, in: collection)
        let revision = document.revisionID
        let sequence = document.sequence
        let before = try collection.document(id: "doc")
        let expected =
            switch (origin, state) {
            case (_, .neverSaved), (.read, .unchanged): true
            // A new object has no information about earlier revisions.
            case (.new, .deleted), (.new, .changedAndDeleted), (.new, .purged): true
            default: false
            }
        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict) == expected)
        let stored = try collection.document(id: "doc")
        if expected {
            #expect(stored?.string(forKey: "who") == "mine")
            #expect(stored?.revisionID == document.revisionID)
        } else {
            #expect(stored == before)
            #expect(stored?.sequence == before?.sequence)
            #expect(document.revisionID == revision)
            #expect(document.sequence == sequence)
        }
    }

    @Test("a conflict handler decides whether a conflicting document is saved", arguments: StoredState.allCases, [true, false])
    func handler(_ state: StoredState, resolves: Bool) throws {
        let collection = try database.createCollection(name: "c")
        let document = try document(.read, state, in: collection)
        var calls: [String?] = []
        func save() throws -> Bool {
            try collection.save(document: document) { mine, theirs in
                calls.append(theirs?.string(forKey: "who"))
                #expect(mine === document)
                #expect(theirs?.collection == (theirs == nil ? nil : collection))
                mine.setString("merged", forKey: "who")
                return resolves
            }
        }
        switch state {
        case .neverSaved, .unchanged:
            #expect(try save())
            #expect(calls.isEmpty)
            #expect(collection["doc"]["who"].string == "mine")
        case .purged:
            #expect(thrown { _ = try save() } == .notFound)
            #expect(calls.isEmpty)
        case .changed, .deleted, .changedAndDeleted:
            #expect(try save() == resolves)
            #expect(calls == [state == .changed ? "theirs" : nil])
            let before: String? = state == .changed ? "theirs" : nil
            #expect(collection["doc"]["who"].string == (resolves ? "merged" : before))
        }
    }

    @Test("a conflict handler is called until there is no conflict, and may use the database")
    func handlerLoop() throws {
        let mine = MutableDocument(id: "doc").setInt(0, forKey: "n")
        try database.saveDocument(MutableDocument(id: "doc").setInt(-1, forKey: "n"))
        var calls = 0
        let saved = try database.saveDocument(mine) { mine, theirs in
            calls += 1
            #expect(theirs?.int(forKey: "n") == (calls == 1 ? -1 : 10 * (calls - 1)))
            mine.setInt(calls, forKey: "n")
            // Another writer saves first three times, once in a batch on another thread, which must not be blocked by a lock.
            guard calls <= 3 else { return true }
            let database = database
            let number = calls * 10
            #expect(throws: Never.self) {
                try onOtherThread {
                    try database.inBatch {
                        try database.saveDocument(MutableDocument(id: "doc").setInt(number, forKey: "n"))
                    }
                }
            }
            return true
        }
        #expect(saved)
        #expect(calls == 4)
        #expect(database["doc"]["n"].int == 4)
        #expect(database.document(withID: "doc")?.revisionID?.hasPrefix("5-") == true)
    }

    @Test("saving throws notFound if the document is purged while its conflict handler runs")
    func purgedInHandler() throws {
        try database.saveDocument(MutableDocument(id: "doc"))
        let error = thrown {
            _ = try database.saveDocument(MutableDocument(id: "doc")) { _, _ in
                #expect(throws: Never.self) { try database.purgeDocument(withID: "doc") }
                return true
            }
        }
        #expect(error == .notFound)
        #expect(database.count == 0)
    }

    @Test("saving throws notOpen if the conflict handler closes the database")
    func closedInHandler() throws {
        try database.saveDocument(MutableDocument(id: "doc"))
        let error = thrown {
            _ = try database.saveDocument(MutableDocument(id: "doc")) { _, _ in
                #expect(throws: Never.self) { try database.close() }
                return true
            }
        }
        #expect(error == .notOpen)
    }

    @Test("saving an unchanged document creates a new revision, and documents read earlier keep theirs")
    func unchanged() throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        try database.saveDocument(document)
        let early = try #require(database.document(withID: "a"))
        let first = (document.revisionID, document.sequence)
        try database.saveDocument(document)
        #expect(document.revisionID != first.0)
        #expect(document.sequence == first.1 + 1)
        try database.saveDocument(document.setInt(2, forKey: "n"))
        #expect(early.int(forKey: "n") == 1)
        #expect(early.revisionID == first.0)
        #expect(early.sequence == first.1)
        #expect(document._getRevisionHistory()?.split(separator: ",").count == 3)
        #expect(database.document(withID: "a")?._getRevisionHistory() == document._getRevisionHistory())
        // A document that was read earlier keeps its history, even if its revision is not stored any longer.
        #expect(early._getRevisionHistory() == early.revisionID)
        let latest = document.revisionID
        try database.purgeDocument(withID: "a")
        #expect(document._getRevisionHistory() == latest)
    }

    @Test("a document can be saved, deleted and purged only in its collection of the same database object")
    func foreign() throws {
        let collection = try database.createCollection(name: "c")
        let document = MutableDocument(id: "a")
        try collection.save(document: document)
        let twin = try folder.open()
        let strangers = [
            try database.defaultCollection(), try database.createCollection(name: "d"),
            try #require(try twin.collection(name: "c")), try folder.open("other").createCollection(name: "c"),
        ]
        let read = try #require(try collection.document(id: "a"))
        for stranger in strangers {
            for object in [document, read.toMutable()] {
                #expect(thrown { try stranger.save(document: object) } == .invalidParameter)
                #expect(
                    thrown { try stranger.save(document: object, concurrencyControl: .failOnConflict) }
                        == .invalidParameter
                )
                #expect(thrown { try stranger.save(document: object) { _, _ in true } } == .invalidParameter)
            }
            #expect(thrown { try stranger.delete(document: read) } == .invalidParameter)
            #expect(thrown { try stranger.purge(document: read) } == .invalidParameter)
        }
        #expect(thrown { try twin.deleteDocument(read) } == .invalidParameter)
        #expect(strangers.map(\.count) == [0, 0, 1, 0])
        let sameCollection = try #require(try database.collection(name: "c"))
        try sameCollection.save(document: document)
        try sameCollection.delete(document: document)
        #expect(collection.count == 0)
    }

    @Test("changes by another object of the file are conflicts, also when they were made in a batch")
    func conflictsBetweenObjects() throws {
        let twin = try folder.open()
        func change(_ id: String, elsewhere: (MutableDocument) throws -> Void) throws -> (saved: Bool, deleted: Bool) {
            try database.saveDocument(MutableDocument(id: id).setString("first", forKey: "by"))
            let mine = try #require(database.document(withID: id)).toMutable()
            let theirs = try #require(twin.document(withID: id)).toMutable()
            try elsewhere(theirs)
            let saved = try database.saveDocument(mine.setString("mine", forKey: "by"), concurrencyControl: .failOnConflict)
            return (saved, try database.deleteDocument(mine, concurrencyControl: .failOnConflict))
        }
        #expect(try change("saved") { try twin.saveDocument($0.setString("twin", forKey: "by")) } == (false, false))
        #expect(database["saved"]["by"].string == "twin")
        #expect(try change("batch") { document in try twin.inBatch { try twin.saveDocument(document) } } == (false, false))
        #expect(try change("deleted") { try twin.deleteDocument($0) } == (false, false))
        #expect(try change("purged") { try twin.purgeDocument($0) } == (false, true))
        #expect(try change("untouched") { _ in } == (true, true))
    }

    // MARK: IDs and contents

    @Test(
        "IDs of 1 to 240 bytes are valid whatever their characters",
        arguments: ["a", "ä/€ \"'%?#&=", ".", "-", "a_", "日本語", String(repeating: "x", count: 240), "\u{FFFD}"]
    )
    func goodIDs(_ id: String) throws {
        try database.saveDocument(MutableDocument(id: id).setString(id, forKey: "id"))
        #expect(database[id]["id"].string == id)
        try database.purgeDocument(withID: id)
        #expect(database.count == 0)
    }

    @Test(
        "documents with invalid IDs cannot be saved, and are not found",
        arguments: [
            "", "_", "_design/a", "a\nb", "\0", "\u{7F}", String(repeating: "x", count: 241),
            String(repeating: "ä", count: 121),
        ]
    )
    func badIDs(_ id: String) throws {
        let document = MutableDocument(id: id)
        #expect(thrown { try database.saveDocument(document) } == .couchbaseLite(CBLError.badDocID))
        #expect(document.revisionID == nil)
        #expect(document.collection == nil)
        #expect(database.document(withID: id) == nil)
        #expect(thrown { try database.purgeDocument(withID: id) } == .notFound)
    }

    @Test("IDs that are canonically equivalent but differ in their bytes belong to different documents")
    func canonicallyEqualIDs() throws {
        try database.saveDocument(MutableDocument(id: "\u{E9}").setInt(1, forKey: "n"))
        try database.saveDocument(MutableDocument(id: "e\u{301}").setInt(2, forKey: "n"))
        #expect(database.count == 2)
        #expect(database["\u{E9}"]["n"].int == 1)
    }

    @Test("generated IDs are unique and valid")
    func generatedIDs() throws {
        let ids = (0..<1000).map { _ in MutableDocument().id }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { $0.utf8.count == 23 && $0.hasPrefix("-") })
        try database.saveDocument(MutableDocument(id: ids[0]))
    }

    @Test("reserved top-level properties of the replication protocol are refused", arguments: ["_id", "_rev", "_deleted"])
    func reservedKeys(_ key: String) throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: key)
        #expect(thrown { try database.saveDocument(document) } == .invalidParameter)
        #expect(database.count == 0)
        try database.saveDocument(MutableDocument(id: "a").setValue([key: 1], forKey: "nested"))
        #expect(database["a"]["nested"][key].int == 1)
        #expect(thrown { try database.saveDocument(document) } == .invalidParameter)
    }

    @Test("saving values that cannot be stored throws an error, and the database remains usable")
    func hostileValues() throws {
        var deep: [Any] = []
        for _ in 0..<1000 { deep = [deep] }
        let hostile = [
            MutableDocument(id: "deep").setValue(deep, forKey: "v"),
            MutableDocument(id: "nan").setDouble(.nan, forKey: "a new key"),
            MutableDocument(id: "inside").setValue([["x": [1.0, Double.infinity * 0]]], forKey: "v"),
        ]
        try database.saveDocument(MutableDocument(id: "good").setInt(1, forKey: "n"))
        for document in hostile {
            let error = try #require(thrown { try database.saveDocument(document) })
            #expect(error.domain == "CouchbaseLite.Fleece")
        }
        try database.inBatch {
            for document in hostile { #expect(thrown { try database.saveDocument(document) } != nil) }
            try database.saveDocument(MutableDocument(id: "better").setInt(2, forKey: "another new key"))
        }
        let strange = ["", "\0", "a\"b", "日本", String(repeating: "k", count: 5000), "e\u{301}", "."]
        let document = MutableDocument(id: "strange")
        for key in strange { document.setString(key, forKey: key) }
        try database.saveDocument(document)
        try database.close()
        let again = try folder.open()
        #expect(again.count == 3)
        for key in strange { #expect(again["strange"][key].string == key) }
        #expect(again["better"]["another new key"].int == 2)
        try again.close()
        #expect(try folder.problems() == [])
    }

    @Test("documents of several megabytes can be saved")
    func large() throws {
        let text = String(repeating: "0123456789", count: 500_000)
        let document = MutableDocument(id: "a").setString(text, forKey: "text")
            .setValue((0..<50_000).map { ["number": $0] }, forKey: "list")
        try database.saveDocument(document)
        let read = try #require(database.document(withID: "a"))
        #expect(read.string(forKey: "text") == text)
        #expect(read.array(forKey: "list")?.count == 50_000)
        #expect(read["list"][49_999]["number"].int == 49_999)
    }
}
