import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Blobs in values")
struct ModelValueBlobTests {
    struct Album: Codable {
        struct Page: Codable {
            var picture: Blob?
        }

        @DocumentID var id: String?
        var cover: Blob?
        var pages: [Page] = []
    }

    let test: TestDatabase
    let albums: ModelCollection<Album>

    init() throws {
        test = try TestDatabase()
        albums = try test.database.defaultCollection().models()
    }

    private func blob(_ text: String) -> Blob { Blob(contentType: "text/plain", data: Data(text.utf8)) }

    @Test("blobs of a value are stored with it, also in structures and arrays")
    func roundTrip() throws {
        let cover = blob("cover")
        var album = Album(cover: cover, pages: [Album.Page(picture: blob("one")), Album.Page(picture: nil)])
        try albums.save(&album)
        #expect(cover.digest != nil)
        #expect(album.cover?.content == Data("cover".utf8))
        #expect(album.pages.first?.picture?.content == Data("one".utf8))
        let read = try #require(try albums.get(album.id ?? ""))
        #expect(read.cover == cover)
        #expect(read.pages.map { $0.picture?.content } == [Data("one".utf8), nil])
        album.pages.append(Album.Page(picture: blob("two")))
        try albums.save(&album)
        try test.database.performMaintenance(type: .compact)
        #expect(try albums.query().all().first?.pages.last?.picture?.content == Data("two".utf8))
    }

    @Test("the blobs of a value that is not saved because of a conflict are not stored")
    func conflict() throws {
        let album = try albums.save(Album(id: "a"))
        try albums.save(album)
        var stale = album
        stale.cover = blob("new")
        #expect(try albums.save(stale, concurrencyControl: .failOnConflict) == nil)
        #expect(stale.cover?.digest == nil)
        #expect(try albums.get("a")?.cover == nil)
    }
}
