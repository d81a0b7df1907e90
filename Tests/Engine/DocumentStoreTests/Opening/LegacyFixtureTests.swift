import Fleece
import Foundation
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Real 1.x databases")
struct LegacyFixtureTests {
    private static let expected: [String: [(id: String, history: String, json: String, attachment: String)]] = [
        "ios-1.2": [
            (
                "doc1", "2-f34206d6bd05b187b3f4fdd232174ac7,1-d24e23f21c4f5b9ee83ce7e2493e0334",
                #"{"_attachments":{"attach1":{"content_type":"text/plain; charset=utf-8","#
                    + #""digest":"sha1-P1i5kI/sosq745/9BDR7kEghKps=","length":7,"revpos":2,"stub":true}},"#
                    + #""boolean":true,"date":"2016-01-15T23:08:40.803Z","foo":"bar","number":1,"type":"doc"}"#,
                "attach1"
            ),
            (
                "doc2", "2-47822c34de88456f589dd1e96cceaa58,1-9e4e87929af78cceff5a802a13797fa1",
                #"{"_attachments":{"attach2":{"content_type":"text/plain; charset=utf-8","#
                    + #""digest":"sha1-iTebnQazmdAhRBH64y9E6JqwSoc=","length":7,"revpos":2,"stub":true}},"#
                    + #""boolean":true,"date":"2016-01-15T23:08:40.816Z","foo":"bar","number":2,"type":"doc"}"#,
                "attach2"
            ),
        ],
        "android-1.2": [
            (
                "doc1", "2-db9941f74d7fd45d60c272b796ae50c7,1-e2a2bdc0b00e32ecd0b6bc546024808b",
                #"{"_attachments":{"attach1":{"content_type":"text/plain; charset=utf-8","#
                    + #""digest":"sha1-P1i5kI/sosq745/9BDR7kEghKps=","length":7,"revpos":2,"stub":true}},"key":"1"}"#,
                "attach1"
            ),
            (
                "doc2", "2-aaeb2815a598000a2f2afbbbf1ef4a89,1-9eb68a4a7b2272dc7a972a3bc136c39d",
                #"{"_attachments":{"attach2":{"content_type":"text/plain; charset=utf-8","#
                    + #""digest":"sha1-iTebnQazmdAhRBH64y9E6JqwSoc=","length":7,"revpos":2,"stub":true}},"key":"2"}"#,
                "attach2"
            ),
        ],
    ]

    @Test("real 1.x databases are upgraded with documents, histories and attachments", arguments: ["ios-1.2", "android-1.2"])
    func upgrade(_ name: String) throws {
        let database = try TestDatabase(fixture: "v1/\(name)")
        #expect(database.file.versionFound == FileVersion(101))
        #expect(database.file.version == .current)
        let expected = try #require(Self.expected[name])
        let collection = try database.collection()
        #expect(try collection.count() == UInt64(expected.count))
        for (number, document) in expected.enumerated() {
            let record = try #require(try collection.document(document.id))
            #expect(try record.canonicalJSON() == document.json)
            #expect(record.sequence == UInt64(number + 1))
            #expect(try collection.history(of: document.id)?.map(\.description).joined(separator: ",") == document.history)
            let digests = record.body.withRoot { BlobReferences.digests(in: $0, sharedKeys: record.sharedKeys) }
            let digest = try #require(digests?.first)
            let blob = try #require(try database.file.blobs.contents(of: digest))
            #expect(String(decoding: blob, as: UTF8.self) == document.attachment)
            #expect(blob.withUnsafeBytes { BlobDigest(of: $0) } == digest)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.directory.url.path) == ["\(name).cblite2"])
        // The blobs of these documents are kept, and the documents can be changed like any other.
        try database.file.compact()
        try database.save("doc1", #"{"new":true}"#)
        #expect(try database.file.blobs.digests().count == 2)
        #expect(try database.tree(of: "doc1").revisions.map(\.id.generation) == [3, 2, 1])
        try database.checkAndClose()
    }
}
