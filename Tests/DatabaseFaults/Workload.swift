import CouchbaseLiteSwift
import Foundation
import TestSupport

/// What a program does with a database, the same for the same seed: a list of steps, of each of which is known what the database holds
/// after it.
struct Workload {
    enum Step {
        /// Documents with their contents, in one batch; nil deletes.
        case save([String: Content?])
        case compact
        case reopen
        case changeKey(Int)
    }

    /// The content of a document: a number, and a blob of so many bytes, nil for none.
    struct Content: Hashable {
        let number: Int
        let blobSize: Int?

        var blob: Data? { blobSize.map { GeneratedContent(count: UInt64($0), seed: UInt64(number)).data } }
    }

    /// All documents of a database.
    typealias State = [String: Content]

    /// How databases are opened.
    struct Setting {
        var isEncrypted = false
        /// Whether each commit waits for the medium: what is acknowledged then survives everything.
        var fullSync = false

        var description: String { (isEncrypted ? "encrypted" : "plain") + (fullSync ? ", full sync" : "") }
    }

    let setting: Setting
    let steps: [Step]
    /// The states after each number of steps; the first is that of a new database.
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

    // MARK: Running

    func key(_ number: Int) -> EncryptionKey? {
        setting.isEncrypted ? EncryptionKey.key(Data(repeating: UInt8(truncatingIfNeeded: number + 1), count: 32)) : nil
    }

    /// The keys that the database may have after so many steps: those from the last one that was certainly set.
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

    /// Runs the steps on a new database, calling `done` with the number of those that have been done and acknowledged.
    func run(in directory: String, done: (Int) -> Void) throws {
        var key = key(-1)
        var database = try open(in: directory, key: key)
        done(0)
        for (index, step) in steps.enumerated() {
            switch step {
            case .save(let changes): try Self.save(changes, in: database)
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
            for (id, content) in changes.sorted(by: { $0.key < $1.key }) {
                guard let content else {
                    if let document = try collection.document(id: id) { try collection.delete(document: document) }
                    continue
                }
                let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
                document.setInt(content.number, forKey: "number")
                document.setBlob(content.blob.map { Blob(contentType: "x", data: $0) }, forKey: "blob")
                try collection.save(document: document)
            }
        }
    }

    /// What a database holds. Reads every document and every blob.
    ///
    /// - Throws: ``Broken`` when a document or a blob is neither what was saved nor missing.
    static func state(of database: Database) throws -> State {
        let collection = try database.defaultCollection()
        var state: State = [:]
        for number in 0..<8 {
            let id = "doc\(number)"
            guard let document = try collection.document(id: id) else { continue }
            let blob = document.blob(forKey: "blob")
            let content = Content(number: document.int(forKey: "number"), blobSize: blob.map { Int($0.length) })
            guard blob?.content == content.blob else { throw Broken("the blob of \(id) is missing or damaged") }
            state[id] = content
        }
        return state
    }
}

/// Something that must not be.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
