#if Replication
import BLIP
import SyncCore
import SyncCore
import DocumentStore
import ExactStrings
import Replication

/// Makes channels to another database of this process, each with a passive session at its other end.
struct LocalChannelFactory: ChannelFactory {
    private let target: Database
    private let collections: [CollectionID]

    /// A misuse when the target is the database itself.
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

    /// Nothing is gained by compressing what stays in memory; and both sides are ours.
    var messages: BLIPOptions {
        var options = BLIPOptions()
        options.compressionLevel = 0
        options.memoryBudget = .unlimited
        options.maximumMemory = .max / 2
        return options
    }

    /// The ID that the target has for this only: it stays when the files are moved.
    var remote: String {
        get throws {
            let id = try ReplicaDatabase(target.openFile()).privateUUID()
            return "local://" + id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
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

/// The names of the protocols (Replication, version map).
enum Subprotocol {
    /// With collections.
    static let preferred = "BLIP_3+CBMobile_3"
    /// As offered and accepted, the preferred one first.
    static let all = [preferred, "BLIP_3+CBMobile_2"]
}
#endif
