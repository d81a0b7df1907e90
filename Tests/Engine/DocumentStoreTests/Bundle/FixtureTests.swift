import DocumentStore
import Fleece
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Real databases")
struct FixtureTests {
    static let documentCounts = [
        "v2.7": 50, "v2.8": 50, "v3.0-names-deleted": 78, "bench10k": 10000, "wal": 500, "travel-sample": 2885,
    ]

    @Test("real databases can be opened read-only, and have no findings", arguments: documentCounts.keys.sorted())
    func readOnly(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(RealDatabase.url(name))
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        let file = try DatabaseRegistry.open(copy.path, options: options)
        defer { try? DatabaseRegistry.close(file) }
        let collection = try #require(try file.collection(.default))
        var count = 0
        try collection.forEachDocument { record in
            try Validator.validate(record.body.bytes)
            #expect(record.withProperties { _ in true } == true)
            count += 1
            return true
        }
        #expect(count == Self.documentCounts[name])
        #expect(try collection.count() == UInt64(count))
        #expect(file.version == file.versionFound)
        let result = try BundleChecker(file).check()
        #expect(result.findings == [])
        #expect(result.documents == count)
    }

    @Test("real databases are upgraded when they are opened for writing, and stay valid", arguments: documentCounts.keys.sorted())
    func upgrade(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(RealDatabase.url(name))
        let file = try DatabaseRegistry.open(copy.path)
        #expect(file.version == .current)
        let collection = try #require(try file.collection(.default))
        try file.transaction { writer in
            let outcome = try collection.save(DocumentSave("new", base: .none), in: writer) { encoder in
                encoder.beginDictionary()
                encoder.writeKey("a new key")
                encoder.write("value")
                encoder.writeKey("newKey")
                encoder.write(Int64(1))
                encoder.endDictionary()
                return false
            }
            #expect(outcome != .conflict)
        }
        let saved = try #require(try collection.document("new"))
        #expect(saved.withProperties { $0.value(for: "a new key", sharedKeys: saved.sharedKeys)?.string } == "value")
        #expect(saved.withProperties { $0.value(for: "newKey", sharedKeys: saved.sharedKeys)?.int64 } == 1)
        #expect(try BundleChecker(file).findings() == [])
        try DatabaseRegistry.close(file)
        let report = try DatabaseChecker.check(copy)
        #expect(report.problems == [])
    }
}
