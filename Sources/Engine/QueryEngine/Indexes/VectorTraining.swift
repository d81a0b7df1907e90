import Base
import DocumentStore
import SQLiteEngine
import VectorSearch

/// Trains a vector index while others read and write (Vector search EN-26): reads its vectors in a snapshot, finds the model without a lock, and
/// then codes the vectors in short transactions.
///
/// Meanwhile the index has vectors of both kinds, which searches compare each in its way. If the process ends before everything is done, the
/// next one that changes the index goes on.
package struct VectorTraining: Sendable {
    /// The common name of the tables of the index.
    let table: String
    /// The most vectors that one transaction codes.
    let stepSize: Int

    /// The most vectors, and bytes of them, that one transaction codes, and with which a transaction of the app trains the index itself.
    static let maximumVectors = 10_000
    static let maximumBytes = 16 << 20
    /// The most multiplications with which a transaction of the app trains the index itself: about half a second.
    private static let maximumEffort = 4e9
    /// The number of vectors above which an index is trained in the background. Tests set it, so that few documents are enough.
    @TaskLocal package static var minimumVectors = maximumVectors

    /// Limits how many indexes are trained in the background at the same time in the process. More than one, so that a long training does not
    /// keep the short ones of other files waiting. Tests set it.
    @TaskLocal static var limit = IndexWorkLimit(count: 2)

    /// Returns whether the training must end, because the file is being closed.
    private let isCancelled: @Sendable (DatabaseFile) -> Bool

    /// Creates the training of an index that has this common name.
    ///
    /// - Parameter isCancelled: Returns whether the training must end. The default is whether the file is being closed.
    init(of table: String, isCancelled: @escaping @Sendable (DatabaseFile) -> Bool = { $0.indexWork.isStopped }) {
        (self.table, stepSize) = (table, min(Self.maximumVectors, max(1, Self.minimumVectors)))
        self.isCancelled = isCancelled
    }

    /// Returns whether the training of an index is short enough to be part of a transaction.
    static func isShort(_ options: VectorIndexOptions, vectorCount: Int) -> Bool {
        vectorCount <= minimumVectors && vectorCount <= maximumBytes / (options.dimensions * 4)
            && options.trainingEffort(vectorCount: vectorCount) <= maximumEffort
    }

    // MARK: Running

    /// Trains the index, and codes its vectors.
    ///
    /// - Throws: `CancellationError` if the training is cancelled.
    func run(on file: DatabaseFile) throws {
        do {
            if let (entry, model) = try trained(file) { try install(model, for: entry, file) }
            while try codeMore(file) {}
        } catch is VectorIndexDamage {
            try check(file)
            try file.transaction { writer in
                try indexWriter(writer, file)?.rebuildOrMark()
                writer.noteIndexChange()
            }
        }
    }

    /// Must be called before anything that takes long, and before each transaction.
    private func check(_ file: DatabaseFile) throws { if isCancelled(file) { throw CancellationError() } }

    /// Returns a model for the vectors there are; `nil` if the index is gone, is trained already, or has too few vectors.
    private func trained(_ file: DatabaseFile) throws -> (VectorIndexEntry, VectorModel)? {
        let found: (entry: VectorIndexEntry, sample: VectorSample, random: SeededNumbers)? = try file.read { context in
            let connection = context.connection
            guard let entry = try VectorRegistry.entry(ofTable: table, on: connection), !entry.isTrained,
                let size = VectorSample.size(for: entry.options),
                // A search also counts places of vectors that are gone.
                try VectorIndexReader(entry: entry, context: context).vectorCount() >= entry.options.effectiveMinimum
            else { return nil }
            var random = SeededNumbers(name: entry.name)
            var sample = VectorSample(size: size, dimensions: entry.options.dimensions)
            try StoredVectors(entry: entry, connection: connection).forEach { _, vector in
                if sample.seen % 1000 == 0 { try check(file) }
                sample.add(vector, &random)
            }
            return sample.seen >= entry.options.effectiveMinimum ? (entry, sample, random) : nil
        }
        guard var found else { return nil }
        // Without a connection, so that closing the file need not wait.
        let model = try VectorModel(training: found.entry.options, sample: found.sample.vectors, &found.random) { isCancelled(file) }
        return (found.entry, model)
    }

    /// Stores a model, unless another process has been faster (Vector search EN-28).
    private func install(_ model: VectorModel, for entry: VectorIndexEntry, _ file: DatabaseFile) throws {
        try check(file)
        try file.transaction { writer in
            try writer.completeMaintainedIndexes()
            guard let index = try indexWriter(writer, file), !index.entry.isTrained, index.entry.options == entry.options,
                index.entry.storedExpression.isExactly(entry.storedExpression)
            else { return }
            try index.install(model)
            writer.noteIndexChange()
        }
    }

    /// Codes some of the vectors that are stored as they are. Returns whether there are more.
    private func codeMore(_ file: DatabaseFile) throws -> Bool {
        try check(file)
        // An index that has too few vectors keeps no other writer waiting.
        guard try file.read({ try VectorRegistry.entry(ofTable: table, on: $0.connection)?.isTrained ?? false }) else { return false }
        return try file.transaction { writer in
            // Places of marked documents must be known before they move.
            try writer.completeMaintainedIndexes()
            guard let index = try indexWriter(writer, file), index.entry.isTrained else { return false }
            return try index.codeRawCells(limit: stepSize)
        }
    }

    private func indexWriter(_ writer: Writer, _ file: DatabaseFile) throws -> VectorIndexWriter? {
        guard let entry = try VectorRegistry.entry(ofTable: table, on: writer.connection),
            let collection = try CollectionID(storeName: entry.store).flatMap({ try file.collection($0) })
        else { return nil }
        let index = try VectorIndexWriter(entry, of: collection, writer)
        index.isCancelled = { isCancelled(file) }
        return index
    }
}
