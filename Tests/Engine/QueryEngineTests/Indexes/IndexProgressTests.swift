import DocumentStore
import Fleece
import Testing

@testable import QueryEngine

@Suite("Progress of creating an index")
struct IndexProgressTests {
    private struct Stop: Error {}
    private static let count = 12_000
    private static let definitions = [
        IndexDefinition(name: "i", kind: .value, text: "n"),
        IndexDefinition(name: "i", kind: .array(path: "list"), text: ""),
        IndexDefinition(name: "i", kind: .fullText(FullTextIndexOptions()), text: "text"),
    ]

    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        let collection = try database.collection("_default._default")
        try database.file.transaction { writer in
            for number in 0..<Self.count {
                let json = #"{"n":\#(number),"list":[1,2,\#(number)],"text":"number \#(number)"}"#
                _ = try collection.save(DocumentSave("doc \(number)", base: .latest), in: writer) { encoder in
                    try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder) }
                    return false
                }
            }
        }
        return database
    }

    @Test("the reported numbers grow up to about that of all documents", arguments: 0..<3)
    func growth(definition: Int) throws {
        let database = try database()
        let collection = try database.collection("_default._default")
        var reports: [Int] = []
        try database.indexes.create(Self.definitions[definition], on: collection) { done, total in
            #expect(total == Self.count)
            reports.append(done)
        }
        #expect(reports == reports.sorted())
        #expect(reports.count > 2)
        #expect((Self.count * 6 / 10...Self.count).contains(reports.last ?? 0), "\(reports)")
        #expect(try BundleChecker(database.file).findings().isEmpty)
    }

    @Test("an index whose creation is stopped does not exist, and can be created again", arguments: 0..<3)
    func stopped(definition: Int) throws {
        let database = try database()
        let collection = try database.collection("_default._default")
        let definition = Self.definitions[definition]
        #expect(throws: Stop.self) {
            try database.indexes.create(definition, on: collection) { done, total in
                if done > total / 3 { throw Stop() }
            }
        }
        #expect(try database.indexes.indexes(of: collection).isEmpty)
        try database.indexes.create(definition, on: collection)
        #expect(try database.indexes.indexes(of: collection).count == 1)
        #expect(try BundleChecker(database.file).findings().isEmpty)
    }
}
