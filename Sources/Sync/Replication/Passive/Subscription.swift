import BLIP
import Base
import Fleece
import SyncCore

/// The changes that a client subscribes to: the properties and the body of `subChanges` (Replication 3.5).
struct Subscription: Equatable {
    static let defaultBatchSize = 200
    static let batchSizes = 1...1000
    /// The maximum number of documents that a client may select. Their IDs are kept in memory.
    static let maximumDocumentCount = 100_000

    var since: UInt64 = 0
    /// The client's sequence as it was sent.
    var sinceText: String?
    var isContinuous = false
    /// Whether deleted documents are omitted until the client has caught up.
    var isActiveOnly = false
    /// Whether the client requests the last sequence; see ``PullEstimate/property``.
    var wantsLastSequence = false
    var batchSize = defaultBatchSize
    /// The IDs of the documents that the client wants; `nil` for all documents.
    var documentIDs: Set<ExactString>?
    /// The channels that the client wants; `nil` for all.
    var channels: [String]?
    /// Whether the client wants to know which documents it may not read anymore.
    var wantsRevocations = false

    /// The memory that the selected documents and channels use, in bytes.
    var memorySize: Int {
        let texts = (documentIDs ?? []).lazy.map(\.string.utf8.count).reduce(0) { $0 + $1 + Self.costOfText }
        return (channels ?? []).reduce(texts) { $0 + $1.utf8.count + Self.costOfText }
    }

    /// The memory that a document ID uses besides its bytes: it is in several sets.
    private static let costOfText = 128

    init() {}

    /// - Parameters:
    ///   - hasChannels: Whether the documents of the database are in channels.
    ///   - ignoresVersioning: Whether the property `versioning` has no meaning, as for Sync Gateway.
    /// - Throws: The error to respond with.
    init(
        _ request: IncomingRequest,
        hasChannels: Bool = false,
        ignoresVersioning: Bool = false,
        _ naming: RevisionNaming = .trees
    ) throws(SyncError) {
        let properties = request.properties
        if let filter = properties["filter"] {
            guard hasChannels else { throw SyncError(engine: .unsupported, "Filtering not supported") }
            channels = try Self.channels(filter, properties["channels"])
        }
        // In a request without the property, revisions have trees (Version vectors 6.3).
        guard ignoresVersioning || (properties["versioning"] ?? RevisionNaming.trees.versioning).isExactly(naming.versioning) else {
            throw SyncError(engine: .notImplemented, SyncError.incompatibleVersioning)
        }
        sinceText = properties["since"]
        // The sequences of a database with channels are those of its feed.
        if !hasChannels { since = try Self.sequence(sinceText) }
        wantsRevocations = properties.boolean("revocations")
        isContinuous = properties.boolean("continuous")
        isActiveOnly = properties.boolean("activeOnly")
        wantsLastSequence = properties.boolean(PullEstimate.property)
        if let size = properties.integer("batch") {
            batchSize = min(max(size, Self.batchSizes.lowerBound), Self.batchSizes.upperBound)
        }
        documentIDs = try Self.documentIDs(request.body)
    }

    /// Parses a sequence. A value that cannot be a sequence of this database comes from another server; starting from 0 is always correct.
    private static func sequence(_ text: String?) throws(SyncError) -> UInt64 {
        guard let text, !text.isEmpty else { return 0 }
        guard let data = try? FleeceData.parsing(json: Array(text.utf8)) else {
            throw SyncError(http: .badRequest, "the property 'since' of subChanges is not valid JSON")
        }
        return data.withRoot { root in
            guard root.isInteger, let number = root.int64 else { return 0 }
            return UInt64(clamping: number)
        } ?? 0
    }

    private static func channels(_ filter: String, _ names: String?) throws(SyncError) -> [String] {
        guard filter == "sync_gateway/bychannel" else { throw SyncError(http: .badRequest, "Unknown filter; try sync_gateway/bychannel") }
        let channels = (names ?? "").splitExactly(at: ",")
        guard !channels.isEmpty else { throw SyncError(http: .badRequest, "Missing 'channels' filter parameter") }
        return channels
    }

    private static func documentIDs(_ body: [UInt8]) throws(SyncError) -> Set<ExactString>? {
        guard !body.isEmpty else { return nil }
        guard let ids = (try? FleeceData.parsing(json: body))?.withRoot({ documentIDs(in: $0) }) ?? nil else {
            throw SyncError(
                http: .badRequest,
                "the body of subChanges must be an object with an array 'docIDs' of at most \(maximumDocumentCount) strings"
            )
        }
        return ids.isEmpty ? nil : ids
    }

    /// Returns `nil` if the body does not have the expected form.
    private static func documentIDs(in body: Value) -> Set<ExactString>? {
        guard let dictionary = body.dictionary else { return nil }
        guard let list = dictionary.value(for: "docIDs"), !list.isNull else { return [] }
        return list.array?.strings(atMost: maximumDocumentCount).map { Set(exactly: $0) }
    }
}

extension Subscription {
    /// What the feed of a database with channels needs to know.
    var request: FeedRequest {
        FeedRequest(
            since: sinceText,
            batchSize: batchSize,
            isActiveOnly: isActiveOnly,
            wantsRevocations: wantsRevocations,
            documentIDs: documentIDs,
            channels: channels
        )
    }
}
