import DocumentStore
import Fleece
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Stored documents")
struct DocumentTests {
    static var data: [String: Any] {
        ["name": "Ann", "age": 30, "tags": ["a", ["b"]], "home": ["city": ["zip": "94040"]]]
    }

    @Test("keys, count and iteration of a document have each property once")
    func keys() throws {
        let document = try stored(Self.data)
        #expect(document.count == 4)
        #expect(document.keys.sorted() == ["age", "home", "name", "tags"])
        #expect(Array(document) == document.keys)
        #expect(document.contains(key: "age"))
        #expect(!document.contains(key: "nope"))
    }

    @Test("the keys of a stored document are in the order of storage")
    func storedOrder() throws {
        let codec = DocumentCodec()
        let document = MutableDocument()
        for key in ["z", "y", "x", "with space", "a space"] { document.setInt(1, forKey: key) }
        #expect(document.keys == ["z", "y", "x", "with space", "a space"])
        // Numbered keys first, in the order they were numbered, then the others by their bytes.
        #expect(try codec.roundTrip(document).keys == ["z", "y", "x", "a space", "with space"])
    }

    @Test("a document returns the same object for a key each time")
    func identity() throws {
        let document = try stored(Self.data)
        let home = document.dictionary(forKey: "home")
        #expect(home != nil)
        #expect(document.dictionary(forKey: "home") === home)
        #expect(document.value(forKey: "home") as AnyObject === home)
        #expect(document["home"].dictionary === home)
        let tags = try #require(document.array(forKey: "tags"))
        #expect(document.array(forKey: "tags") === tags)
        #expect(tags.array(at: 1) === tags.array(at: 1))
        let copy = document.toMutable()
        #expect(copy.dictionary(forKey: "home") === copy.dictionary(forKey: "home"))
        #expect(copy.dictionary(forKey: "home") !== home)
    }

    @Test("containers can be used after their document was deallocated")
    func lifetime() throws {
        var document: Document? = try stored(Self.data)
        let city = document?.dictionary(forKey: "home")?.dictionary(forKey: "city")
        let tags = document?.array(forKey: "tags")
        document = nil
        #expect(city?.string(forKey: "zip") == "94040")
        #expect(tags?.array(at: 1)?.string(at: 0) == "b")
    }

    @Test("toDictionary returns plain values, and blobs unchanged")
    func toDictionary() throws {
        let document = MutableDocument(data: Self.data).setBlob(Blob(contentType: "t", data: Data([1])), forKey: "blob")
        let plain = document.toDictionary()
        #expect(plain["name"] is String)
        #expect(plain["age"] is NSNumber)
        #expect(plain["tags"] is [Any])
        #expect(plain["home"] is [String: Any])
        #expect(plain["blob"] is Blob)
        #expect(try canonical(stored(Self.data).toDictionary()) == canonical(Self.data))
    }

    @Test("an immutable document can be read by many threads concurrently")
    func threads() throws {
        let document = try stored(Self.data)
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            for _ in 0..<50 {
                #expect(document.dictionary(forKey: "home")?.dictionary(forKey: "city")?.string(forKey: "zip") == "94040")
                #expect(document.array(forKey: "tags")?.array(at: 1)?.string(at: 0) == "b")
                #expect(document.revisionID == nil)
            }
        }
    }

    @Test("a document whose body is not a dictionary reads as empty", arguments: [[], [0x60, 0x00], [0x30, 0x00], [0x70]])
    func badBody(_ bytes: [UInt8]) throws {
        let document = Document(id: "d", revision: nil, sequence: 0, body: FleeceData(bytes), sharedKeys: .empty, collection: nil)
        #expect(document.count == 0)
        #expect(document.keys.isEmpty)
        #expect(document.value(forKey: "a") == nil)
        #expect(document.toDictionary().isEmpty)
        #expect(document.toMutable().setInt(1, forKey: "a").toDictionary() as? [String: Int] == ["a": 1])
        #expect(try DocumentCodec().roundTrip(document).count == 0)
    }

    @Test("a document ignores a numbered key that is not in the list of shared keys")
    func unknownKey() throws {
        let codec = DocumentCodec()
        let body = try codec.body(of: MutableDocument(data: ["a": 1, "b": 2]))
        let document = Document(
            id: "d",
            revision: nil,
            sequence: 0,
            body: body,
            sharedKeys: SharedKeys(Array(codec.keys.snapshot.keys.prefix(1))),
            collection: nil
        )
        #expect(document.keys.count == 1)
        #expect(document.toDictionary().count == 1)
    }

    @Test("a document with a damaged body can be read without a trap")
    func damaged() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let codec = DocumentCodec()
        let original = try codec.body(of: MutableDocument(data: Self.data)).copiedBytes
        for _ in 0..<2000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            let document = Document(
                id: "d",
                revision: nil,
                sequence: 0,
                body: FleeceData(bytes),
                sharedKeys: codec.keys.snapshot,
                collection: nil
            )
            _ = document.keys.map { (document.value(forKey: $0), document.date(forKey: $0)) }
            _ = document.toMutable().setInt(1, forKey: "x").keys
        }
    }

    @Test("an unchanged stored document is encoded to the same bytes")
    func sameBytes() throws {
        let codec = DocumentCodec()
        let document = try codec.roundTrip(MutableDocument(data: Self.data))
        let first = try codec.body(of: document).copiedBytes
        let copy = document.toMutable()
        _ = copy.dictionary(forKey: "home")?.dictionary(forKey: "city")
        _ = copy.array(forKey: "tags")?.array(at: 1)
        #expect(try codec.body(of: copy).copiedBytes == first)
    }
}
