#if Replication
import BLIP
import SyncCore
import DocumentStore
import ExactStrings
import Replication

/// Creates channels to another database of this process, each with a passive session at its other end.
struct LocalChannelFactory: ChannelFactory {
    private let target: Database
    private let collections: [CollectionID]

    /// Creates a factory. It is a misuse (invalid argument) if the target is the replicated database itself.
    init(_ endpoint: DatabaseEndpoint, _ configuration: ReplicatorConfiguration) {
        target = endpoint.database
        collections = configuration.collections.map(\.store.id)
        guard let source = configuration.collections.first?.database, let path = source.path else { return }
        guard source !== target, !path.isExactly(target.path) else {
            _CBLMisuse.invalidArgument("A database cannot be replicated with itself.")
        }
    }

    var databases: [Database] { [target] }
    var logName: String { "database \(target.name)" }

    /// Messages in memory need no compression, and no memory limit because both sides belong to this process.
    var messages: BLIPOptions {
        var options = BLIPOptions()
        options.compressionLevel = 0
        options.memoryBudget = .unlimited
        options.maximumMemory = .max / 2
        return options
    }

    /// The private UUID of the target database, which does not change when its files are moved.
    var remote: String {
        get throws { try "local://" + target.withFile { try ReplicaDatabase($0).privateUUID() }.hexadecimal }
    }

    func channel(
        for configuration: ReplicatorConfiguration,
        _ replica: ReplicaDatabase,
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> any FrameChannel {
        let file = try target.openFile()
        let ends = MemoryChannel.pair(subprotocol: Subprotocol.preferred)
        var options = PassiveOptions(collections: collections.filter { file.knownCollection($0) != nil })
        options.usesDeltas = false
        options.maximumDocumentSize = 1 << 30
        options.logName = "Replicator, side of \(logName)"
        let driver = SessionDriver(
            Session.passive(ReplicaDatabase(file), options, blip: messages),
            on: ends.passive,
            queue: DispatchQueue(label: "CouchbaseLite.replicator.passive"),
            clock: SystemSteadyClock(),
            opened: { _ in },
            report: { _ in }
        )
        try driver.start(watching: options.collections, of: file)
        return ends.active
    }
}

/// The names of the subprotocols (Replication, version map).
enum Subprotocol {
    /// The subprotocol with collections.
    static let preferred = "BLIP_3+CBMobile_3"
    /// All offered and accepted subprotocols, the preferred one first.
    static let all = [preferred, "BLIP_3+CBMobile_2"]
}
#endif
