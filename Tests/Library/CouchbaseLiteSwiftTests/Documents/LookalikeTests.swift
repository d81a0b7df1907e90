import Base
import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// Swift's strings are equal if they look the same; IDs, keys and names are distinguished by their bytes.
@Suite("Canonically equivalent IDs, keys and names")
struct LookalikeTests {
    static let names = ["\u{212B}", "\u{C5}", "A\u{30A}", "e\u{301}", "\u{E9}"]

    let folder: DatabaseFolder
    let database: Database
    let collection: Collection
    let queue = DispatchQueue(label: "lookalikes")

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
    }

    private func fill() throws {
        try database.inBatch {
            for (number, name) in Self.names.enumerated() {
                try collection.save(document: MutableDocument(id: name).setInt(number, forKey: "n"))
            }
        }
    }

    /// The numbers of the existing documents, by name.
    private var numbers: [Int?] {
        get throws { try Self.names.map { try collection.document(id: $0)?.int(forKey: "n") } }
    }

    private static func exact(_ names: [String]) -> [ExactString] { names.map { ExactString($0) } }

    @Test("documents with canonically equivalent IDs are saved, changed, deleted, purged and expired separately")
    func documents() throws {
        try fill()
        #expect(collection.count == 5)
        #expect(try numbers == [0, 1, 2, 3, 4])
        try collection.save(document: try #require(try collection.document(id: Self.names[1])).toMutable().setInt(11, forKey: "n"))
        try collection.delete(document: try #require(try collection.document(id: Self.names[2])))
        try collection.purge(id: Self.names[3])
        #expect(try numbers == [0, 11, nil, nil, 4])
        let time = Date(timeIntervalSinceNow: 1000)
        try collection.setDocumentExpiration(id: Self.names[4], expiration: time)
        #expect(try collection.getDocumentExpiration(id: Self.names[0]) == nil)
        #expect(try collection.getDocumentExpiration(id: Self.names[4]) != nil)
        try collection.setDocumentExpiration(id: Self.names[4], expiration: Date(timeIntervalSince1970: 1))
        _ = try database.performMaintenance(type: .compact)
        #expect(try collection.document(id: Self.names[0]) != nil)
        #expect(try folder.problems() == [])
    }

    @Test("listeners distinguish canonically equivalent IDs")
    func listeners() throws {
        let groups = Recorder<[ExactString]>()
        let single = Recorder<ExactString>()
        let token = collection.addChangeListener(queue: queue) { groups.append(Self.exact($0.documentIDs)) }
        let other = collection.addDocumentChangeListener(id: Self.names[1], queue: queue) {
            single.append(ExactString($0.documentID))
        }
        try fill()
        try collection.save(document: MutableDocument(id: Self.names[2]))
        try collection.save(document: MutableDocument(id: Self.names[1]))
        #expect(
            groups.wait(forCount: 3) == [
                Self.exact(Self.names), Self.exact([Self.names[2]]), Self.exact([Self.names[1]]),
            ]
        )
        queue.sync {}
        #expect(single.all == Self.exact([Self.names[1], Self.names[1]]))
        token.remove()
        other.remove()
    }

    @Test("sequences of changes distinguish canonically equivalent IDs")
    func changeSequence() async throws {
        var changes = collection.changes().makeAsyncIterator()
        for name in Self.names { try collection.save(document: MutableDocument(id: name)) }
        var ids: [ExactString] = []
        while ids.count < Self.names.count, let change = await changes.next() { ids += Self.exact(change.documentIDs) }
        #expect(ids == Self.exact(Self.names))
    }

    @Test("queries distinguish canonically equivalent IDs")
    func queries() throws {
        try fill()
        let ids = try database.createQuery("SELECT meta().id FROM things ORDER BY n").execute().allResults()
            .compactMap { $0.string(at: 0) }
        #expect(Self.exact(ids) == Self.exact(Self.names))
        for (number, name) in Self.names.enumerated() {
            let rows = try database.createQuery("SELECT n FROM things WHERE meta().id = '\(name)'").execute()
            #expect(rows.allResults().map { $0.int(at: 0) } == [number])
            let query = try database.createQuery("SELECT n FROM things WHERE meta().id = $id")
            query.parameters = Parameters().setString(name, forName: "id")
            #expect(try query.execute().allResults().map { $0.int(at: 0) } == [number])
        }
    }

    @Test("canonically equivalent keys are different keys of dictionaries")
    func keys() throws {
        let document = MutableDocument(id: "d")
        let inner = MutableDictionaryObject()
        for (number, name) in Self.names.enumerated() {
            document.setInt(number, forKey: name)
            inner.setString("\(number)", forKey: name)
        }
        document.setDictionary(inner, forKey: "inner")
        inner.removeValue(forKey: Self.names[2])
        #expect(document.count == 6)
        #expect(inner.count == 4)
        try collection.save(document: document)
        let saved = try #require(try collection.document(id: "d"))
        #expect(Set(Self.exact(saved.keys)) == Set(Self.exact(Self.names + ["inner"])))
        for (number, name) in Self.names.enumerated() {
            #expect(saved.int(forKey: name) == number)
            #expect(saved.dictionary(forKey: "inner")?.string(forKey: name) == (number == 2 ? nil : "\(number)"))
        }
        // Keys are stored by their bytes.
        let json = saved.toJSON()
        let expected = Self.names.enumerated().sorted { $0.element.isOrderedBefore($1.element) }
            .map { "\"\($0.element)\":\($0.offset)" }
        #expect(expected.allSatisfy { json.utf8.firstRange(of: $0.utf8) != nil }, "\(json)")
        let copy = saved.toMutable().setInt(7, forKey: Self.names[3])
        #expect(copy.int(forKey: Self.names[4]) == 4)
        #expect(copy != saved)
        #expect(MutableDocument(id: Self.names[3]) != MutableDocument(id: Self.names[4]))
    }

    @Test("queries and indexes distinguish canonically equivalent property names")
    func properties() throws {
        let document = MutableDocument(id: "d")
        for (number, name) in Self.names.enumerated() { document.setInt(number, forKey: name) }
        try collection.save(document: document)
        for (number, name) in Self.names.enumerated() {
            // The statements differ only in this key.
            let row = try database.createQuery("SELECT things.`\(name)` FROM things").execute().next()
            #expect(row?.int(at: 0) == number)
            try collection.createIndex(withName: name, config: ValueIndexConfiguration(["`\(name)`"]))
        }
        #expect(Set(Self.exact(try collection.indexes())) == Set(Self.exact(Self.names)))
        try collection.deleteIndex(forName: Self.names[1])
        #expect(Set(Self.exact(try collection.indexes())).contains(Self.names[0]))
        #expect(!Set(Self.exact(try collection.indexes())).contains(Self.names[1]))
        let all = Self.names.map { "things.`\($0)`" }.joined(separator: ", ")
        let row = try #require(try database.createQuery("SELECT \(all) FROM things").execute().next())
        for (number, name) in Self.names.enumerated() { #expect(row.int(forKey: name) == number) }
        #expect(try folder.problems() == [])
    }

    @Test("a constant array of a builder query keeps the canonically equivalent keys of its dictionaries")
    func constants() throws {
        let dictionary = MutableDictionaryObject()
        for (number, name) in Self.names.enumerated() { dictionary.setInt(number, forKey: name) }
        try collection.save(document: MutableDocument(id: "d"))
        let constant = Expression.value(MutableArrayObject().addDictionary(dictionary))
        let query = QueryBuilder.select(SelectResult.expression(constant)).from(DataSource.collection(collection))
        let found = try #require(try query.execute().next()?.array(at: 0)?.dictionary(at: 0))
        #expect(found.count == Self.names.count)
        for (number, name) in Self.names.enumerated() { #expect(found.int(forKey: name) == number) }
    }

    @Test("canonically equivalent strings are different values", arguments: [0, 1, 3])
    func values(_ number: Int) throws {
        let (one, other) = (Self.names[number], Self.names[number + 1])
        #expect(one == other)
        #expect(MutableArrayObject(data: [one]) != MutableArrayObject(data: [other]))
        #expect(MutableArrayObject(data: [one]) == MutableArrayObject(data: [one]))
        try collection.save(document: MutableDocument())
        let rows = try database.createQuery("SELECT '\(one)' = '\(other)' FROM things").execute().allResults()
        #expect(rows.map { $0.boolean(at: 0) } == [false])
    }

    #if os(Linux)
    // The file systems of Apple's systems treat these as one name.
    @Test("databases with canonically equivalent names are different databases")
    func databases() throws {
        let (one, other) = (try folder.open(Self.names[3]), try folder.open(Self.names[4]))
        try one.saveDocument(MutableDocument(id: "in one"))
        #expect(other.document(withID: "in one") == nil)
        #expect(try one.defaultCollection() != other.defaultCollection())
        try other.delete()
        #expect(one.document(withID: "in one") != nil)
    }
    #endif
}
