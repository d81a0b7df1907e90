#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Documents of earlier versions that arrive", .ownThreads)
struct ArrivingDocumentTests {
    struct Note: Codable {
        @DocumentID var id: String?
        var title: String
        var minutes: Int
    }

    struct Refused: Error {}

    let folder: DatabaseFolder
    let old: Collection
    let new: Collection

    init() throws {
        folder = try DatabaseFolder()
        old = try folder.open("old").createCollection(name: "notes")
        new = try folder.open("new").createCollection(name: "notes")
    }

    /// Replicates between both databases until both have the same documents.
    private func sync(_ type: ReplicatorType = .pushAndPull, from first: Collection, to second: Collection) async throws {
        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: first)],
            target: DatabaseEndpoint(database: second.database)
        )
        config.replicatorType = type
        try await Replicator(config: config).run()
    }

    private func saveOld(_ id: String, _ json: String) throws {
        try old.save(document: (try old.document(id: id)?.toMutable() ?? MutableDocument(id: id)).setJSON(json))
    }

    private func upgradeMinutes(of collection: Collection) throws -> ListenerToken {
        try collection.upgrade { note in
            guard let minutes = note.string(forKey: "minutes") else { return }
            note.setInt(Int(minutes) ?? 0, forKey: "minutes")
        }
    }

    @Test("an arriving document is changed before a live list shows it, and the change goes back to the sender")
    func arriving() async throws {
        _ = try upgradeMinutes(of: new)
        let seen = Recorder<String>()
        let query = try new.database.createQuery("SELECT minutes FROM notes")
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "test")) { change in
            for row in change.results?.allResults() ?? [] where row.value(at: 0) is String { seen.append(row.toJSON()) }
        }
        defer { token.remove() }
        try saveOld("a", #"{"title":"A","minutes":"15"}"#)
        try saveOld("b", #"{"title":"B","minutes":7}"#)
        try await sync(from: new, to: old)
        #expect(try new.document(id: "a")?.int(forKey: "minutes") == 15)
        #expect(try new.document(id: "a")?.revisionID?.hasPrefix("2-") == true)
        #expect(try new.document(id: "b")?.revisionID?.hasPrefix("1-") == true, "an equal document is not saved")
        try await sync(from: new, to: old)
        #expect(try old.document(id: "a")?.value(forKey: "minutes") as? Int == 15)
        #expect(seen.all.isEmpty)
    }

    @Test("a document that a replicator of the other side pushes is changed too")
    func passive() async throws {
        _ = try upgradeMinutes(of: new)
        try saveOld("a", #"{"title":"A","minutes":"15"}"#)
        try await sync(from: old, to: new)
        #expect(try new.document(id: "a")?.int(forKey: "minutes") == 15)
    }

    @Test("a model replaces the document, keeps properties that it does not have, and two upgraded devices do not change it in turns")
    func models() async throws {
        for collection in [old, new] {
            try collection.upgrade(Note.self) { stored in
                let title = stored.string(forKey: "heading") ?? stored.string(forKey: "title")
                return Note(title: title ?? "", minutes: stored.int(forKey: "minutes"))
            }
        }
        try saveOld("a", #"{"heading":"A","color":"red"}"#)
        for _ in 0..<3 { try await sync(from: new, to: old) }
        for collection in [old, new] {
            let document = try #require(try collection.document(id: "a"))
            #expect(document.string(forKey: "title") == "A")
            #expect(document.string(forKey: "color") == "red")
            #expect(document.revisionID?.hasPrefix("2-") == true)
        }
    }

    @Test("an error or another ID leaves the document as it arrived, and the others are changed")
    func errors() async throws {
        _ = try new.upgrade { note in
            if note.id == "bad" { throw Refused() }
            note.setBoolean(true, forKey: "new")
        }
        let other = try new.upgrade(Note.self) { $0.id == "other" ? Note(id: "someone", title: "", minutes: 0) : nil }
        for id in ["bad", "good", "other"] { try saveOld(id, #"{"title":"A"}"#) }
        try await sync(.pull, from: new, to: old)
        #expect(new.count == 3)
        #expect(try new.document(id: "bad")?.toJSON() == #"{"title":"A"}"#)
        #expect(try new.document(id: "good")?.boolean(forKey: "new") == true)
        #expect(try new.document(id: "other")?.boolean(forKey: "new") == true)
        #expect(try new.document(id: "someone") == nil)
        other.remove()
    }

    @Test("saves of the app, deletions, and documents after the end are not changed")
    func notArriving() async throws {
        let count = Recorder<String>()
        let token = try new.upgrade { count.append($0.id) }
        try new.save(document: MutableDocument(id: "own"))
        try saveOld("gone", "{}")
        try old.delete(document: #require(try old.document(id: "gone")))
        try await sync(from: new, to: old)
        #expect(count.all.isEmpty)
        token.remove()
        try saveOld("late", "{}")
        try await sync(from: new, to: old)
        #expect(count.all.isEmpty)
        #expect(try new.document(id: "late") != nil)
    }

    @Test("a document in conflict is changed when the conflict has been resolved")
    func conflicts() async throws {
        try saveOld("a", #"{"title":"A","minutes":1}"#)
        try await sync(from: new, to: old)
        let upgraded = Recorder<String>()
        _ = try new.upgrade { note in
            upgraded.append(note.toMutable().string(forKey: "title") ?? "")
            note.setBoolean(true, forKey: "new")
        }
        try new.save(document: #require(try new.document(id: "a")).toMutable().setString("mine", forKey: "title"))
        for title in ["theirs", "theirs 2"] { try saveOld("a", #"{"title":"\#(title)"}"#) }
        try await sync(from: new, to: old)
        #expect(upgraded.all == ["theirs 2"])
        #expect(try new.document(id: "a")?.boolean(forKey: "new") == true)
    }

    @Test("a closed database changes nothing, and is released although its file is open")
    func closed() async throws {
        let count = Recorder<String>()
        let second = try folder.open("new")
        let notes = try #require(try second.collection(name: "notes"))
        try notes.upgrade { count.append($0.id) }
        try second.close()
        try saveOld("a", "{}")
        try await sync(from: new, to: old)
        #expect(count.all.isEmpty)
        do {
            try notes.upgrade { _ in }
            Issue.record("a closed database was changed")
        } catch CBLError.notOpen {}
    }
}
#endif
