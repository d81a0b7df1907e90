#if Replication
import Base
import Fleece
import WebServer

/// The options of a `_changes` request, from the query or from a JSON body.
struct ChangesRequest: Sendable {
    enum Feed: String, Sendable {
        case normal, longpoll, continuous, websocket
    }

    var feed = Feed.normal
    var since = FeedPosition()
    var limit = Int.max
    /// Whether each change contains the document.
    var hasBodies = false
    /// Whether tombstones are omitted.
    var isActiveOnly = false
    /// Whether documents are listed whose channels the user has lost.
    var hasRevocations = false
    /// Whether each change lists all leaves of the document, not only the current revision.
    var listsAllLeaves = false
    /// The channels to which the feed is limited; `nil` for all of the user.
    var channels: [String]?
    /// The documents to which the feed is limited; `nil` for all.
    var documentIDs: Set<ExactString>?
    /// Whether the messages of a WebSocket are compressed.
    var usesGzip = false
    /// Whether the filter is `_doc_ids`.
    private var requiresIDs = false
    /// Who has sent the request; `nil` if nobody has.
    private(set) var owner: RequestOwner?
    /// The time between two line feeds while the client waits, in milliseconds; `nil` for none.
    var heartbeat: Int?
    /// The time after which a waiting request ends, in milliseconds.
    var timeout: Int
    /// The maximum of ``timeout``.
    private var maximumTimeout: Int

    static let minimumHeartbeat = 1000
    private static let defaultTimeout = 300_000

    /// Creates the default options.
    ///
    /// - Parameter maximumTimeout: The maximum time that a request waits, in milliseconds.
    init(maximumTimeout: Int) {
        self.maximumTimeout = maximumTimeout
        timeout = min(Self.defaultTimeout, maximumTimeout)
    }

    init(_ request: WebRequest, maximumTimeout: Int) async throws {
        self.init(maximumTimeout: maximumTimeout)
        owner = request.body.owner
        try parse { request.queryValue($0) }
        if let ids = request.queryValue("doc_ids") {
            // A JSON array, or as in Sync Gateway a list.
            if ids.beginsExactly(with: "[") {
                let data = try parsedJSON(Array(ids.utf8), of: "doc_ids")
                try data.withRoot { try parseIDs($0) }
            } else {
                try setIDs(ids.splitExactly(at: ","))
            }
        }
        if request.method == "POST" {
            self = try await request.body.collect { try adding($0) }
        } else if feed != .websocket {
            // The options of a WebSocket are complete only with its first message.
            try checkIDs()
        }
    }

    /// Returns these options with those of a JSON object, which have precedence.
    func adding(_ json: [UInt8]) throws -> ChangesRequest {
        var copy = self
        if !json.isEmpty { try withJSONObject(json) { try copy.parse($0) } }
        try copy.checkIDs()
        return copy
    }

    private mutating func parse(_ root: DictionaryValue) throws {
        try parse { name in
            guard let value = root.value(for: name) else { return nil }
            if let text = value.string { return text }
            if let flag = value.boolean { return flag ? "true" : "false" }
            return value.integerBits.map { String($0) }
        }
        if let ids = root.value(for: "doc_ids") { try parseIDs(ids) }
    }

    private mutating func parse(_ value: (String) -> String?) throws {
        if let name = value("feed") {
            guard let feed = Feed(rawValue: name) else { throw HubError.badRequest("This kind of feed is not supported: \(name)") }
            self.feed = feed
        }
        if let text = value("since") {
            since = try FeedPosition(text)
        }
        if let text = value("limit") {
            guard let limit = Int(text), limit >= 0 else { throw HubError.badRequest("limit must be a number") }
            // As in Sync Gateway, 0 is no limit.
            self.limit = limit == 0 ? .max : limit
        }
        hasBodies = value("include_docs")?.isExactly("true") ?? hasBodies
        isActiveOnly = value("active_only")?.isExactly("true") ?? isActiveOnly
        hasRevocations = value("revocations")?.isExactly("true") ?? hasRevocations
        // The first clients of such feeds send the name of the header field.
        usesGzip = (value("accept_encoding") ?? value("Accept-Encoding"))?.isExactly("gzip") ?? usesGzip
        listsAllLeaves = value("style")?.isExactly("all_docs") ?? listsAllLeaves
        if let filter = value("filter") {
            switch filter {
            case "sync_gateway/bychannel":
                channels = (value("channels") ?? "").splitExactly(at: ",")
                guard channels?.isEmpty == false else { throw HubError.badRequest("The filter bychannel requires channels") }
            case "_doc_ids": requiresIDs = true
            default: throw HubError.badRequest("Unknown filter; try sync_gateway/bychannel or _doc_ids")
            }
        }
        if let text = value("heartbeat") {
            guard let time = Int(text), time >= 0 else { throw HubError.badRequest("heartbeat must be a number of milliseconds") }
            heartbeat = time == 0 ? nil : max(time, Self.minimumHeartbeat)
        }
        if let text = value("timeout") {
            guard let time = Int(text), time >= 0 else { throw HubError.badRequest("timeout must be a number of milliseconds") }
            timeout = time == 0 ? maximumTimeout : min(time, maximumTimeout)
        }
    }

    private mutating func parseIDs(_ value: Value) throws {
        let ids = value.array.flatMap { array in array.count <= 10_000 ? (0..<array.count).map { array[$0]?.string } : nil }
        guard let ids, !ids.contains(nil) else { throw Self.invalidIDs }
        try setIDs(ids.compactMap { $0 })
    }

    private mutating func setIDs(_ ids: [String]) throws {
        guard ids.count <= 10_000 else { throw Self.invalidIDs }
        documentIDs = Set(exactly: ids)
    }

    private static let invalidIDs = HubError.badRequest("doc_ids must be an array of at most 10,000 strings")

    private func checkIDs() throws {
        if requiresIDs, documentIDs == nil { throw HubError.badRequest("The filter _doc_ids requires doc_ids") }
    }
}
#endif
