#if Replication
import DocumentStore
import Base
import Fleece
import Replication
import WebServer

/// Responds to `_changes`: the documents that the user may read, in the order of their last changes.
struct ChangesFeed: Sendable {
    private let keyspace: Keyspace
    private let index: ChannelIndex
    /// The hub's own database, with the users.
    private let own: DatabaseFile
    private let options: ChangesRequest
    /// Returns the user's rights, which may change while the client waits.
    private let rights: @Sendable () throws -> FeedRights

    init(
        _ keyspace: Keyspace,
        _ index: ChannelIndex,
        own: DatabaseFile,
        _ options: ChangesRequest,
        rights: @escaping @Sendable () throws -> FeedRights
    ) {
        (self.keyspace, self.index, self.own, self.options, self.rights) = (keyspace, index, own, options, rights)
    }

    /// The number of changes that are examined at once.
    private static let pageSize = 200
    /// The time after which the wait of a WebSocket begins again, in milliseconds.
    private static let socketTimeout = 900_000

    /// The first changes are read before the head of the response is sent, so that their errors have a status of their own.
    func response() throws -> WebResponse {
        var start = try Position(feed: feed())
        if options.limit > 0 { start.page = try start.feed.next(pageSize(start)) }
        let type = options.feed == .continuous ? "application/octet-stream" : "application/json"
        return WebResponse(headers: [("Content-Type", type)]) { [start] writer in
            if options.feed == .continuous { try await continuous(from: start, writer) } else { try await list(from: start, writer) }
        }
    }

    /// Sends changes as messages, each an array of changes. An empty array says that all changes up to now have been sent.
    func run(on socket: TextSocket) async throws {
        if options.usesGzip { try socket.beginCompressing() }
        let send: Output = { rows in try await socket.send(Self.array(of: rows)) }
        var position = try Position(feed: feed())
        if options.since != FeedPosition() { position.userEpoch = options.since.epoch }
        try await sendAvailable(&position, send)
        guard position.count < options.limit else { return }
        try await send([])
        // A WebSocket lasts until the client closes it.
        while position.count < options.limit, !Task.isCancelled {
            try await waitAndSend(&position, send, timeout: Self.socketTimeout) { $0.count >= options.limit }
        }
    }

    private static func array(of rows: [[UInt8]]) -> [UInt8] {
        let size = rows.reduce(2) { $0 + $1.count + 1 }
        return JSONWriter.array(capacity: size, rows) { $0.value(json: $1) }.byteArray
    }

    // MARK: Kinds of feeds

    /// Sends rows.
    private typealias Output = (_ rows: [[UInt8]]) async throws -> Void

    private func list(from start: Position, _ writer: WebResponseWriter) async throws {
        var list = ResponseRows("results", to: writer)
        // The client may have to wait for the first change.
        try await list.flush()
        let send: Output = { rows in
            for row in rows { try await list.write(row) }
        }
        var position = start
        try await sendAvailable(&position, send)
        if options.feed == .longpoll, position.count == 0 {
            try await waitAndSend(&position, send, timeout: options.timeout, heartbeat: writer) { $0.count > 0 }
        }
        let end = position.feed.position.text
        try await list.end { $0.member("last_seq", end) }
    }

    private func continuous(from start: Position, _ writer: WebResponseWriter) async throws {
        let send: Output = { rows in
            try await writer.write(Array(rows.map { $0 + [0x0A] }.joined()))
        }
        var position = start
        try await sendAvailable(&position, send)
        guard position.count < options.limit else { return }
        try await waitAndSend(&position, send, timeout: options.timeout, heartbeat: writer) { $0.count >= options.limit }
    }

    /// Sends changes as they are made, until the condition holds or the time is over.
    ///
    /// - Parameters:
    ///   - timeout: The time after which the wait for a change ends, in milliseconds.
    ///   - heartbeat: Gets a line feed from time to time, if the client wants this; `nil` for a WebSocket, which has pings.
    private func waitAndSend(
        _ position: inout Position,
        _ send: Output,
        timeout: Int,
        heartbeat: WebResponseWriter? = nil,
        until isEnd: (Position) -> Bool
    ) async throws {
        let signal = try ChangeSignal(keyspace, own: own)
        let interval = heartbeat == nil ? nil : options.heartbeat
        var rest = timeout
        while rest > 0, !Task.isCancelled {
            signal.arm()
            let count = position.count
            try await sendAvailable(&position, send)
            if isEnd(position) { return }
            // As long as changes come, the time begins again.
            if position.count > count { rest = timeout }
            let pause = min(interval ?? rest, rest)
            let start = ContinuousClock.now
            await signal.wait(milliseconds: pause)
            let passed = (ContinuousClock.now - start) / .milliseconds(1)
            rest -= Int(passed) + 1
            if interval != nil, Int(passed) + 1 >= pause { try await heartbeat?.write([0x0A]) }
        }
    }

    // MARK: Changes

    private struct Position {
        var feed: AccessFeed
        /// Changes that have been read and not sent.
        var page: AccessFeed.Page?
        var count = 0
        /// The epoch of the user's channels that a WebSocket was told; `nil` if there is none yet.
        var userEpoch: UInt64?
    }

    /// Sends the row of the user to a WebSocket, if the next changes are served with other channels of the user than those before. As in Sync
    /// Gateway, it has no revisions, and does not count.
    ///
    /// - Parameter start: The position before these changes.
    private func sendUser(_ position: inout Position, from start: FeedPosition, _ send: Output) async throws {
        let epoch = position.feed.position.epoch
        guard options.feed == .websocket, options.documentIDs == nil, position.userEpoch != epoch else { return }
        position.userEpoch = epoch
        guard let name = try rights().access.userName else { return }
        let row = JSONWriter.object { writer in
            writer.member("seq", json: start.json)
            writer.member("id", "_user/" + name)
            writer.array("changes", EmptyCollection<Int>()) { $0.value($1) }
        }
        try await send([row.byteArray])
    }

    private func pageSize(_ position: Position) -> Int { min(options.limit - position.count, Self.pageSize) }

    private func feed() throws -> AccessFeed {
        var wanted = AccessFeed.Options()
        wanted.channels = options.channels
        wanted.documentIDs = options.documentIDs
        return try AccessFeed(keyspace.replica, index, since: options.since, wanted, rights: rights)
    }

    private func sendAvailable(_ position: inout Position, _ send: Output) async throws {
        while position.count < options.limit {
            let start = position.feed.position
            let page = try position.page ?? position.feed.next(pageSize(position))
            position.page = nil
            try await sendUser(&position, from: start, send)
            var rows: [[UInt8]] = []
            var size = 0
            for item in page.items {
                let turn = try await self.turn(of: item)
                defer { withExtendedLifetime(turn) {} }
                guard let row = try self.row(item) else { continue }
                turn?.encoded(row.count)
                rows.append(row)
                size += row.count
                // Many rows that contain documents could fill the memory.
                guard turn != nil || size >= partSize else { continue }
                try await send(rows)
                position.count += rows.count
                (rows, size) = ([], 0)
            }
            if !rows.isEmpty { try await send(rows) }
            position.count += rows.count
            if page.isEnd { return }
            // A user may be able to read few of many documents: other requests must get the thread, and the client may have gone.
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    /// The size from which rows are sent, in bytes. A WebSocket gets a message for each row that contains a document, and one for other changes that
    /// are examined at once.
    private var partSize: Int { options.feed != .websocket ? ResponseRows.partSize : options.hasBodies ? 0 : .max }

    /// Waits for the turn of the document of a change, if the feed contains it and it is large.
    private func turn(of item: AccessFeed.Item) async throws -> DocumentTurn? {
        guard options.hasBodies, item.announced.loss == nil, let owner = options.owner else { return nil }
        return try await LargeDocuments(keyspace, owner).turn(of: item.announced.change.bodySize)
    }

    /// Returns the row of a change; `nil` if the feed does not contain it.
    private func row(_ item: AccessFeed.Item) throws -> [UInt8]? {
        let change = item.announced.change
        let loss = item.announced.loss
        // As in Sync Gateway, the loss of channels is listed on request, and documents that have left the channels always.
        if loss == .revoked && !options.hasRevocations || options.isActiveOnly && (change.isDeleted || loss != nil) { return nil }
        guard let found = try current(change.documentID), loss != nil || found.revision == change.revision else { return nil }
        let listed = try options.listsAllLeaves && change.isConflicted && loss == nil ? leaves(of: change) : [change.revision]
        return try JSONWriter.object(capacity: options.hasBodies ? 2 * found.body.bytes.count + 512 : 256) { writer in
            writer.member("seq", json: item.announced.sequence)
            writer.member("id", change.documentID)
            if loss != nil { writer.array("removed", item.lostChannels) { $0.append($1) } }
            if loss == .revoked { writer.member("revoked", true) }
            if change.isDeleted, loss == nil { writer.member("deleted", true) }
            writer.objects("changes", listed) { $0.member("rev", $1.description) }
            guard options.hasBodies else { return }
            if loss == nil {
                writer.name("doc")
                do {
                    try found.append(of: keyspace, to: &writer)
                } catch is FleeceError {
                    // As in the list of all documents. The reason is given by reading the document alone.
                    writer.appendNull()
                    writer.members(["error": "damaged", "status": 500])
                }
            } else {
                writer.object("doc", ["_id": change.documentID, "_rev": change.revision.description, "_removed": true])
            }
        }.byteArray
    }

    /// Returns the current revision of a document; `nil` if the document does not exist, or is damaged, so that it is not known who may read it.
    private func current(_ documentID: String) throws -> StoredRevision? {
        do {
            return try keyspace.current(documentID)
        } catch StoreError.corruptDocument {
            return nil
        }
    }

    /// Returns the leaves of a document in conflict; of one whose other revisions are damaged, only the current revision.
    private func leaves(of change: LocalChange) throws -> [RevisionID] {
        do {
            return try (keyspace.revisions(of: change.documentID) ?? []).filter(\.isLeaf).map(\.id)
        } catch StoreError.corruptDocument {
            return [change.revision]
        }
    }
}
#endif
