import ArgumentParser
import DocumentStore

/// What is done when something in the input is not a document.
enum ImportErrorPolicy: String, ExpressibleByArgument, CaseIterable {
    /// Ends, and keeps what was imported before.
    case stop
    /// Reports it and goes on with the next document.
    case skip
    /// Ends, and imports nothing at all.
    case rollback
}

/// What became of an import.
struct ImportSummary {
    var created = 0
    var updated = 0
    var skipped = 0
    /// The first of what was wrong.
    var problems: [ImportProblem] = []
    /// What made the import end early.
    var fatalProblem: ImportProblem?

    static let maximumProblems = 20

    var imported: Int { created + updated }

    mutating func skip(_ problem: ImportProblem) {
        skipped += 1
        if problems.count < Self.maximumProblems { problems.append(problem) }
    }
}

/// Stores the documents of sources in a collection.
struct Importer: ~Copyable {
    private let file: DatabaseFile
    private let collection: CollectionStore
    private let policy: ImportErrorPolicy
    private let batchSize: Int
    private let progress: ProgressBar
    private var decoder: DocumentDecoder
    private(set) var summary = ImportSummary()
    private var bytesOfEarlierSources = 0

    init(
        file: DatabaseFile,
        collection: CollectionStore,
        idProperty: String,
        policy: ImportErrorPolicy,
        batchSize: Int,
        progress: ProgressBar
    ) {
        self.file = file
        self.collection = collection
        self.policy = policy
        self.batchSize = batchSize
        self.progress = progress
        decoder = DocumentDecoder(idProperty: idProperty)
    }

    /// Imports everything, or up to a problem, which is then in the summary.
    ///
    /// - Throws: What is not the input's fault: nothing since the last commit is kept then.
    mutating func run(_ sources: [() throws -> any DocumentSource]) throws {
        defer { progress.finish() }
        do {
            if policy == .rollback {
                try file.transaction { writer in
                    for source in sources {
                        let source = try source()
                        while try importNext(from: source, writer) {}
                        bytesOfEarlierSources += source.bytesConsumed
                    }
                }
            } else {
                for source in sources {
                    let source = try source()
                    while try importBatch(from: source) {}
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

    /// Imports documents in one transaction; false when there are no more.
    private mutating func importBatch(from source: any DocumentSource) throws -> Bool {
        var problem: ImportProblem?
        let hasMore = try file.transaction { writer in
            do {
                for _ in 0..<batchSize {
                    guard try importNext(from: source, writer) else { return false }
                }
                return true
            } catch let found as ImportProblem {
                // Leaves the transaction without an error: what came before is committed.
                problem = found
                return false
            }
        }
        if let problem { throw problem }
        return hasMore
    }

    /// Imports one document; false when there is none.
    private mutating func importNext(from source: any DocumentSource, _ writer: Writer) throws -> Bool {
        do {
            let revision = try source.withNext { document in
                try decoder.store(document, at: source.position, in: collection, writer)
            }
            guard let revision else { return false }
            if revision.generation == 1 { summary.created += 1 } else { summary.updated += 1 }
        } catch let problem as ImportProblem where policy == .skip && problem.isRecoverable {
            summary.skip(problem)
        }
        progress.update(bytes: bytesOfEarlierSources + source.bytesConsumed, documents: summary.imported)
        return true
    }
}
