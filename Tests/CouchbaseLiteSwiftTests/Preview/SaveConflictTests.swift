import CouchbaseLiteSwift
import Testing

@Suite("Sample S16: conflict resolvers of the developer previews")
struct SaveConflictTests {
    let folder: PreviewFolder
    let database: Database

    init() throws {
        folder = try PreviewFolder()
        database = try folder.database()
    }

    /// Keeps what it is asked, and answers with a closure.
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

    /// A document that was read, and then changed by somebody else as often as `theirChanges` says.
    private func conflictingDocument(theirChanges: Int = 1) throws -> MutableDocument {
        try database.saveDocument(MutableDocument(id: "doc", data: ["base": true, "n": 0]))
        let mine = try #require(database.document(withID: "doc")).toMutable()
        let theirs = try #require(database.document(withID: "doc")).toMutable()
        for number in 1...theirChanges { try database.saveDocument(theirs.setInt(number, forKey: "theirs")) }
        mine["mine"] = 1
        return mine
    }

    @Test("get mine, theirs and base, and what they return is saved")
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

    @Test("give up with nil, which is a conflict error; nothing is saved")
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

    @Test("of a document come before that of its database, which comes before the default")
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

    @Test("are not asked when there is no conflict, and not by the newer functions")
    func notAsked() throws {
        let resolver = Resolver { _ in nil }
        database.conflictResolver = resolver
        let new = MutableDocument()
        try database.save(new)
        try new.save()
        try database.saveDocument(try conflictingDocument())
        #expect(resolver.conflicts.isEmpty)
    }

    @Test("are asked again with what was saved meanwhile, and the base stays")
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

    @Test("know the base of a document that they saved before, but not of a new one")
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

    @Test("get nil for a deleted document, and revive it")
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

    @Test(
        "by default keep the side with more changes in its history, of equals the one that is saved",
        arguments: 1...3
    )
    func byDefault(_ theirChanges: Int) throws {
        let document = try conflictingDocument(theirChanges: theirChanges)
        try document.save()
        #expect(database["doc"]["mine"].exists == (theirChanges == 1))
        #expect(database["doc"]["theirs"].exists == (theirChanges > 1))
        #expect(document.toDictionary().count == 3)
        #expect(document.revisionID == database.document(withID: "doc")?.revisionID)
    }

    @Test("without one, the functions of databases keep what is saved")
    func lastWriteWins() throws {
        database.conflictResolver = Resolver { _ in nil }
        database.conflictResolver = nil
        #expect(database.conflictResolver == nil)
        try database.save(try conflictingDocument(theirChanges: 3))
        #expect(database["doc"]["mine"].exists)
        #expect(!database["doc"]["theirs"].exists)
    }
}
