import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("The guide to blobs")
struct BlobsGuideTests {
    @Test("the examples of the guide to blobs save, read, stream and find blobs")
    func works() async throws {
        let test = try TestDatabase()
        let database = test.database
        let notes = try database.createCollection(name: "notes")
        let png = Data([0x89, 0x50, 0x4E, 0x47])
        let file = test.directory.url.appendingPathComponent("film.mp4")
        let frames = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try frames.write(to: file)
        var consumed = Data()
        func consume(_ bytes: ArraySlice<UInt8>) { consumed.append(contentsOf: bytes) }
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let note = MutableDocument(id: "note-1")
        note.setBlob(Blob(contentType: "image/png", data: png), forKey: "picture")
        try notes.save(document: note)

        let picture = try notes.document(id: "note-1")?.blob(forKey: "picture")
        print(picture?.contentType ?? "", picture?.length ?? 0, picture?.digest ?? "")
        let content = picture?.content
        #expect(content == png)
        #expect(printed == ["image/png 4 sha1-Tv/aEsJhHi5P628NNC/raFzNgls="])

        let film = try Blob(contentType: "video/mp4", fileURL: file)
        try notes.save(
            document: MutableDocument(id: "note-2").setBlob(film, forKey: "film")
        )

        if let stream = try notes.document(id: "note-2")?
            .blob(forKey: "film")?.contentStream
        {
            stream.open()
            defer { stream.close() }
            var buffer = [UInt8](repeating: 0, count: 65536)
            while case let count = stream.read(&buffer, maxLength: buffer.count),
                count > 0
            {
                consume(buffer[..<count])
            }
        }
        #expect(consumed == frames)

        let microphone = AsyncStream<Data> { stream in
            for start in stride(from: 0, to: frames.count, by: 50_000) { stream.yield(frames[start..<start + 50_000]) }
            stream.finish()
        }
        var played = Data()
        func play(_ buffer: Data) { played.append(buffer) }

        let recording = try await Blob(
            contentType: "audio/wav",
            buffers: microphone,
            in: database
        )
        try notes.save(
            document: MutableDocument(id: "note-3").setBlob(recording, forKey: "recording")
        )

        if let blob = try notes.document(id: "note-3")?.blob(forKey: "recording") {
            for try await buffer in blob.buffers() { play(buffer) }
        }
        #expect(played == frames)

        let blob = Blob(contentType: "text/plain", data: Data("Take it slowly.".utf8))
        try database.saveBlob(blob: blob)
        let found = try database.getBlob(properties: [
            Blob.typeProperty: Blob.blobType, Blob.blobDigestProperty: blob.digest ?? "",
        ])
        #expect(found?.content == Data("Take it slowly.".utf8))
    }
}
