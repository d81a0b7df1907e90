#if Replication
import DocumentStore
import Fleece
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift
@testable import Replication

@Suite("Ready conflict resolvers", .ownThreads)
struct MergingResolverTests {
    let folder: DatabaseFolder
    let collection: CouchbaseLiteSwift.Collection
    let documents: ConflictedDocuments

    init() throws {
        folder = try DatabaseFolder()
        collection = try folder.open().defaultCollection()
        documents = ConflictedDocuments(collection: collection)
    }

    /// Returns what a resolver makes of a conflict, as JSON with sorted keys; `nil` for a deletion.
    ///
    /// - Parameter isMoreChanged: Whether the remote version has more changes, so that it is the newer one in any case.
    private func resolved(
        _ resolver: any ConflictResolverProtocol,
        _ base: String,
        _ local: String?,
        _ remote: String?,
        isMoreChanged: Bool = true
    ) throws -> String? {
        let id = UUID().uuidString
        try documents.make(id, base: base, local: local, remote: remote, remoteGeneration: isMoreChanged ? 5 : 2)
        if !isMoreChanged, local != nil {
            // Three more changes make the local version the newer one.
            for _ in 0..<3 {
                let document = try #require(try collection.document(id: id)).toMutable()
                try collection.save(document: document)
            }
        }
        try collection.resolveConflict(id: id) { resolver.resolve(conflict: $0) }
        #expect(try collection.conflict(id: id) == nil)
        return try collection.document(id: id).map { try json($0.toJSON()) }
    }

    private func json(_ text: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return String(decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
    }

    /// Stores a document, and a conflicting one that was created independently.
    private func makeUnrelated(_ id: String, local: String, remote: String) throws {
        try collection.save(document: MutableDocument(id: id, json: local))
        let replica = try #require(try ReplicaDatabase(collection.database.openFile()).collection(collection.store.id))
        let revision = try #require(RevisionID("1-ffffffffffffffffffffffffffffffff"))
        let body = OwnedBody(try JSON.fleece(remote))
        _ = try replica.insert(
            [ReceivedRevision(documentID: id, revision: revision, history: [], isDeleted: false, body: body)],
            remote: 1
        )
    }

    @Test(
        "changes of different properties are merged, and the newer version decides about those that both have changed",
        arguments: [
            (#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"a":1,"b":2}"#, #"{"a":2,"b":2}"#),
            // Added by both, removed by one, and removed by both.
            (#"{"a":1,"b":1,"c":1}"#, #"{"b":1,"d":1}"#, #"{"a":1,"b":1,"e":1}"#, #"{"b":1,"d":1,"e":1}"#),
            // Changed by both.
            (#"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#, #"{"a":3}"#),
            (#"{"a":1}"#, #"{"a":2}"#, #"{}"#, #"{}"#),
            (#"{"a":1}"#, #"{}"#, #"{"a":3}"#, #"{"a":3}"#),
            // Nested dictionaries, and arrays as a whole.
            (#"{"n":{"a":1,"b":{"c":1}}}"#, #"{"n":{"a":2,"b":{"c":1}}}"#, #"{"n":{"a":1,"b":{"c":2}}}"#, #"{"n":{"a":2,"b":{"c":2}}}"#),
            (#"{"n":[1]}"#, #"{"n":[1,2]}"#, #"{"n":[1,3]}"#, #"{"n":[1,3]}"#),
            (#"{"n":{"a":1}}"#, #"{"n":[]}"#, #"{"n":{"a":2}}"#, #"{"n":{"a":2}}"#),
            (#"{"n":1}"#, #"{"n":{"a":1}}"#, #"{"n":{"b":2}}"#, #"{"n":{"a":1,"b":2}}"#),
            // Equal numbers of different types are equal.
            (#"{"a":1,"b":1}"#, #"{"a":1.0,"b":2}"#, #"{"a":1,"b":1}"#, #"{"a":1,"b":2}"#),
        ]
    )
    func fields(_ base: String, _ local: String, _ remote: String, _ merged: String) throws {
        #expect(try resolved(ConflictResolver.fieldByField, base, local, remote) == json(merged))
        // With exchanged versions, the other side gets the same.
        #expect(try resolved(ConflictResolver.fieldByField, base, remote, local, isMoreChanged: false) == json(merged))
    }

    @Test("keys that Swift treats as equal are different properties")
    func lookalikes() throws {
        try documents.make("a", base: "{}", local: "{\"e\u{301}\":1}", remote: "{\"\u{e9}\":2}")
        try collection.resolveConflict(id: "a") { ConflictResolver.fieldByField.resolve(conflict: $0) }
        let merged = try #require(try collection.document(id: "a"))
        #expect(merged.int(forKey: "e\u{301}") == 1 && merged.int(forKey: "\u{e9}") == 2 && merged.count == 2)
    }

    @Test("a blob is replaced as a whole")
    func blobs() throws {
        func blob(_ number: Int) -> String { #"{"b":{"@type":"blob","digest":"sha1-\#(number)","length":\#(number)}}"# }
        #expect(try resolved(ConflictResolver.fieldByField, blob(1), blob(2), blob(3)) == json(blob(3)))
        #expect(try resolved(ConflictResolver.fieldByField, blob(1), blob(2), blob(1)) == json(blob(2)))
    }

    @Test("without the common ancestor, a property that only one version has is kept")
    func noBase() throws {
        try makeUnrelated("a", local: #"{"a":1,"c":1,"n":{"x":1}}"#, remote: #"{"b":2,"c":2,"n":{"y":2}}"#)
        #expect(try collection.conflict(id: "a")?.baseDocument == nil)
        try collection.resolveConflict(id: "a") { ConflictResolver.fieldByField.resolve(conflict: $0) }
        let merged = try #require(try collection.document(id: "a"))
        #expect(try json(merged.toJSON()) == #"{"a":1,"b":2,"c":2,"n":{"x":1,"y":2}}"#)
    }

    @Test("a resolver that finds no difference to the remote version adds no revision", arguments: [true, false])
    func equal(isTyped: Bool) throws {
        let typed = ConflictResolver.merging(Story.self) { _, _, theirs in theirs }
        let resolver = isTyped ? typed : ConflictResolver.fieldByField
        let same = #"{"text":"1","rank":null,"tags":null}"#
        try documents.make("a", base: #"{"text":"0"}"#, local: same, remote: same, remoteGeneration: 3)
        try collection.resolveConflict(id: "a") { resolver.resolve(conflict: $0) }
        #expect(try collection.document(id: "a")?.revisionID == "3-ffffffffffffffffffffffffffffffff")
    }

    @Test("a deletion wins with each resolver")
    func deletions() throws {
        let resolvers = [
            ConflictResolver.default, ConflictResolver.fieldByField, ConflictResolver.newest("n"), ConflictResolver.newest(\Story.rank),
            ConflictResolver.newest(\Story.text), ConflictResolver.merging(Story.self) { _, mine, _ in mine },
        ]
        for resolver in resolvers {
            #expect(try resolved(resolver, #"{"text":"a"}"#, nil, #"{"text":"b"}"#) == nil)
            #expect(try resolved(resolver, #"{"text":"a"}"#, #"{"text":"b"}"#, nil) == nil)
        }
    }

    struct Story: Codable, Identifiable {
        @DocumentID var id: String?
        var text: String
        var rank: Int?
        var tags: [String]?
    }

    @Test("the version with the greater value of a property wins, and with equal values the default resolver decides")
    func newest() throws {
        let byName = ConflictResolver.newest("n")
        func winner(_ resolver: any ConflictResolverProtocol, _ local: String, _ remote: String) throws -> String? {
            let result = try resolved(resolver, "{}", #"{"text":"local"\#(local)}"#, #"{"text":"remote"\#(remote)}"#)
            return result.map { $0.contains("local") ? "local" : "remote" }
        }
        for (less, greater) in [
            ("", #","n":1"#), (#","n":null"#, #","n":-1"#), (#","n":true"#, #","n":-1"#), (#","n":1"#, #","n":1.5"#),
            (#","n":9"#, #","n":"1""#), (#","n":"2024-01-02T00:00:00Z""#, #","n":"2024-01-01T23:00:00-02:00""#),
            (#","n":"a""#, #","n":"b""#), (#","n":"2030-01-01""#, #","n":"1""#),
        ] {
            #expect(try winner(byName, greater, less) == "local")
            #expect(try winner(byName, less, greater) == "remote")
        }
        #expect(try winner(byName, #","n":1"#, #","n":1"#) == "remote")
        let byRank = ConflictResolver.newest(\Story.rank)
        #expect(try winner(byRank, #","rank":2"#, #","rank":1"#) == "local")
        #expect(try winner(byRank, "", #","rank":1"#) == "remote")
        #expect(try winner(byRank, #","rank":1"#, "") == "local")
        #expect(try winner(byRank, "", "") == "remote")
        // One that cannot be decoded loses.
        #expect(try winner(byRank, "", #","rank":"x""#) == "local")
        #expect(try winner(ConflictResolver.newest(\Story.text), "", #","tags":1"#) == "local")
        #expect(try winner(ConflictResolver.newest(\Story.text), #","tags":1"#, #","tags":1"#) == "remote")
    }

    @Test("a function merges the versions as models, and properties that the type does not have are merged one by one")
    func typed() throws {
        let asked = Recorder<String>()
        let resolver = ConflictResolver.merging(Story.self) { base, mine, theirs in
            asked.append("\(base?.text ?? "none") \(mine.text) \(theirs.text) \(mine.id ?? "none")")
            var story = theirs
            story.text = mine.text + theirs.text
            story.tags = nil
            return story
        }
        let result = try resolved(
            resolver,
            #"{"text":"0","x":1,"y":1,"tags":["a"]}"#,
            #"{"text":"1","x":2,"y":1,"tags":["a"]}"#,
            #"{"text":"2","x":1,"y":2,"tags":["a"],"z":1}"#
        )
        #expect(result == #"{"rank":null,"tags":null,"text":"12","x":2,"y":2,"z":1}"#)
        #expect(asked.all.count == 1 && asked.all[0].hasPrefix("0 1 2 ") && !asked.all[0].hasSuffix("none"))
        #expect(try resolved(ConflictResolver.merging(Story.self) { _, _, _ in nil }, "{}", #"{"text":"a"}"#, #"{"text":"b"}"#) == nil)
    }

    @Test("the base of a function is nil if it cannot be decoded or there is none")
    func undecodableBase() throws {
        let resolver = ConflictResolver.merging(Story.self) { base, mine, _ in
            var story = mine
            story.text = base == nil ? "no base" : "base"
            return story
        }
        #expect(try resolved(resolver, #"{"text":1}"#, #"{"text":"a"}"#, #"{"text":"b"}"#)?.contains("no base") == true)
        #expect(try resolved(resolver, #"{"text":"0"}"#, #"{"text":"a"}"#, #"{"text":"b"}"#)?.contains("no base") == false)
        try makeUnrelated("a", local: #"{"text":"a"}"#, remote: #"{"text":"b"}"#)
        try collection.resolveConflict(id: "a") { resolver.resolve(conflict: $0) }
        #expect(try collection.document(id: "a")?.string(forKey: "text") == "no base")
    }

    @Test("another resolver decides if a version cannot be decoded, or the result not encoded")
    func fallback() throws {
        struct Fallback: ConflictResolverProtocol {
            func resolve(conflict: Conflict) -> Document? { conflict.localDocument?.toMutable().setString("fallback", forKey: "by") }
        }
        struct Ratio: Codable { var value: Double }
        let resolver = ConflictResolver.merging(Ratio.self, undecodable: Fallback()) { _, mine, theirs in
            Ratio(value: mine.value / theirs.value)
        }
        #expect(try resolved(resolver, "{}", #"{"value":1}"#, #"{"value":2}"#) == #"{"value":0.5}"#)
        for (local, remote) in [(#"{"value":1}"#, #"{"value":"x"}"#), (#"{}"#, #"{"value":2}"#), (#"{"value":1}"#, #"{"value":0}"#)] {
            #expect(try resolved(resolver, "{}", local, remote)?.contains("fallback") == true)
        }
        let byDefault = ConflictResolver.merging(Ratio.self) { _, mine, _ in mine }
        #expect(try resolved(byDefault, "{}", #"{"value":[]}"#, #"{"value":{}}"#) == #"{"value":{}}"#)
    }

    @Test("a function can add new blobs, and keep those of both versions")
    func typedBlobs() throws {
        struct Picture: Codable {
            var image: Blob?
            var old: Blob?
        }
        let image = Blob(contentType: "text/plain", data: Data("mine".utf8))
        try documents.make("a", base: "{}", local: "{}", remote: #"{"x":1}"#)
        let document = try #require(try collection.document(id: "a")).toMutable()
        try collection.save(document: document.setBlob(image, forKey: "image"))
        let resolver = ConflictResolver.merging(Picture.self) { _, mine, _ in
            Picture(image: Blob(contentType: "text/plain", data: Data("new".utf8)), old: mine.image)
        }
        try collection.resolveConflict(id: "a") { resolver.resolve(conflict: $0) }
        let merged = try #require(try collection.document(id: "a"))
        #expect(merged.blob(forKey: "image")?.content == Data("new".utf8))
        #expect(merged.blob(forKey: "old")?.content == Data("mine".utf8))
        #expect(merged.int(forKey: "x") == 1)
        try collection.database.close()
        #expect(try folder.problems().filter { !$0.hasSuffix("its ID is not the digest of its body") } == [])
    }
}
#endif
