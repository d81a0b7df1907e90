import CouchbaseLiteSwift
import Foundation
import TestSupport

/// The operations of a program on a database, derived from a seed: a list of steps, with the expected content of the database after
/// each step.
struct Workload {
    enum Step {
        /// Saves documents in one batch; `nil` deletes a document.
        case save([String: Content?])
        /// Creates a vector index, or one with another number of buckets in its place.
        case index(centroids: Int)
        case compact
        case reopen
        case changeKey(Int)
    }

    /// The content of a document: a number, and the size of its blob in bytes, `nil` for no blob.
    struct Content: Hashable {
        let number: Int
        let blobSize: Int?

        var blob: Data? { blobSize.map { GeneratedContent(count: UInt64($0), seed: UInt64(number)).data } }
    }

    /// All documents of a database.
    typealias State = [String: Content]

    /// The configuration with which databases are opened.
    struct Setting {
        var isEncrypted = false
        /// Whether each commit is synced, so that acknowledged changes survive a power failure.
        var fullSync = false
        /// Whether there is a vector index, which is created, filled and trained.
        var hasVectors = false

        var description: String {
            (isEncrypted ? "encrypted" : "plain") + (fullSync ? ", full sync" : "") + (hasVectors ? ", vectors" : "")
        }
    }

    let setting: Setting
    let steps: [Step]
    /// The states after each number of steps; the first is the state of a new database.
    let states: [State]

    static let name = "faults"

    init(_ setting: Setting, seed: UInt64, stepCount: Int) {
        var generator = SeededGenerator(seed: seed)
        var steps: [Step] = []
        var states: [State] = [[:]]
        for number in 0..<stepCount {
            var state = states[number]
            let step = Self.step(number, setting, &generator)
            if case .save(let changes) = step {
                for (id, content) in changes { state[id] = content }
            }
            steps.append(step)
            states.append(state)
        }
        self.setting = setting
        self.steps = steps
        self.states = states
    }

    private static func step(_ number: Int, _ setting: Setting, _ generator: inout SeededGenerator) -> Step {
        if setting.hasVectors, number == 0 || number != 1 && Int.random(in: 0..<6, using: &generator) == 0 {
            return .index(centroids: number % 2 + 1)
        }
        // So many that the index is trained.
        if setting.hasVectors, number == 1 || Int.random(in: 0..<8, using: &generator) == 0 {
            return .save(Dictionary(uniqueKeysWithValues: manyIDs.map { ($0, Content(number: number * 10 + $0.count, blobSize: nil)) }))
        }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: return .compact
        case 1: return .reopen
        case 2 where setting.isEncrypted: return .changeKey(number)
        default:
            let count = Int.random(in: 0..<4, using: &generator) == 0 ? 5 : 1
            var changes: [String: Content?] = [:]
            for index in 0..<count {
                let id = "doc\(Int.random(in: 0..<8, using: &generator))"
                let size = [nil, nil, 100, 20_000].randomElement(using: &generator) ?? nil
                let isDeleted = Int.random(in: 0..<5, using: &generator) == 0
                changes[id] = isDeleted ? .some(nil) : Content(number: number * 10 + index, blobSize: size)
            }
            return .save(changes)
        }
    }

    private static let manyIDs = (0..<30).map { "many\($0)" }

    // MARK: Running

    func key(_ number: Int) -> EncryptionKey? {
        setting.isEncrypted ? EncryptionKey.key(Data(repeating: UInt8(truncatingIfNeeded: number + 1), count: 32)) : nil
    }

    /// Returns the keys that the database may have after a number of steps in a range: the last key that is certain, and later ones.
    func keys(after steps: ClosedRange<Int>) -> [EncryptionKey?] {
        guard setting.isEncrypted else { return [nil] }
        var numbers = [-1]
        for (index, step) in self.steps.prefix(steps.upperBound).enumerated() {
            guard case .changeKey(let number) = step else { continue }
            if index < steps.lowerBound { numbers = [number] } else { numbers.append(number) }
        }
        return numbers.map(key)
    }

    func open(in directory: String, key: EncryptionKey?) throws -> Database {
        let configuration = DatabaseConfiguration()
        configuration.directory = directory
        configuration.fullSync = setting.fullSync
        configuration.encryptionKey = key
        return try Database(name: Self.name, config: configuration)
    }

    /// Runs the steps on a new database, and calls `done` with the number of acknowledged steps after each.
    func run(in directory: String, done: (Int) -> Void) throws {
        var key = key(-1)
        var database = try open(in: directory, key: key)
        done(0)
        for (index, step) in steps.enumerated() {
            switch step {
            case .save(let changes): try Self.save(changes, in: database)
            case .index(let centroids): try Self.createIndex(centroids, in: database)
            case .compact: try database.performMaintenance(type: .compact)
            case .reopen:
                try database.close()
                database = try open(in: directory, key: key)
            case .changeKey(let number):
                key = self.key(number)
                try database.changeEncryptionKey(key)
            }
            done(index + 1)
        }
        try database.close()
    }

    static func save(_ changes: [String: Content?], in database: Database) throws {
        let collection = try database.defaultCollection()
        try database.inBatch {
            // So many that the whole file system is flushed at the commit.
            if changes.count > 1 {
                for number in 0..<16 { try database.saveBlob(blob: Blob(contentType: "x", data: Data("\(changes.count) \(number)".utf8))) }
            }
            for (id, content) in changes.sorted(by: { $0.key < $1.key }) {
                guard let content else {
                    if let document = try collection.document(id: id) { try collection.delete(document: document) }
                    continue
                }
                let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
                document.setInt(content.number, forKey: "number")
                document.setArray(MutableArrayObject(data: [content.number % 13, id.count]), forKey: "vector")
                document.setBlob(content.blob.map { Blob(contentType: "x", data: $0) }, forKey: "blob")
                try collection.save(document: document)
            }
        }
    }

    /// Returns the content of a database. Reads every document and every blob.
    ///
    /// - Throws: ``Broken`` if a blob is missing or damaged.
    static func state(of database: Database) throws -> State {
        let collection = try database.defaultCollection()
        var state: State = [:]
        for id in (0..<8).map({ "doc\($0)" }) + manyIDs {
            guard let document = try collection.document(id: id) else { continue }
            let blob = document.blob(forKey: "blob")
            let content = Content(number: document.int(forKey: "number"), blobSize: blob.map { Int($0.length) })
            guard blob?.content == content.blob else { throw Broken("the blob of \(id) is missing or damaged") }
            state[id] = content
        }
        try checkIndex(of: collection, in: database, state)
        return state
    }

    // MARK: Vector index

    private static let index = "near"

    static func createIndex(_ centroids: Int, in database: Database) throws {
        var config = VectorIndexConfiguration(expression: "vector", dimensions: 2, centroids: UInt32(centroids))
        config.encoding = centroids == 1 ? .none : .scalarQuantizer(type: .SQ8)
        try database.defaultCollection().createIndex(withName: index, config: config)
    }

    /// - Throws: ``Broken`` if there is a vector index, and searches do not find the documents with the distances that they have.
    private static func checkIndex(of collection: Collection, in database: Database, _ state: State) throws {
        guard try collection.indexes().contains(index) else { return }
        let query = try database.createQuery(
            "SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, [0, 0]) FROM _ ORDER BY APPROX_VECTOR_DISTANCE(vector, [0, 0]) LIMIT 1000"
        )
        var found: [String: Double] = [:]
        for row in try query.execute() { found[row.string(at: 0) ?? ""] = row.double(at: 1) }
        guard Set(found.keys) == Set(state.keys) else {
            throw Broken("a search finds \(found.keys.sorted()) instead of \(state.keys.sorted())")
        }
        for (id, content) in state {
            let (x, y) = (content.number % 13, id.count)
            guard let distance = found[id], abs(distance - Double(x * x + y * y)) < 2 else {
                throw Broken("\(id) has the distance \(found[id] ?? -1) instead of \(x * x + y * y)")
            }
        }
    }
}

/// A violated expectation.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
