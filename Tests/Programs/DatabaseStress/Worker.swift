import CouchbaseLiteSwift
import Foundation
import QueryEngine
import TestSupport

/// The work of one thread, and its expected results.
struct Worker {
    private(set) var counted = 0
    private(set) var operations = 0
    private(set) var documents: [String: Int?] = [:]
    private(set) var problems: [String] = []

    private let name: String
    private let database: Database
    private let things: Collection
    private let listening: Listening
    private var generator: SeededGenerator
    private var number = 0

    init(_ name: String, _ database: Database, _ listening: Listening, seed: UInt64) throws {
        guard let things = try database.collection(name: "things") else { throw CocoaError(.fileNoSuchFile) }
        self.name = name
        self.database = database
        self.things = things
        self.listening = listening
        generator = SeededGenerator(seed: seed)
    }

    mutating func step() throws {
        number += 1
        operations += 1
        let id = "\(name)-\(Int.random(in: 0..<30, using: &generator))"
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<3:
            try set(id, number)
            documents[id] = number
        case 3:
            guard let document = try things.document(id: id) else { return }
            try things.delete(document: document)
            documents[id] = .some(nil)
        case 4:
            guard try things.document(id: id) != nil else { return }
            try things.purge(id: id)
            documents[id] = .some(nil)
        case 5..<7: try count()
        case 7: try changeTogether()
        case 8: try readTogether()
        case 9: try commitInOrder()
        case 10: try expire()
        case 11: try queryForAMoment()
        case 12...13: try saveVectors()
        case 14: try searchVectors()
        default: try listenForAMoment(id)
        }
    }

    private func set(_ id: String, _ number: Int) throws {
        let document = try things.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        try things.save(document: document.setInt(number, forKey: "n").setInt(1, forKey: "key\(number % 50)"))
    }

    /// Increments the counter that all threads increment.
    private mutating func count() throws {
        while true {
            guard let counter = database.document(withID: "counter")?.toMutable() else {
                problems.append("the counter is gone")
                return
            }
            counter.setInt(counter.int(forKey: "n") + 1, forKey: "n")
            if try database.saveDocument(counter, concurrencyControl: .failOnConflict) { break }
        }
        counted += 1
    }

    /// Sets a few documents, which all threads write, to the same number in one batch.
    private func changeTogether() throws {
        try database.inBatch {
            for member in 0..<5 {
                let id = "together-\(member)"
                let document = try things.document(id: id)?.toMutable() ?? MutableDocument(id: id)
                try things.save(document: document.setInt(number, forKey: "n").setString(name, forKey: "writer"))
            }
        }
    }

    /// Checks in one query that these documents have the same number.
    private mutating func readTogether() throws {
        let rows = try database.createQuery("SELECT n, writer FROM things WHERE meta().id LIKE 'together-%'").execute()
        let values = Set(rows.allResults().map { "\($0.int(at: 0)) \($0.string(at: 1) ?? "")" })
        if values.count > 1 { problems.append("a batch was seen in parts: \(values)") }
    }

    /// Saves a document with the next number of this process, which is assigned under the write lock, so that the numbers have the order of
    /// the commits.
    private func commitInOrder() throws {
        try database.inBatch {
            let order = listening.nextOrder()
            try things.save(document: MutableDocument(id: listening.orderedID(order)).setInt(order, forKey: "n"))
        }
    }

    /// Saves a document that expires at once.
    private func expire() throws {
        let id = "\(name)-expiring"
        try things.save(document: MutableDocument(id: id))
        do {
            try things.setDocumentExpiration(id: id, expiration: Date())
        } catch let error as NSError where error.code == CBLError.notFound {
            // The save kept the expiration date of the previous document, and it has expired since.
        }
    }

    // MARK: Vectors

    static func createVectorIndex(of collection: Collection, centroids: Int) throws {
        try collection.createIndex(
            withName: "near",
            config: VectorIndexConfiguration(expression: "vector", dimensions: 2, centroids: UInt32(centroids))
        )
    }

    /// Saves documents with vectors; sometimes creates the index anew, which is then trained in the background.
    private mutating func saveVectors() throws {
        let rebuilds = Int.random(in: 0..<40, using: &generator) == 0
        let first = Int.random(in: 0..<30, using: &generator)
        try VectorTraining.$minimumVectors.withValue(20) {
            if rebuilds { try Self.createVectorIndex(of: things, centroids: 1 + number % 3) }
            try database.inBatch {
                for member in first..<first + 4 {
                    let document = MutableDocument(id: "\(name)-vector-\(member)")
                    try things.save(document: document.setArray(MutableArrayObject(data: [member, number % 100]), forKey: "vector"))
                }
            }
        }
    }

    /// Checks that a search finds documents in order.
    private mutating func searchVectors() throws {
        let query = try database.createQuery(
            "SELECT APPROX_VECTOR_DISTANCE(vector, [\(number % 30), 50]) AS d FROM things ORDER BY d LIMIT 20"
        )
        let found = try query.execute().map { $0.double(at: 0) }
        if found != found.sorted() { problems.append("a search is not in order: \(found)") }
    }

    private func queryForAMoment() throws {
        let query = try database.createQuery("SELECT n FROM things WHERE n > $low")
        query.parameters = Parameters().setInt(number, forName: "low")
        let token = query.addChangeListener(withQueue: .global()) { _ in }
        let results = query.results()
        try set("\(name)-queried", number)
        query.parameters = Parameters().setInt(number + 1, forName: "low")
        withExtendedLifetime(results) {}
        token.remove()
    }

    private func listenForAMoment(_ id: String) throws {
        let token = things.addDocumentChangeListener(id: id, queue: .global()) { _ in }
        let changes = things.changes()
        try set("\(name)-heard", number)
        withExtendedLifetime(changes) {}
        token.remove()
    }
}
