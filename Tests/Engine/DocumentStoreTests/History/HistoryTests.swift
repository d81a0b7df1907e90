import TestSupport
import Testing

@testable import DocumentStore

@Suite("The history of a database")
struct HistoryTests {
    private func outline(_ page: HistoryPart) -> [String] {
        page.changes.map { "\($0.collection.name) \($0.documentID) \($0.sequence)\($0.isDeleted ? " deleted" : "") \($0.origin)" }
    }

    @Test("the history lists the last change of each document of all collections, in pages")
    func pages() throws {
        let database = try TestDatabase()
        let people = try CollectionID(name: "people")
        _ = try database.file.createCollection(people)
        for id in ["a", "b", "c"] { try database.save(id, #"{"n":1}"#) }
        try database.save("a", #"{"n":2}"#)
        try database.delete("b")
        try database.receive("p", [.of("1-aa")], in: people)
        let all = try database.file.history(after: nil, limit: 100)
        #expect(Set(outline(all)) == ["_default c 3 local", "_default a 4 local", "_default b 5 deleted local", "people p 1 pulled"])
        #expect(!all.hasMore && all.deletedCollections.isEmpty)
        let nothing = try database.file.history(after: all.position, limit: 100)
        #expect(nothing.changes.isEmpty && !nothing.hasMore && nothing.position == all.position)

        var (position, found) = (HistoryPosition?.none, [String]())
        var page: HistoryPart
        repeat {
            page = try database.file.history(after: position, limit: 1)
            #expect(page.changes.count == 1)
            found += outline(page)
            position = HistoryPosition(text: page.position.text)
        } while page.hasMore
        #expect(found == outline(all))

        try database.save("c", #"{"n":3}"#)
        let next = try database.file.history(after: position, limit: 100)
        #expect(outline(next) == ["_default c 6 local"])
        try database.checkAndClose()
    }

    @Test("the origin of a revision is the replicator only if the revision was pulled, and unknown after its record was rewritten")
    func origins() throws {
        let database = try TestDatabase()
        try database.receive("pulled", [.of("1-aa")])
        try database.receive("other remote", [.of("1-aa")], remote: 2)
        try database.receive("changed", [.of("1-aa")])
        try database.save("changed", #"{"n":1}"#)
        try database.receive("pushed to a listener", [.of("1-aa")], remote: nil)
        let pushed = try #require(try database.save("pushed", #"{"n":1}"#).revision)
        try database.note(pushed, of: "pushed")
        let twice = try #require(try database.save("pushed twice", #"{"n":1}"#).revision)
        try database.note(twice, of: "pushed twice", remote: 2)
        try database.receive("passed on", [.of("1-aa")], remote: 2)
        try database.note(.of("1-aa"), of: "passed on")
        try database.receive("deleted there", [.of("2-bb"), .of("1-aa")], isDeleted: true)
        let page = try database.file.history(after: nil, limit: 100)
        let origins = Dictionary(uniqueKeysWithValues: page.changes.map { ($0.documentID, $0.origin) })
        #expect(
            origins == [
                "pulled": .pulled, "other remote": .pulled, "changed": .local, "pushed to a listener": .local, "pushed": .local,
                "pushed twice": .unknown, "passed on": .pulled, "deleted there": .pulled,
            ]
        )
        try database.checkAndClose()
    }

    @Test("a collection that was deleted is reported once, and one that was created again is listed from its beginning")
    func collections() throws {
        let database = try TestDatabase()
        let people = try CollectionID(name: "people")
        _ = try database.file.createCollection(people)
        try database.receive("p", [.of("1-aa")], in: people)
        let before = try database.file.history(after: nil, limit: 10).position
        try database.file.deleteCollection(people)
        let deleted = try database.file.history(after: before, limit: 10)
        #expect(deleted.deletedCollections == [people] && deleted.changes.isEmpty)
        #expect(try database.file.history(after: deleted.position, limit: 10).deletedCollections.isEmpty)
        _ = try database.file.createCollection(people)
        try database.receive("q", [.of("1-aa")], in: people)
        let again = try database.file.history(after: before, limit: 10)
        #expect(again.deletedCollections == [people] && again.changes.map(\.documentID) == ["q"])
    }

    @Test("a position of another database, of a newer state or of the time before a restore is refused")
    func otherDatabases() throws {
        let (database, other) = (try TestDatabase(), try TestDatabase())
        try database.save("a", "{}")
        let position = try database.file.history(after: nil, limit: 10).position
        #expect(throws: HistoryError.otherDatabase) { try other.file.history(after: position, limit: 10) }
        let entries = position.entries.map {
            HistoryPosition.Entry(collection: $0.collection, identity: $0.identity, sequence: $0.sequence + 1)
        }
        let newer = HistoryPosition(database: position.database, entries: entries)
        #expect(throws: HistoryError.newerThanDatabase(collection: "_default._default")) {
            try database.file.history(after: newer, limit: 10)
        }
        #expect(throws: HistoryError.limitTooSmall) { try database.file.history(after: nil, limit: 0) }
        try database.reopen()
        #expect(try database.file.history(after: position, limit: 10).changes.isEmpty)
        var identities = [position.database]
        for _ in 0..<2 {
            try RestorationMark.set(database.path)
            try database.reopen()
            #expect(throws: HistoryError.otherDatabase) { try database.file.history(after: position, limit: 10) }
            let restored = try database.file.history(after: nil, limit: 10).position
            #expect(!identities.contains(restored.database))
            identities.append(restored.database)
        }
        try database.checkAndClose()
    }

    @Test("the history cannot be read in a transaction, and can be read inside of a block that reads")
    func transactions() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        #expect(throws: StoreError.inTransaction(path: database.file.bundle.directory)) {
            try database.file.transaction { _ in _ = try database.file.history(after: nil, limit: 10) }
        }
        #expect(try database.file.reading { try database.file.history(after: nil, limit: 10) }.changes.count == 1)
    }
}
