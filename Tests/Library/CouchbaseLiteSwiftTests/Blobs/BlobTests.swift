import DatabaseRuntime
import DocumentStore
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Blobs")
struct BlobTests {
    static let content = Data("This is a blob to store in the store!".utf8)
    static let digest = "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E="

    private let test: TestDatabase
    private var database: Database { test.database }
    private let codec: DocumentCodec

    init() throws {
        test = try TestDatabase()
        codec = DocumentCodec(database: test.database)
    }

    private func read(_ stream: InputStream?) throws -> Data {
        var data = Data()
        try #require(stream).forEachPiece { data.append(contentsOf: $0) }
        return data
    }

    @Test("a blob made from data has content and length before it is saved, but no digest")
    func unsaved() throws {
        let blob = Blob(contentType: "text/plain", data: Self.content)
        #expect(blob.content == Self.content)
        #expect(blob.length == 37)
        #expect(blob.contentType == "text/plain")
        #expect(blob.digest == nil)
        #expect(blob.properties["digest"] == nil)
        #expect(try read(blob.contentStream) == Self.content)
    }

    @Test("a blob gets its digest when its document is saved, and its content can be read back")
    func saved() throws {
        let blob = Blob(contentType: "text/plain", data: Self.content)
        let document = MutableDocument().setBlob(blob, forKey: "b").setArray(MutableArrayObject().addBlob(blob), forKey: "l")
        #expect(try codec.containsBlobs(document))
        #expect(blob.digest == Self.digest)
        let stored = try codec.roundTrip(document)
        let read = try #require(stored.blob(forKey: "b"))
        #expect(read.content == Self.content)
        #expect(read.digest == Self.digest)
        #expect(read.length == 37)
        #expect(read.contentType == "text/plain")
        #expect(stored.blob(forKey: "b") === read)
        #expect(stored["l"][0].blob == read)
        #expect(stored.dictionary(forKey: "b") == nil)
        #expect(try self.read(read.contentStream) == Self.content)
        #expect(read.properties["length"] as? Int == 37)
        #expect(read.properties["@type"] == nil)
        #expect(read.toJSON() == #"{"@type":"blob","digest":"\#(Self.digest)","length":37,"content_type":"text/plain"}"#)
        #expect(try database.openFile().blobs.digests().count == 1)
    }

    @Test("only documents that contain blobs are flagged, also after editing")
    func flags() throws {
        #expect(try !codec.containsBlobs(MutableDocument(data: ["a": ["@type": "cat"], "mail": "a@type.b"])))
        let blob = Blob(contentType: "t", data: Self.content)
        let stored = try codec.roundTrip(MutableDocument(data: ["d": ["b": blob], "n": 1]))
        #expect(try codec.containsBlobs(stored))
        let copy = stored.toMutable().setInt(2, forKey: "n")
        #expect(try codec.containsBlobs(copy))
        copy.dictionary(forKey: "d")?.setInt(1, forKey: "x")
        #expect(try codec.containsBlobs(copy))
        copy.dictionary(forKey: "d")?.removeValue(forKey: "b")
        #expect(try !codec.containsBlobs(copy))
        let pieces = MutableDictionaryObject().setString("blob", forKey: "@type").setString(Self.digest, forKey: "digest")
        #expect(try codec.containsBlobs(MutableDocument().setDictionary(pieces, forKey: "b")))
        let json = try MutableDocument(json: #"{"l":[{"@type":"blob","digest":"\#(Self.digest)"}]}"#)
        #expect(try codec.containsBlobs(json))
        let changed = try MutableDictionaryObject(json: #"{"@type":"blob","digest":"\#(Self.digest)"}"#).setInt(1, forKey: "x")
        #expect(try codec.containsBlobs(MutableDocument().setDictionary(changed, forKey: "b")))
        changed.setString("cat", forKey: "@type")
        #expect(try !codec.containsBlobs(MutableDocument().setDictionary(changed, forKey: "b")))
    }

    @Test("a blob made from a stream reads it once, when it is saved or its content is requested", arguments: [false, true])
    func stream(asking: Bool) throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let blob = Blob(contentType: "t", contentStream: InputStream(data: content))
        #expect(blob.length == 0)
        #expect(blob.contentStream == nil)
        if asking {
            #expect(blob.content == content)
            #expect(blob.length == 200_000)
        }
        let stored = try codec.roundTrip(MutableDocument().setBlob(blob, forKey: "b"))
        #expect(blob.length == 200_000)
        #expect(blob.digest != nil)
        #expect(blob.content == content)
        #expect(stored.blob(forKey: "b")?.content == content)
        #expect(try read(stored.blob(forKey: "b")?.contentStream) == content)
    }

    @Test("a blob made from a file reads it when the document is saved")
    func file() throws {
        let url = test.directory.url.appendingPathComponent("file.txt")
        try Self.content.write(to: url)
        let blob = try Blob(contentType: "text/plain", fileURL: url)
        let stored = try codec.roundTrip(MutableDocument().setBlob(blob, forKey: "b"))
        #expect(stored.blob(forKey: "b")?.content == Self.content)
    }

    @Test("saving a blob of a missing file throws an error and leaves no files")
    func missingFile() throws {
        let blob = try Blob(contentType: "t", fileURL: test.directory.url.appendingPathComponent("nope"))
        #expect(throws: NSError.self) { try codec.roundTrip(MutableDocument().setBlob(blob, forKey: "b")) }
        let files = try? FileManager.default.contentsOfDirectory(atPath: database.openFile().blobs.directory)
        #expect((files ?? []).isEmpty)
        #expect(
            misuse { _ = try? Blob(contentType: "t", fileURL: URL(string: "http://x/y")!) }?.name == invalidArgument
        )
    }

    @Test("a stored blob whose file is missing or truncated has no content", arguments: [false, true])
    func damaged(removed: Bool) throws {
        let stored = try codec.roundTrip(MutableDocument(data: ["b": Blob(contentType: "t", data: Self.content)]))
        let store = try database.openFile().blobs
        let path = store.path(of: try #require(BlobDigest(Self.digest)))
        try FileManager.default.removeItem(atPath: path)
        if !removed { try Data(Self.content.prefix(5)).write(to: URL(fileURLWithPath: path)) }
        let blob = try #require(stored.blob(forKey: "b"))
        #expect(blob.content == nil)
        #expect(blob.contentStream == nil)
        #expect(blob.length == 37)
    }

    @Test("a stored blob whose file is too large for the memory has no content, but a stream")
    func huge() throws {
        _ = try codec.roundTrip(MutableDocument(data: ["b": Blob(contentType: "t", data: Self.content)]))
        let properties: [String: Any] = ["@type": "blob", "digest": Self.digest]
        let stored = try codec.roundTrip(MutableDocument(data: ["b": properties]))
        let store = try database.openFile().blobs
        let path = store.path(of: try #require(BlobDigest(Self.digest)))
        try FileManager.default.removeItem(atPath: path)
        try Data().write(to: URL(fileURLWithPath: path))
        // Bytes that were never written take no disk space.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 1 << 40)
        try file.close()
        let blob = try #require(stored.blob(forKey: "b"))
        #expect(blob.content == nil)
        #expect(blob.contentStream != nil)
    }

    @Test("the content of a blob made from metadata cannot be read before it is saved")
    func metadata() throws {
        _ = try codec.roundTrip(MutableDocument(data: ["b": Blob(contentType: "t", data: Self.content)]))
        let properties: [String: Any] = ["@type": "blob", "digest": Self.digest, "length": 37]
        let document = MutableDocument(data: ["b": properties])
        let blob = try #require(document.blob(forKey: "b"))
        #expect(blob.isDetached)
        #expect(misuse { _ = blob.content }?.name == inconsistency)
        #expect(misuse { _ = blob.contentStream }?.name == inconsistency)
        #expect(try codec.roundTrip(document).blob(forKey: "b")?.content == Self.content)
        #expect(!blob.isDetached)
        #expect(blob.content == Self.content)
    }

    @Test("a blob may have its content inline in the document")
    func inline() throws {
        let document = try MutableDocument(json: #"{"b":{"@type":"blob","data":"AQID","content_type":"t"}}"#)
        #expect(document.blob(forKey: "b")?.content == Data([1, 2, 3]))
        #expect(try codec.roundTrip(document).blob(forKey: "b")?.content == Data([1, 2, 3]))
        document.setBlob(document.blob(forKey: "b"), forKey: "c")
        #expect(try codec.roundTrip(document).blob(forKey: "c")?.content == Data([1, 2, 3]))
        // Such a document can come from a peer, so requesting the JSON of its blob must be allowed.
        let blob = try #require(codec.roundTrip(document).blob(forKey: "b"))
        let json = try JSONDecoder().decode([String: String].self, from: Data(blob.toJSON().utf8))
        #expect(json == ["@type": "blob", "data": "AQID", "content_type": "t"])
    }

    @Test("a negative length in the description of a blob is read as 0")
    func negativeLength() {
        let document = MutableDocument(data: ["b": ["@type": "blob", "digest": Self.digest, "length": -1] as [String: Any]])
        #expect(document.blob(forKey: "b")?.length == 0)
    }

    @Test("attachments of version 1.x are read as blobs, also from a changed document")
    func attachments() throws {
        _ = try codec.roundTrip(MutableDocument(data: ["b": Blob(contentType: "t", data: Self.content)]))
        let json = #"{"_attachments":{"avatar":{"digest":"\#(Self.digest)","length":37,"revpos":2,"stub":true}}}"#
        let stored = try codec.roundTrip(MutableDocument(json: json))
        #expect(try codec.containsBlobs(stored))
        #expect(stored.dictionary(forKey: "_attachments")?.blob(forKey: "avatar")?.content == Self.content)
        let copy = stored.toMutable().setInt(1, forKey: "n")
        #expect(copy["_attachments"]["avatar"].blob?.content == Self.content)
        #expect(try codec.containsBlobs(copy))
    }

    @Test("a blob keeps its additional properties when it is set for another key")
    func extraProperties() throws {
        let json = #"{"b":{"@type":"blob","digest":"\#(Self.digest)","length":37,"by":"ann"}}"#
        let document = try MutableDocument(json: json)
        document.setBlob(document.blob(forKey: "b"), forKey: "c").removeValue(forKey: "b")
        #expect(try codec.roundTrip(document).toJSON().contains(#""by":"ann""#))
    }

    @Test("blobs are equal when their digests or contents are equal")
    func equality() throws {
        let first = Blob(contentType: "a", data: Self.content)
        let second = Blob(contentType: "b", contentStream: InputStream(data: Self.content))
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        _ = try codec.roundTrip(MutableDocument(data: ["b": first]))
        #expect(first == Blob(contentType: "a", data: Self.content))
        #expect(first.hashValue == Blob(contentType: "a", data: Self.content).hashValue)
        #expect(first != Blob(contentType: "a", data: Data([1])))
    }

    @Test("a blob that cannot be read is equal only to itself")
    func unreadableEquality() throws {
        func unreadable() -> Blob { Blob(contentType: "a", contentStream: InputStream(fileAtPath: "/nowhere/at/all")!) }
        let (first, second) = (unreadable(), unreadable())
        #expect(first == first)
        #expect(first != second)
        #expect(first != Blob(contentType: "a", data: Data()))
        #expect(Set([first, second]).count == 2)
        let (one, other) = (MutableDocument(data: ["b": first]), MutableDocument(data: ["b": second]))
        #expect(one.toDictionary()["b"] as? Blob == first)
        #expect(one.dictionary(forKey: "b") == nil && other.blob(forKey: "b") != one.blob(forKey: "b"))
    }

    @Test("using a blob of another database raises an exception, also inside nested containers")
    func foreign() throws {
        let other = try TestDatabase()
        let blob = Blob(contentType: "t", data: Self.content)
        let stored = try DocumentCodec(database: other.database).roundTrip(MutableDocument(data: ["d": ["b": blob]]))
        #expect(throws: ForeignBlob.self) { try codec.roundTrip(MutableDocument(data: ["b": blob])) }
        let documents = [
            MutableDocument(data: ["b": blob]), MutableDocument(data: ["l": [["x": blob]]]),
            MutableDocument().setDictionary(stored.dictionary(forKey: "d"), forKey: "d"),
            MutableDocument().setBlob(stored["d"]["b"].blob, forKey: "b"),
        ]
        for document in documents {
            let reported = misuse { document.checkBlobs(belongTo: self.database) }
            #expect(reported?.name == inconsistency)
            #expect(reported?.reason.contains("saved to a different database") == true)
            #expect(misuse { document.checkBlobs(belongTo: other.database) } == nil)
        }
    }

    @Test("the JSON of an unsaved blob raises an exception")
    func json() {
        #expect(misuse { _ = Blob(contentType: "t", data: Self.content).toJSON() }?.name == inconsistency)
    }

    @Test(
        "isBlob recognizes dictionaries that describe blobs by their properties",
        arguments: [
            (#"{"@type":"blob","digest":"x"}"#, true), (#"{"@type":"blob","data":"AQID"}"#, true),
            (#"{"@type":"blob","digest":"x","length":3,"content_type":"t","more":1}"#, true),
            (#"{"@type":"blob"}"#, false),
            (#"{"digest":"x"}"#, false), (#"{"@type":"x","digest":"x"}"#, false),
            (#"{"@type":"blob","digest":1}"#, false),
            (#"{"@type":"blob","digest":"x","length":"3"}"#, false),
            (#"{"@type":"blob","digest":"x","content_type":3}"#, false), ("{}", false),
        ]
    )
    func isBlob(_ json: String, _ expected: Bool) throws {
        let properties = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(Blob.isBlob(properties: properties) == expected)
    }

    @Test("a blob cannot be encoded or decoded outside of documents")
    func codable() {
        let blob = Blob(contentType: "t", data: Self.content)
        let encoding = #expect(throws: NSError.self) { try JSONEncoder().encode([blob]) }
        #expect(encoding?.code == CBLError.encodingError)
        let decoding = #expect(throws: NSError.self) { try JSONDecoder().decode([Blob].self, from: Data("[{}]".utf8)) }
        #expect(decoding?.code == CBLError.decodingError)
    }

    @Test("the stream of a stored blob has the states of an InputStream")
    func streamStates() throws {
        let stored = try codec.roundTrip(MutableDocument(data: ["b": Blob(contentType: "t", data: Self.content)]))
        let blob = try #require(stored.blob(forKey: "b"))
        let stream = try #require(blob.contentStream)
        var buffer = [UInt8](repeating: 0, count: 30)
        #expect(stream.streamStatus == .notOpen)
        #expect(stream.read(&buffer, maxLength: 30) == -1)
        stream.open()
        #expect(stream.hasBytesAvailable)
        #expect(stream.read(&buffer, maxLength: 30) == 30)
        #expect(stream.read(&buffer, maxLength: 30) == 7)
        #expect(stream.read(&buffer, maxLength: 30) == 0)
        #expect(stream.streamStatus == .atEnd)
        #expect(!stream.hasBytesAvailable)
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(stream.read(&buffer, maxLength: 30) == -1)
    }

    @Test("the stream of a blob fails if the file is truncated while it is open")
    func truncatedStream() throws {
        let stored = try codec.roundTrip(MutableDocument(data: ["b": Blob(contentType: "t", data: Self.content)]))
        let stream = try #require(stored.blob(forKey: "b")?.contentStream)
        stream.open()
        let path = try database.openFile().blobs.path(of: try #require(BlobDigest(Self.digest)))
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: 5)
        try file.close()
        var buffer = [UInt8](repeating: 0, count: 30)
        #expect(stream.read(&buffer, maxLength: 30) == 5)
        #expect(stream.read(&buffer, maxLength: 30) == -1)
        #expect(stream.streamStatus == .error)
        #expect((stream.streamError as NSError?)?.code == CBLError.corruptData)
    }
}
