#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// What `push`, `pull` and `sync` have in common. Their arguments are no group of their own, because in
/// builds without optimization the parser checks a group in a group many times.
protocol ReplicationCommand: ParsableCommand {
    var database: DatabaseArgument { get }
    /// A URL, or the directory of a database.
    var target: String { get }
    var options: ReplicationOptions { get }
    var output: OutputOptions { get }
}

extension ReplicationTarget {
    fileprivate static let argumentHelp: ArgumentHelp = "The replication target: a ws:// or wss:// URL, or the directory of a database."
}

extension ReplicationCommand {
    /// Replicates, waits until the replicator has stopped, and prints the result.
    ///
    /// - Parameters:
    ///   - verb: The verb in the status line.
    ///   - createsSource: Whether to create the local database if it does not exist, for pulling into a new one.
    /// - Throws: ``Failure`` if the replication failed or documents were refused; `ExitCode` after an interrupt.
    fileprivate func replicate(_ type: ReplicatorType, continuous: Bool, verb: String, createsSource: Bool = false) throws {
        Allocator.sharesAreas()
        let target = try ReplicationTarget(target, createsDatabase: type != .pull)
        let path = createsSource ? DatabasePath.new(database.database) : database.path
        var opened = OpenedDatabases()
        defer { opened.close() }
        let source = try opened.open(path, key: try database.key.secret(), creating: createsSource)
        let other: Database? =
            if case .directory(let path) = target { try opened.open(path, key: nil, creating: type != .pull) } else { nil }
        let conflicts = ResolvedConflicts()
        let configuration = try self.configuration(type, continuous, source, target, other, createsSource, conflicts)
        let replicator = Replicator(config: configuration)
        let outcome = ReplicationRun(replicator, verb, target, conflicts: conflicts).run(reset: options.reset)
        if outcome.error == nil, outcome.signal == nil || outcome.wasConnected { opened.keepCreated() }
        let report = ReplicationReport(
            type,
            outcome,
            isContinuous: continuous,
            refusedBefore: type == .pull || outcome.error != nil
                ? [] : try refusedBefore(replicator, configuration.collections, outcome.counts)
        )
        try report.write(isJSON: output.json)
        if let signal = outcome.signal, report.isCutShort { throw ExitCode(128 + signal) }
        if let error = outcome.error, outcome.signal == nil {
            throw Failure(
                replication: error,
                with: ReplicationSituation(target: target, options: options, wasConnected: outcome.wasConnected)
            )
        }
        try report.checkAllReplicated()
    }

    /// Returns the IDs of documents that the target refused in an earlier run and that were not pushed again in this one.
    private func refusedBefore(
        _ replicator: Replicator,
        _ collections: [DocumentCollection],
        _ counts: ReplicationCounts
    ) throws -> [String] {
        let now = Set(counts.failed.map { Array($0.id.utf8) })
        return try collections.flatMap { try replicator.refusedDocumentIDs(collection: $0) }
            .filter { !now.contains(Array($0.utf8)) }
    }

    private func configuration(
        _ type: ReplicatorType,
        _ continuous: Bool,
        _ source: Database,
        _ target: ReplicationTarget,
        _ other: Database?,
        _ createsCollections: Bool,
        _ conflicts: ResolvedConflicts
    ) throws -> ReplicatorConfiguration {
        let endpoint: any Endpoint
        switch (target, other) {
        case (.url(let url), _): endpoint = URLEndpoint(url: url)
        case (.directory, let other?):
            // With other directories on the path, such as a symbolic link, too.
            if let path = source.path, let target = other.path, path.utf8.elementsEqual(target.utf8) {
                throw Failure(.usage, "\(path) cannot be replicated with itself", hint: "Give the path of another database.")
            }
            endpoint = DatabaseEndpoint(database: other)
            _ = try options.collections(of: other, creating: type != .pull)
        case (.directory(let path), nil): throw Failure(.notFound, "there is no database at \(path)")
        }
        let collections = try options.collections(of: source, creating: createsCollections)
        let configuration = ReplicatorConfiguration(
            collections: collections.map { options.configuration(of: $0, resolver: conflicts) },
            target: endpoint
        )
        configuration.replicatorType = type
        configuration.continuous = continuous
        try options.apply(to: configuration)
        configuration.estimatesProgress = Style.Stream.standardError.isTerminal
        return configuration
    }
}

/// `cblite push`
struct Push: ReplicationCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pushes changes to another database.",
        discussion: """
            The target is a Sync Gateway, another device or `cblite serve` at a URL, or a database in a directory, which is \
            created if it does not exist. Changes that were pushed before are not pushed again; documents that were refused \
            before are reported as still refused.

            EXAMPLES:
              $ cblite push travel.cblite2 ws://localhost:4984/travel
              $ cblite push --user anna travel.cblite2 wss://sync.example.com/travel
              $ cblite push travel.cblite2 backup.cblite2

            With --json, one object: pushed, interrupted, failed [{id, push, error}], refusedBefore [id]. The exit code is 0 if all \
            documents were replicated, 1 if some were refused, now or before, and 130 after Ctrl-C.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ReplicationTarget.argumentHelp) var target: String
    @OptionGroup var options: ReplicationOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try replicate(.push, continuous: false, verb: "push to") }
}

/// `cblite pull`
struct Pull: ReplicationCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pulls changes from another database.",
        discussion: """
            The local database is created if it does not exist. Changes that were pulled before are not pulled again. \
            Conflicts are resolved in favour of deletions, then of the longer revision history.

            EXAMPLES:
              $ cblite pull copy.cblite2 ws://localhost:4984/travel
              $ cblite pull --channel paris copy.cblite2 wss://sync.example.com/travel

            With --json, one object: pulled, deleted, purged, conflicts {local, remote, deleted} (how many were resolved in favour of \
            which version), interrupted, failed [{id, push, error}]. The exit code is 0 if all documents were replicated, 1 if some were \
            refused, now or before, and 130 after Ctrl-C.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ReplicationTarget.argumentHelp) var target: String
    @OptionGroup var options: ReplicationOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try replicate(.pull, continuous: false, verb: "pull from", createsSource: true) }
}

/// `cblite sync`
struct Sync: ReplicationCommand {
    static let configuration = CommandConfiguration(
        abstract: "Synchronizes a database with another one.",
        discussion: """
            Pushes and pulls changes on both sides continuously, until Ctrl-C. A lost connection is re-established. On a \
            terminal, a line shows the status.

            EXAMPLES:
              $ cblite sync travel.cblite2 ws://localhost:4984/travel
              $ cblite sync --once travel.cblite2 ws://localhost:4984/travel

            With --json, one object at the end: pushed, pulled, deleted, purged, conflicts {local, remote, deleted}, interrupted, \
            failed [{id, push, error}], refusedBefore [id].
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ReplicationTarget.argumentHelp) var target: String
    @OptionGroup var options: ReplicationOptions
    @OptionGroup var output: OutputOptions
    @Flag(help: "Exit when both databases are in sync.")
    var once = false

    func run() throws { try replicate(.pushAndPull, continuous: !once, verb: "sync with", createsSource: true) }
}
#endif
