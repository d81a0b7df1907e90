import ArgumentParser
import CouchbaseLiteSwift

/// What to do if the input contains an invalid document.
enum ImportErrorPolicy: String, ExpressibleByArgument, CaseIterable {
    /// Stops, and keeps the documents imported before it.
    case stop
    /// Reports it and continues with the next document.
    case skip
    /// Stops, and rolls back the whole import.
    case rollback
}

/// The result of an import.
struct ImportSummary {
    var created = 0
    var updated = 0
    var skipped = 0
    var blobs = BlobTally()
    /// Whether the user has interrupted the import.
    var isInterrupted = false
    /// The first problems, at most ``maximumProblems``.
    var problems: [ImportProblem] = []
    /// The problem that stopped the import; `nil` if it was completed.
    var fatalProblem: ImportProblem?

    static let maximumProblems = 20

    var imported: Int { created + updated }

    mutating func skip(_ problem: ImportProblem) {
        skipped += 1
        if problems.count < Self.maximumProblems { problems.append(problem) }
    }
}

/// Stores the documents of sources in collections.
struct Importer: ~Copyable {
    typealias Source = (collection: DocumentCollection, open: (DocumentCollection) throws -> any DocumentSource)

    var writer: DocumentWriter
    let policy: ImportErrorPolicy
    let batchSize: Int
    let progress: ProgressBar
    let stop: StopRequest
    private(set) var summary = ImportSummary()
    private(set) var bytesOfEarlierSources = 0
    /// The number of documents whose transaction is committed.
    private(set) var committed = 0

    /// Imports all documents, or those up to a fatal problem, which is recorded in the summary.
    ///
    /// - Throws: Errors other than invalid input; documents since the last commit are rolled back then.
    mutating func run(_ sources: [Source]) throws {
        defer {
            progress.finish()
            summary.blobs = writer.blobs.tally
        }
        do {
            if policy == .rollback {
                try sources.first?.collection.transaction { transaction in
                    for (collection, open) in sources {
                        let source = try open(collection)
                        let transaction = transaction.with(collection)
                        while try importNext(from: source, transaction) { try stop.check() }
                        bytesOfEarlierSources += source.bytesConsumed
                    }
                }
                committed = summary.imported
            } else {
                for (collection, open) in sources {
                    let source = try open(collection)
                    while try importBatch(from: source, into: collection) {}
                    if summary.isInterrupted { return }
                    bytesOfEarlierSources += source.bytesConsumed
                }
            }
        } catch let problem as ImportProblem {
            summary.fatalProblem = problem
            if policy == .rollback {
                summary.created = 0
                summary.updated = 0
            }
        }
    }

    /// Imports one batch in one transaction. Returns `false` if there are no more documents.
    private mutating func importBatch(from source: any DocumentSource, into collection: DocumentCollection) throws -> Bool {
        var problem: ImportProblem?
        let hasMore = try collection.transaction { transaction in
            do {
                for _ in 0..<batchSize {
                    if stop.isMade {
                        summary.isInterrupted = true
                        return false
                    }
                    guard try importNext(from: source, transaction) else { return false }
                }
                return true
            } catch let found as ImportProblem {
                // Not thrown inside the transaction, so that the documents before it are committed.
                problem = found
                return false
            }
        }
        committed = summary.imported
        if let problem { throw problem }
        return hasMore
    }

    /// Imports one document. Returns `false` if there are no more.
    private mutating func importNext(from source: any DocumentSource, _ transaction: DocumentCollection.Transaction) throws -> Bool {
        do {
            let isNew = try source.withNext { document in
                try writer.store(document, at: source.position, in: transaction)
            }
            guard let isNew else { return false }
            if isNew { summary.created += 1 } else { summary.updated += 1 }
        } catch var problem as ImportProblem {
            if problem.isRecoverable { problem.documentLine = source.position.line }
            guard policy == .skip, problem.isRecoverable else { throw problem }
            summary.skip(problem)
        }
        progress.update(bytesOfEarlierSources + source.bytesConsumed, count: summary.imported)
        return true
    }
}
