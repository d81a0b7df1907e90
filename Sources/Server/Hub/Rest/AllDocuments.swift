#if Replication
import DocumentStore
import Base
import Fleece
import WebServer

/// `_all_docs`: the documents of a collection that the user may read, in the order of their IDs.
struct AllDocuments {
    let keyspace: Keyspace
    /// Returns what the user may do now. A slow client reads for a long time, in which the rights may change.
    let access: @Sendable () throws -> HubAccess

    /// The number of documents that are read at once, so that a slow client keeps no snapshot of the database.
    private static let pageSize = 200
    /// The size of the rows in memory, in bytes, after which no more documents are read before these are sent.
    private static let pageBytes = 256 << 10

    /// A document in the list.
    private enum Row {
        case encoded([UInt8])
        /// It is encoded when it is its turn.
        case large(String, size: Int)

        var byteCount: Int { if case .encoded(let bytes) = self { bytes.count } else { 0 } }
    }

    private struct Options: Sendable {
        var hasBodies = false
        var hasHistory = false
        var first: String?
        var last: String?
        var limit = Int.max
        var keys: [String]?
    }

    func get(_ request: WebRequest) async throws -> WebResponse {
        var options = Options()
        options.hasBodies = request.isTrue("include_docs")
        options.hasHistory = request.isTrue("revs")
        options.first = Self.unquoted(request.queryValue("startkey"))
        options.last = Self.unquoted(request.queryValue("endkey"))
        if let limit = request.queryValue("limit") {
            guard let limit = Int(limit), limit >= 0 else { throw HubError.badRequest("limit must be a number") }
            options.limit = limit
        }
        if request.method == "POST" {
            options.keys = try await request.body.collect { bytes in
                try bytes.isEmpty ? nil : withJSONObject(bytes) { try Self.strings($0.value(for: "keys")) }
            }
        } else if let keys = request.queryValue("keys") {
            let data = try parsedJSON(Array(keys.utf8), of: "keys")
            options.keys = try data.withRoot { try Self.strings($0) } ?? nil
        }
        let chosen = options
        return WebResponse(headers: [("Content-Type", "application/json")]) { writer in
            var list = ResponseRows("rows", to: writer)
            try await write(chosen, to: &list, LargeDocuments(keyspace, request))
            let (count, sequence) = try (list.count, keyspace.store.lastSequence())
            try await list.end { end in
                // Clients of CouchDB require an offset. It is null if it is not known: the documents before the first one are not counted.
                end.name("offset")
                end.appendNull()
                end.member("total_rows", count)
                end.member("update_seq", sequence)
            }
        }
    }

    /// A key may be a JSON string, as in CouchDB, or a plain text.
    private static func unquoted(_ key: String?) -> String? {
        guard let key, key.beginsExactly(with: "\""), let data = try? parsedJSON(Array(key.utf8)) else { return key }
        return data.withRoot { $0.string } ?? key
    }

    private static func strings(_ value: Value?) throws -> [String] {
        guard let array = value?.array, array.count <= 10_000 else { throw HubError.badRequest("keys must be an array of strings") }
        return try (0..<array.count).map { index in
            guard let key = array[index]?.string else { throw HubError.badRequest("keys must be an array of strings") }
            return key
        }
    }

    private func write(_ options: Options, to list: inout ResponseRows, _ large: LargeDocuments) async throws {
        if let keys = options.keys {
            for key in keys.prefix(options.limit) {
                let turn = options.hasBodies ? try await large.turn(of: key) : nil
                try await large.send(turn, to: &list) { try row(key, options) }
            }
            return
        }
        var position: String?
        while true {
            let page = try self.page(after: position, options, limit: options.limit - list.count)
            for row in page.rows {
                switch row {
                case .encoded(let bytes): try await list.write(bytes)
                case .large(let id, let size):
                    let turn = try await large.turn(of: size)
                    // The document, or the rights, may have changed.
                    guard let found = try readable(id), try access().mayRead(found.channels) else { continue }
                    try await large.send(turn, to: &list) { try json(found, options) }
                }
            }
            guard !page.isEnd, list.count < options.limit else { return }
            position = page.last
            // The user may be able to read few of many documents: other requests must get the thread, and the client may have gone.
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    private func page(
        after position: String?,
        _ options: Options,
        limit: Int
    ) throws -> (rows: [Row], last: String?, isEnd: Bool) {
        let access = try self.access()
        var rows: [Row] = []
        var examined = 0
        var byteCount = 0
        var isEnd = true
        // The first ID itself is wanted too.
        let start = position ?? options.first.flatMap { $0.isEmpty ? nil : $0 }
        var last = start
        if let start, let end = options.last, ExactString(end) < ExactString(start) { return (rows, last, isEnd) }
        if position == nil, let first = start, limit > 0, let found = try readable(first), access.mayRead(found.channels) {
            rows.append(try entry(found, options))
            byteCount = rows[0].byteCount
        }
        // Damaged documents count too, so that a request never examines more at once.
        func examine(_ id: String) -> Bool {
            if let end = options.last, ExactString(end) < ExactString(id) { return false }
            guard examined < Self.pageSize, rows.count < limit, byteCount < Self.pageBytes else {
                isEnd = false
                return false
            }
            examined += 1
            last = id
            return true
        }
        var damage: StoreError?
        let skip = { (id: String, error: StoreError) -> Bool in
            guard examine(id) else { return false }
            damage = damage ?? error
            return true
        }
        try keyspace.store.forEachDocument(after: start, skippingDamaged: skip) { record in
            guard examine(record.id) else { return false }
            let found: StoredRevision
            do {
                found = try keyspace.stored(record)
            } catch let error as StoreError {
                guard case .corruptDocument = error else { throw error }
                damage = damage ?? error
                return true
            }
            if access.mayRead(found.channels) {
                rows.append(try entry(found, options))
                byteCount += rows.last?.byteCount ?? 0
            }
            return true
        }
        // Not one for each document: every request would fill the log with them.
        if let damage { Self.log(damage) }
        return (rows, last, isEnd)
    }

    private func entry(_ found: StoredRevision, _ options: Options) throws -> Row {
        let size = found.body.bytes.count
        let isLarge = options.hasBodies && size >= DocumentTurns.largeSize
        return isLarge ? .large(found.documentID, size: size) : .encoded(try json(found, options))
    }

    /// Returns the document with an ID; `nil` if it does not exist, is deleted, or is damaged, so that it is not known who may read it.
    private func readable(_ documentID: String) throws -> StoredRevision? {
        do {
            return try keyspace.current(documentID).flatMap { $0.isDeleted ? nil : $0 }
        } catch let error as StoreError {
            guard case .corruptDocument = error else { throw error }
            Self.log(error)
            return nil
        }
    }

    private static func log(_ error: StoreError) {
        EngineLog.log(.error, .database, "\(error), and cannot be listed for clients")
    }

    private func row(_ key: String, _ options: Options) throws -> [UInt8] {
        if let found = try readable(key), try access().mayRead(found.channels) { return try json(found, options) }
        return JSONWriter.object(["key": key, "error": "not_found", "status": 404]).byteArray
    }

    private func json(_ found: StoredRevision, _ options: Options) throws -> [UInt8] {
        JSONWriter.object(capacity: options.hasBodies ? 2 * found.body.bytes.count + 512 : 256) { writer in
            writer.member("key", found.documentID)
            writer.member("id", found.documentID)
            writer.object("value") { $0.member("rev", found.revision.description) }
            guard options.hasBodies else { return }
            writer.name("doc")
            do {
                try found.append(.init(hasHistory: options.hasHistory), of: keyspace, to: &writer)
            } catch {
                // The other rows are complete, and the reason is given by reading the document alone.
                writer.appendNull()
                writer.members(["error": "damaged", "status": 500])
            }
        }.byteArray
    }
}
#endif
