import DocumentStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Life cycle of blobs")
struct BlobLifeCycleTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    private var files: [String] {
        let directory = folder.bundle().path + "/Attachments"
        return ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    private func save(_ blob: Blob, _ id: String = "a") throws {
        try database.saveDocument(MutableDocument(id: id).setBlob(blob, forKey: "b"))
    }

    private func content(_ id: String = "a") -> Data? {
        database.document(withID: id)?.blob(forKey: "b")?.content
    }

    @Test("other threads can write while the stream of a blob is read")
    func othersWrite() throws {
        let database = database
        var reads = 0
        let stream = GeneratedContent(count: 200_000).stream {
            reads += 1
            let number = reads
            // On another thread, because this one would join its own transaction.
            _ = try? onOtherThread { try database.saveDocument(MutableDocument(id: "other\(number)")) }
        }
        try save(Blob(contentType: "t", contentStream: stream))
        #expect(reads > 3)
        #expect(database.count == UInt64(reads) + 1)
    }

    @Test("a blob can be used on any thread while its stream is read", arguments: [false, true])
    func answersWhileRead(_ isSaved: Bool) throws {
        // Unsafe: set before the stream is read, and read by one thread at a time.
        nonisolated(unsafe) var blob: Blob?
        nonisolated(unsafe) var answers: [String] = []
        let stream = GeneratedContent(count: 200_000).stream {
            guard answers.count < 3, let blob else { return }
            // The thread that reads the stream is this one.
            answers.append("\(blob.length) \(blob.digest ?? "-") \(blob.content?.count ?? -1) \(blob.properties.count)")
            let length = try? onOtherThread { blob.length }
            answers.append("\(length ?? 99) of another thread")
        }
        let made = Blob(contentType: "t", contentStream: stream)
        blob = made
        if isSaved { try save(made) } else { #expect(made.content?.count == 200_000) }
        blob = nil
        #expect(answers.prefix(2) == ["0 - -1 1", "0 of another thread"])
        #expect(made.length == 200_000)
        if isSaved { #expect(content()?.count == 200_000) }
    }

    @Test("threads that request the content while another one reads the stream get all of it")
    func contentWhileRead() throws {
        // Unsafe: set before the stream is read.
        nonisolated(unsafe) var blob: Blob?
        let asked = DispatchGroup()
        let found = Mutex<[Int?]>([])
        var hasStarted = false
        let stream = GeneratedContent(count: 200_000).stream {
            guard !hasStarted, let blob else { return }
            hasStarted = true
            for _ in 0..<3 {
                asked.enter()
                Thread.detachNewThread {
                    let count = blob.content?.count
                    found.withLock { $0.append(count) }
                    asked.leave()
                }
            }
        }
        let made = Blob(contentType: "t", contentStream: stream)
        blob = made
        try save(made)
        asked.wait()
        blob = nil
        #expect(found.withLock { $0 } == [200_000, 200_000, 200_000])
    }

    @Test("a large blob that was made from a dictionary without its length can be saved again")
    func unknownLength() throws {
        let collection = try database.defaultCollection()
        let content = Data(repeating: 7, count: 20_000)
        let document = MutableDocument(id: "a").setValue(["@type": "blob", "data": content] as [String: Any], forKey: "blob")
        try collection.save(document: document)
        try collection.save(document: document.setInt(1, forKey: "n"))
        let other = MutableDocument(id: "b").setBlob(document.blob(forKey: "blob"), forKey: "blob")
        try collection.save(document: other)
        #expect(try collection.document(id: "b")?.blob(forKey: "blob")?.content == content)
    }

    @Test("saving a blob with a failing stream throws an error, also the next time")
    func failingStream() throws {
        let stream = GeneratedContent(count: 100_000).stream(failingAtEnd: true)
        let blob = Blob(contentType: "t", contentStream: stream)
        #expect(thrown { try save(blob) } == .posix(EIO))
        #expect(thrown { try save(blob) } == .notFound)
        #expect(thrown { try database.saveBlob(blob: blob) } == .notFound)
        #expect(blob.content == nil)
        #expect(database.count == 0)
        #expect(files == [])
        let other = Blob(contentType: "t", contentStream: GeneratedContent(count: 100_000).stream(failingAtEnd: true))
        #expect(other.content == nil)
        #expect(thrown { try save(other) } == .notFound)
    }

    @Test("a blob of a file that could not be read can be saved later")
    func fileAgain() throws {
        let url = folder.directory.url.appendingPathComponent("file")
        let blob = try Blob(contentType: "t", fileURL: url)
        #expect(thrown { try save(blob) } != nil)
        #expect(blob.content == nil)
        try Data([1, 2, 3]).write(to: url)
        try save(blob)
        #expect(content() == Data([1, 2, 3]))
    }

    @Test("the content that a failed save has read from a stream is kept for the next save", arguments: [false, true])
    func failedSave(readsContent: Bool) throws {
        try database.saveDocument(MutableDocument(id: "a"))
        let generated = GeneratedContent(count: 100_000)
        let blob = Blob(contentType: "t", contentStream: generated.stream())
        let document = MutableDocument(id: "a").setBlob(blob, forKey: "b")
        #expect(try !database.saveDocument(document, concurrencyControl: .failOnConflict))
        #expect(blob.length == 100_000)
        #expect(blob.digest == nil)
        try database.performMaintenance(type: .compact)
        if readsContent {
            #expect(blob.content == generated.data)
            #expect(blob.contentStream != nil)
        }
        try database.saveDocument(document)
        #expect(content() == generated.data)
        #expect(files.count == 1)
    }

    @Test("compacting removes the content of a blob that was released without being saved")
    func dropped() throws {
        try database.saveDocument(MutableDocument(id: "a"))
        func failToSave() throws {
            let blob = Blob(contentType: "t", contentStream: GeneratedContent(count: 100_000).stream())
            let document = MutableDocument(id: "a").setBlob(blob, forKey: "b")
            #expect(try !database.saveDocument(document, concurrencyControl: .failOnConflict))
            #expect(!files.isEmpty)
        }
        try failToSave()
        try database.performMaintenance(type: .compact)
        #expect(files == [])
    }

    @Test("a blob whose save has failed can be saved in another database")
    func otherDatabase() throws {
        try database.saveDocument(MutableDocument(id: "a"))
        let generated = GeneratedContent(count: 100_000)
        let blob = Blob(contentType: "t", contentStream: generated.stream())
        let document = MutableDocument(id: "a").setBlob(blob, forKey: "b")
        #expect(try !database.saveDocument(document, concurrencyControl: .failOnConflict))
        let other = try folder.open("other")
        try other.saveDocument(MutableDocument(id: "x").setBlob(blob, forKey: "b"))
        #expect(other["x"]["b"].blob?.content == generated.data)
    }

    @Test("a blob that was saved alone and then compacted is stored again with its document", arguments: [100, 100_000])
    func compactedAway(size: UInt64) throws {
        let generated = GeneratedContent(count: size)
        let blob = Blob(contentType: "t", data: generated.data)
        try database.saveBlob(blob: blob)
        try database.performMaintenance(type: .compact)
        #expect(files == [])
        try save(blob)
        #expect(content() == generated.data)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("saving a document with a blob whose content does not exist throws notFound")
    func gone() throws {
        let blob = Blob(contentType: "t", contentStream: GeneratedContent(count: 100_000).stream())
        try database.saveBlob(blob: blob)
        let digest = try #require(blob.digest)
        let found = try #require(try database.getBlob(properties: ["@type": "blob", "digest": digest]))
        try database.performMaintenance(type: .compact)
        for blob in [blob, found] {
            #expect(thrown { try save(blob) } == .notFound)
        }
        #expect(database.count == 0)
    }

    @Test("a document with a missing blob can be changed and saved")
    func missingKept() throws {
        try save(Blob(contentType: "t", data: Data(count: 100_000)))
        try FileManager.default.removeItem(atPath: folder.bundle().path + "/Attachments/" + files[0])
        let document = try #require(database.document(withID: "a")).toMutable()
        #expect(document.blob(forKey: "b")?.content == nil)
        try database.saveDocument(document.setInt(1, forKey: "n"))
        try database.saveDocument(document.setBlob(document.blob(forKey: "b"), forKey: "c"))
        let properties: [String: Any] = ["@type": "blob", "digest": "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E=", "length": 3]
        try database.saveDocument(document.setValue(properties, forKey: "d"))
        try database.saveDocument(document.setInt(2, forKey: "n"))
        #expect(database["a"]["c"].blob?.length == 100_000)
        #expect(database["a"]["d"].blob?.length == 3)
    }

    @Test("a rolled-back batch with blobs can be repeated")
    func rolledBack() throws {
        let blobs = [100, 100_000].map { Blob(contentType: "t", data: GeneratedContent(count: $0).data) }
        let stream = Blob(contentType: "t", contentStream: GeneratedContent(count: 50_000).stream())
        for isSecond in [false, true] {
            let error = thrown {
                try database.inBatch {
                    for (number, blob) in (blobs + [stream]).enumerated() { try save(blob, "\(number)") }
                    if !isSecond { throw POSIXError(.EIO) }
                }
            }
            #expect((error == nil) == isSecond)
        }
        #expect(content("1") == GeneratedContent(count: 100_000).data)
        #expect(content("2") == GeneratedContent(count: 50_000).data)
        try database.close()
        #expect(try folder.problems() == [])
    }
}
