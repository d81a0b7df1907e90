import CouchbaseLiteSwift
import Testing

@Suite("Conflict resolvers of the developer previews")
struct SaveConflictTests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.database()
    }

    /// Records the conflicts that it receives, and resolves them with a closure.
    private final class Resolver: SaveConflictResolver {
        var conflicts: [SaveConflict] = []
        let answer: (SaveConflict) -> [String: Any]?

        init(_ answer: @escaping (SaveConflict) -> [String: Any]?) {
            self.answer = answer
        }

        func resolve(conflict: SaveConflict) -> [String: Any]? {
            conflicts.append(conflict)
            return answer(conflict)
        }
    }

    /// A document that was read, and then changed by another writer `theirChanges` times.
    private func conflictingDocument(theirChanges: Int = 1) throws -> MutableDocument {
        try database.saveDocument(MutableDocument(id: "doc", data: ["base": true, "n": 0]))
        let mine = try #require(database.document(withID: "doc")).toMutable()
        let theirs = try #require(database.document(withID: "doc")).toMutable()
        for number in 1...theirChanges { try database.saveDocument(theirs.setInt(number, forKey: "theirs")) }
        mine["mine"] = 1
        return mine
    }

    @Test("a save conflict resolver gets mine, theirs and base, and its result is saved")
    func merge() throws {
        let resolver = Resolver { conflict in
            conflict.mine.toDictionary().merging(conflict.theirs?.toDictionary() ?? [:]) { mine, _ in mine }
        }
        let document = try conflictingDocument()
        document.conflictResolver = resolver
        try document.save()
        let conflict = try #require(resolver.conflicts.first)
        #expect(resolver.conflicts.count == 1)
        #expect(conflict.theirs?.int(forKey: "theirs") == 1)
        #expect(conflict.base?.toDictionary() as? [String: NSNumber] == ["base": true, "n": 0])
        #expect(conflict.base?.revisionID?.hasPrefix("1-") == true)
        let stored = try #require(database.document(withID: "doc"))
        #expect(stored.int(forKey: "mine") == 1)
        #expect(stored.int(forKey: "theirs") == 1)
        #expect(stored.boolean(forKey: "base"))
        #expect(stored.revisionID == document.revisionID)
        #expect(stored.revisionID?.hasPrefix("3-") == true)
    }

    @Test("a save conflict resolver that returns nil causes a conflict error, and nothing is saved")
    func givingUp() throws {
        let document = try conflictingDocument()
        document.conflictResolver = Resolver { _ in nil }
        let saves: [() throws -> Void] = [
            { try document.save() }, { try database.save(document) }, { try database.save(document: document) },
        ]
        for save in saves { #expect(thrown(save) == .couchbaseLite(CBLError.conflict)) }
        #expect(!database["doc"]["mine"].exists)
        #expect(document.int(forKey: "mine") == 1)
        #expect(document.revisionID?.hasPrefix("1-") == true)
    }

    @Test("the resolver of a document takes precedence over the one of its database")
    func precedence() throws {
        let ofDatabase = Resolver { _ in ["by": "database"] }
        database.conflictResolver = ofDatabase
        #expect(database.conflictResolver as? Resolver === ofDatabase)
        let document = try conflictingDocument(theirChanges: 3)
        try database.save(document)
        #expect(database["doc"]["by"].string == "database")

        let other = try #require(database.document(withID: "doc")).toMutable()
        try database.saveDocument(document.setInt(9, forKey: "n"))
        other.conflictResolver = Resolver { _ in ["by": "document"] }
        try other.save()
        #expect(database["doc"]["by"].string == "document")
        #expect(ofDatabase.conflicts.count == 1)
    }

    @Test("a save conflict resolver is not called without a conflict or by newer save functions")
    func notAsked() throws {
        let resolver = Resolver { _ in nil }
        database.conflictResolver = resolver
        let new = MutableDocument()
        try database.save(new)
        try new.save()
        try database.saveDocument(try conflictingDocument())
        #expect(resolver.conflicts.isEmpty)
    }

    @Test("a save conflict resolver is called again with a newer version, and with the same base")
    func again() throws {
        let document = try conflictingDocument()
        let resolver = Resolver { [database] conflict in
            if conflict.theirs?.contains(key: "second") != true {
                let other = database.document(withID: "doc")?.toMutable()
                _ = try? other.map { try database.saveDocument($0.setInt(2, forKey: "second")) }
            }
            return ["seen": conflict.theirs?.contains(key: "second") ?? false]
        }
        document.conflictResolver = resolver
        try document.save()
        #expect(resolver.conflicts.count == 2)
        #expect(resolver.conflicts.allSatisfy { $0.base?.revisionID?.hasPrefix("1-") == true })
        #expect(database["doc"]["seen"].boolean)
    }

    @Test("a save conflict resolver gets the base of a document saved before, and nil for a new document")
    func laterBase() throws {
        let resolver = Resolver { $0.mine.toDictionary() }
        database.conflictResolver = resolver
        let mine = MutableDocument(withID: "doc")
        mine["n"] = 1
        try database.save(mine)
        try database.saveDocument(try #require(database.document(withID: "doc")).toMutable().setInt(2, forKey: "n"))
        mine["n"] = 3
        try mine.save()
        #expect(resolver.conflicts.last?.base?.int(forKey: "n") == 1)
        #expect(resolver.conflicts.last?.base?.revisionID?.hasPrefix("1-") == true)

        let new = MutableDocument(withID: "doc")
        try database.save(new)
        #expect(resolver.conflicts.count == 2)
        #expect(resolver.conflicts.last?.base == nil)
    }

    @Test("a save conflict resolver gets nil for a deleted document, which is restored")
    func deletion() throws {
        try database.saveDocument(MutableDocument(id: "doc"))
        let document = try #require(database.document(withID: "doc")).toMutable()
        try database.deleteDocument(try #require(database.document(withID: "doc")))
        let resolver = Resolver { conflict in
            #expect(conflict.theirs == nil)
            return ["revived": true]
        }
        document.conflictResolver = resolver
        try document.save()
        #expect(resolver.conflicts.count == 1)
        #expect(database["doc"]["revived"].boolean)
    }

    @Test("the default save conflict resolver keeps the side with more revisions, or mine if both have equally many", arguments: 1...3)
    func byDefault(_ theirChanges: Int) throws {
        let document = try conflictingDocument(theirChanges: theirChanges)
        try document.save()
        #expect(database["doc"]["mine"].exists == (theirChanges == 1))
        #expect(database["doc"]["theirs"].exists == (theirChanges > 1))
        #expect(document.toDictionary().count == 3)
        #expect(document.revisionID == database.document(withID: "doc")?.revisionID)
    }

    @Test("the save function of a database overwrites a conflicting document if no resolver is set")
    func lastWriteWins() throws {
        database.conflictResolver = Resolver { _ in nil }
        database.conflictResolver = nil
        #expect(database.conflictResolver == nil)
        try database.save(try conflictingDocument(theirChanges: 3))
        #expect(database["doc"]["mine"].exists)
        #expect(!database["doc"]["theirs"].exists)
    }
}
