import DocumentStore
import Foundation
import SQLiteEngine
import Testing
import VectorSearch

@testable import QueryEngine

/// Parts of training, for tests that look at the index between them.
extension VectorDatabase {
    /// The common name of the tables of the index.
    static let indexName = "kv_.words:vector:words_index"

    /// The number of cells whose vectors are not coded.
    func rawCellCount() throws -> Int64 {
        let table = "\(Self.indexName):cells".quotedIdentifier
        return try database.file.read { try $0.connection.scalar("SELECT count(*) FROM \(table) WHERE bucket = -1") ?? 0 }
    }

    /// Waits until the index is trained and all its vectors are coded. Records an issue if nothing is left that would do that.
    func waitForTraining() throws {
        while true {
            let isScheduled = database.file.indexWork.isScheduled(Self.indexName)
            if try state().isTrained, try rawCellCount() == 0 { return }
            guard isScheduled else { break }
            usleep(2000)
        }
        Issue.record("the index was not trained")
    }

    /// Installs a model, but codes no cells, as if the process had ended then.
    func beginTraining() throws {
        try database.file.transaction { writer in
            let index = try indexWriter(writer)
            var random = SeededNumbers(seed: 1)
            var sample: [Float] = []
            try StoredVectors(entry: index.entry, connection: writer.connection).forEach { sample += $1 }
            try index.install(VectorModel(training: index.entry.options, sample: sample, &random))
            writer.noteIndexChange()
        }
    }

    func indexWriter(_ writer: Writer) throws -> VectorIndexWriter {
        let entry = try #require(try VectorRegistry.entries(on: writer.connection).first)
        return try VectorIndexWriter(entry, of: words, writer)
    }

    /// Returns all documents with their distances from the origin, in order.
    func distances() throws -> [String] {
        try rows("SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, $t) AS d FROM words ORDER BY d, meta().id LIMIT 10000")
    }

    /// A database whose vectors are in cells, and that is not trained although it has enough of them.
    static func untrained(_ count: Int, _ options: VectorIndexOptions) throws -> VectorDatabase {
        var larger = options
        larger.minimumTraining = 100_000
        let words = try VectorDatabase.withPoints(count, larger)
        try words.setStoredOptions(options)
        return words
    }

    /// Changes the options of the index in the file only, as another program could.
    func setStoredOptions(_ options: VectorIndexOptions) throws {
        try execute("UPDATE vector_indexes SET options = '\(options.text)'")
    }

    /// Executes statements as another program would.
    func execute(_ sql: String) throws {
        let other = try Connection(path: database.file.bundle.sqliteFile, mode: .readWrite)
        defer { other.closeLoggingErrors() }
        try other.execute(sql)
    }
}

/// Occupies the queue of a file until ``end()``, so that the index is not trained in the background.
struct TrainingHold {
    private struct Failure: Error {}

    private let semaphore = DispatchSemaphore(value: 0)

    /// - Parameter fails: Whether the work ends with an error, as training does that another process prevents from writing.
    init(_ words: VectorDatabase, fails: Bool = false) {
        let begun = DispatchSemaphore(value: 0)
        words.database.file.scheduleIndexWork(VectorDatabase.indexName) { [semaphore] _ in
            begun.signal()
            semaphore.wait()
            if fails { throw Failure() }
        }
        begun.wait()
    }

    func end() { semaphore.signal() }
}
