#if Replication
import DocumentStore
import ExactStrings
import Fleece
import Replication
import WebServer

/// Responds to `_changes`: the documents that the user may read, in the order of their last changes.
struct ChangesFeed: Sendable {
    let keyspace: Keyspace
    /// Returns the user's access, which may change while the client waits.
    let access: @Sendable () throws -> HubAccess
    let options: ChangesRequest

    /// The number of changes that are examined at once.
    private static let pageSize = 200

    func response() throws -> WebResponse {
        let type = options.feed == .continuous ? "application/octet-stream" : "application/json"
        return WebResponse(headers: [("Content-Type", type)]) { writer in
            if options.feed == .continuous { try await continuous(writer) } else { try await list(writer) }
        }
    }

    // MARK: Kinds of feeds

    private func list(_ writer: WebResponseWriter) async throws {
        try await writer.write(Array("{\"results\":[\r\n".utf8))
        var position = Position(sequence: options.since, count: 0)
        try await sendAvailable(&position, writer)
        if options.feed == .longpoll, position.count == 0 {
            try await waitAndSend(&position, writer) { $0.count > 0 }
        }
        try await writer.write(Array("],\r\n\"last_seq\":\"\(position.sequence)\"}\r\n".utf8))
    }

    private func continuous(_ writer: WebResponseWriter) async throws {
        var position = Position(sequence: options.since, count: 0)
        try await sendAvailable(&position, writer)
        guard position.count < options.limit else { return }
        try await waitAndSend(&position, writer) { $0.count >= options.limit }
    }

    /// Sends changes as they are made, until the condition holds or the time is over.
    private func waitAndSend(_ position: inout Position, _ writer: WebResponseWriter, until isEnd: (Position) -> Bool) async throws {
        let signal = try ChangeSignal(keyspace)
        var rest = options.timeout
        while rest > 0, !Task.isCancelled {
            signal.arm()
            let count = position.count
            try await sendAvailable(&position, writer)
            if isEnd(position) { return }
            // As long as changes come, the time begins again.
            if position.count > count { rest = options.timeout }
            let pause = min(options.heartbeat ?? rest, rest)
            let start = ContinuousClock.now
            await signal.wait(milliseconds: pause)
            let passed = (ContinuousClock.now - start) / .milliseconds(1)
            rest -= Int(passed) + 1
            if options.heartbeat != nil, Int(passed) + 1 >= pause { try await writer.write([0x0A]) }
        }
    }

    // MARK: Changes

    private struct Position {
        var sequence: UInt64
        var count: Int
    }

    private func sendAvailable(_ position: inout Position, _ writer: WebResponseWriter) async throws {
        while position.count < options.limit {
            let page = try page(after: position.sequence, limit: options.limit - position.count)
            for row in page.rows {
                let isLine = options.feed == .continuous
                let separator = isLine || position.count == 0 ? "" : ","
                try await writer.write(Array(separator.utf8) + row + Array((isLine ? "\n" : "\r\n").utf8))
                position.count += 1
            }
            position.sequence = page.last
            if page.isEnd { return }
        }
    }

    /// Reads some changes. Waits for nothing, and keeps no snapshot.
    private func page(after sequence: UInt64, limit: Int) throws -> (rows: [[UInt8]], last: UInt64, isEnd: Bool) {
        let access = try access()
        return try keyspace.store.withOneSnapshot {
            let changes = try keyspace.replica.changes(after: sequence, limit: Self.pageSize, remote: nil)
            var rows: [[UInt8]] = []
            var last = sequence
            for change in changes {
                guard rows.count < limit else { return (rows, last, false) }
                last = change.sequence
                if let row = try row(change, access) { rows.append(row) }
            }
            return (rows, last, changes.count < Self.pageSize)
        }
    }

    /// Returns the row of a change; `nil` if the feed does not contain it.
    private func row(_ change: LocalChange, _ access: HubAccess) throws -> [UInt8]? {
        if change.isExpired || options.isActiveOnly && change.isDeleted { return nil }
        if let wanted = options.documentIDs, !wanted.contains(change.documentID) { return nil }
        guard let found = try keyspace.current(change.documentID) else { return nil }
        let channels = found.channels
        guard access.mayRead(channels) else { return nil }
        if let wanted = options.channels, !wanted.contains(HubAccess.all),
            !channels.contains(where: { channel in wanted.contains { $0.isExactly(channel) } })
        {
            return nil
        }
        var writer = JSONWriter()
        writer.append(raw: #"{"seq":"#)
        writer.append(unsigned: change.sequence)
        writer.append(raw: #","id":"#)
        writer.append(change.documentID)
        if change.isDeleted { writer.append(raw: #","deleted":true"#) }
        writer.append(raw: #","changes":"#)
        var leaves = [change.revision]
        if options.listsAllLeaves, change.isConflicted {
            leaves = try (keyspace.store.revisions(of: change.documentID) ?? []).filter(\.isLeaf).map(\.id)
        }
        writer.append(array: leaves) { id, writer in
            writer.append(raw: #"{"rev":"#)
            writer.append(id.description)
            writer.append(ascii: "}")
        }
        if options.hasBodies {
            writer.append(raw: #","doc":"#)
            let json = try found.json(blobs: keyspace.database.file.blobs)
            json.withUnsafeBytes { writer.append(raw: $0) }
        }
        writer.append(ascii: "}")
        return writer.byteArray
    }
}
#endif
