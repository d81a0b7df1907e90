import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Blobs in models")
struct ModelBlobTests {
    final class Album: Codable {
        @DocumentID var id: String?
        var title = "Album"
        var cover: Blob?
        var pages: [Blob] = []
    }

    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    private func blob(_ text: String) -> Blob { Blob(contentType: "text/plain", data: Data(text.utf8)) }

    @Test("saving an object reads the streams of all its new blobs without holding the write lock")
    func streamsOutsideOfTheLock() throws {
        let isSaved = DispatchSemaphore(value: 0)
        let stream = GeneratedContent(count: 100).stream { [collection] in
            // Another thread, which would wait if this one held the lock.
            Thread.detachNewThread {
                try? collection.save(document: MutableDocument(id: "meanwhile"))
                isSaved.signal()
            }
            if isSaved.wait(timeout: .now() + waitLimit) == .timedOut { Issue.record("the other thread cannot save") }
        }
        let album = Album()
        album.cover = blob("cover")
        album.pages = [blob("one"), Blob(contentType: "text/plain", contentStream: stream)]
        try collection.save(from: album)
        #expect(try collection.document(id: "meanwhile") != nil)
        #expect(try storedFiles == 3)
        #expect(album.pages[1].content == GeneratedContent(count: 100).data)
    }

    private var storedFiles: Int {
        get throws {
            (try? FileManager.default.contentsOfDirectory(atPath: folder.bundle().path + "/Attachments"))?.count ?? 0
        }
    }

    private func saved() throws -> Album {
        let album = Album()
        album.cover = blob("cover")
        album.pages = [
            blob("one"), Blob(contentType: "text/plain", contentStream: InputStream(data: Data("two".utf8))),
        ]
        try collection.save(from: album)
        return album
    }

    @Test("new blobs of an object are stored when the object is saved")
    func new() throws {
        let album = try saved()
        #expect(album.cover?.digest != nil)
        #expect(try storedFiles == 3)
        let id = try #require(album.id)
        let document = try #require(try collection.document(id: id))
        #expect(document.blob(forKey: "cover")?.content == Data("cover".utf8))
        #expect(document["pages"][1].blob?.content == Data("two".utf8))
        let read = try #require(try collection.document(id: id, as: Album.self))
        #expect(read.cover == album.cover)
        #expect(read.pages.map(\.content) == [Data("one".utf8), Data("two".utf8)])
        #expect(read.cover?.contentType == "text/plain")
        try database.performMaintenance(type: .compact)
        #expect(try storedFiles == 3)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("stored blobs are kept when their object is saved again, and replaced ones are removed by compacting")
    func old() throws {
        let id = try #require(try saved().id)
        let read = try #require(try collection.document(id: id, as: Album.self))
        read.title = "New title"
        read.pages[0] = blob("new")
        #expect(try collection.save(from: read, concurrencyControl: .failOnConflict))
        try database.performMaintenance(type: .compact)
        let again = try #require(try collection.document(id: id, as: Album.self))
        #expect(again.title == "New title")
        #expect(again.cover?.content == Data("cover".utf8))
        #expect(again.pages.map(\.content) == [Data("new".utf8), Data("two".utf8)])
        #expect(try storedFiles == 3)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("the new blobs of an object that is not saved because of a conflict are not stored")
    func conflict() throws {
        let album = try saved()
        let id = try #require(album.id)
        let mine = try #require(try collection.document(id: id, as: Album.self))
        album.title = "Changed"
        try collection.save(from: album)
        mine.cover = blob("mine")
        #expect(try !collection.save(from: mine, concurrencyControl: .failOnConflict))
        #expect(try storedFiles == 3)
        #expect(mine.cover?.digest == nil)
        try collection.save(from: mine)
        #expect(try storedFiles == 4)
        #expect(try collection.document(id: id, as: Album.self)?.cover?.content == Data("mine".utf8))
    }

    @Test("an object with new blobs can be saved in a batch and from a conflict handler")
    func batch() throws {
        let album = try saved()
        let id = try #require(album.id)
        try database.inBatch {
            album.cover = blob("in a batch")
            try collection.save(from: album)
        }
        let mine = try #require(try collection.document(id: id, as: Album.self))
        try collection.save(from: album)
        #expect(
            try collection.save(from: mine) { object, stored in
                object.cover = blob("in a handler")
                object.pages = stored?.pages ?? []
                return true
            }
        )
        try database.performMaintenance(type: .compact)
        let read = try #require(try collection.document(id: id, as: Album.self))
        #expect(read.cover?.content == Data("in a handler".utf8))
        #expect(read.pages.count == 2)
    }

    @Test("a blob can encode and decode itself with a given coder")
    func direct() throws {
        let object = Custom { [blob = blob("x")] encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try blob.encode(to: container.superEncoder(forKey: "blob"))
        }
        try collection.save(from: object)
        let id = try #require(object.id)
        #expect(try collection.document(id: id)?.blob(forKey: "blob")?.content == Data("x".utf8))
        let found = try Reading.$read.withValue({ decoder in
            let container = try decoder.container(keyedBy: AnyKey.self)
            #expect(try Blob(from: container.superDecoder(forKey: "blob")).content == Data("x".utf8))
            #expect(throws: DecodingError.self) { try Blob(from: decoder) }
        }) { try collection.document(id: id, as: Reading.self) }
        #expect(found != nil)
    }

    @Test("a document whose encoded dictionary describes a blob is flagged as containing blobs")
    func byHand() throws {
        let digest = try #require(try saved().cover?.digest)
        try collection.save(from: Box(["@type": "blob", "digest": digest], id: "x"))
        #expect(try collection.document(id: "x")?.blob(forKey: "value")?.content == Data("cover".utf8))
        try database.close()
        let problems = try folder.problems()
        #expect(problems == [])
    }

    @Test("an object with a blob of another database raises an exception, and other coders refuse blobs")
    func refused() throws {
        let other = try folder.open("other").defaultCollection()
        let album = try saved()
        let copy = Album()
        copy.cover = album.cover
        #expect(misuse { try? other.save(from: copy) }?.name == inconsistency)
        #expect(thrown { _ = try JSONEncoder().encode(copy) } == .encoding)
        #expect(thrown { _ = try JSONDecoder().decode([Blob].self, from: Data("[{}]".utf8)) } == .decoding)
    }

    @Test("saving an object whose blob cannot be read throws an error, and stores nothing")
    func unreadable() throws {
        let album = Album()
        album.cover = try Blob(contentType: "text/plain", fileURL: folder.bundle("missing"))
        #expect(thrown { try collection.save(from: album) } != nil)
        #expect(collection.count == 0)
        #expect(album.id == nil)
    }

    @Test("decoding a value that is not a blob as a blob throws a decoding error with its path")
    func wrong() throws {
        for json in [#"{"title":"x","pages":[],"cover":1}"#, #"{"title":"x","pages":[],"cover":{"@type":"blob"}}"#] {
            try collection.save(document: MutableDocument(id: "x", json: json))
            let found = message { _ = try collection.document(id: "x", as: Album.self) }
            #expect(found?.code == .decoding)
            #expect(found?.text.contains(" at cover: ") == true)
        }
    }
}
