import SQLiteEngine

/// A store of raw documents: keys, bytes, and a mark on each (Storage format 2.7). Its table is made when something is stored.
package struct RawStore: Sendable {
    private let name: String

    /// What the client side of replication has achieved.
    package static let checkpoints = RawStore(name: StoreName.checkpoints)
    /// What the passive side keeps for its clients.
    package static let peerCheckpoints = RawStore(name: StoreName.peerCheckpoints)
    /// What a database knows about itself.
    package static let info = RawStore(name: StoreName.info)

    /// One document.
    package struct Document: Equatable, Sendable {
        /// A mark that its writer has put on it.
        package var version: [UInt8]
        package var body: [UInt8]

        package init(version: [UInt8] = [], body: [UInt8]) {
            self.version = version
            self.body = body
        }
    }

    /// The document with that key; nil when there is none.
    package func document(_ key: String, on context: ConnectionContext) throws -> Document? {
        let connection = context.connection
        // Before release 3.1 names were not marked for capital letters.
        let isMangled = try FileVersion(Int(connection.scalar("PRAGMA user_version") ?? 0)) >= .collections
        let table = StoreName.table(name, isMangled: isMangled)
        guard try exists(table, on: connection) else { return nil }
        let statement = try connection.cachedStatement("SELECT version, body FROM \(table.quotedIdentifier) WHERE key = ?")
        defer { statement.reset() }
        try statement.bindText(key, at: 1)
        guard try statement.step() else { return nil }
        return Document(version: [UInt8](statement.blob(at: 0)), body: [UInt8](statement.blob(at: 1)))
    }

    /// Stores a document, or removes it when it is nil.
    package func set(_ key: String, to document: Document?, in writer: Writer) throws {
        try writer.checkIsInTransaction()
        let connection = writer.connection
        let table = StoreName.table(name)
        if try !exists(table, on: connection) {
            if document == nil { return }
            try connection.execute(Schema.createTable(table))
        }
        guard let document else {
            let statement = try connection.cachedStatement("DELETE FROM \(table.quotedIdentifier) WHERE key = ?")
            try statement.bindText(key, at: 1)
            return try statement.run()
        }
        let statement = try connection.cachedStatement(
            "INSERT OR REPLACE INTO \(table.quotedIdentifier) (key, version, body) VALUES (?, ?, ?)"
        )
        try statement.bindText(key, at: 1)
        if document.version.isEmpty {
            try statement.bindNull(at: 2)
        } else {
            try statement.bindBlob(document.version, at: 2)
        }
        try statement.bindBlob(document.body, at: 3)
        try statement.run()
    }

    /// Removes those documents that were stored least recently, until there are so many at most, with so many bytes in their bodies.
    ///
    /// To store a document again gives it a new row ID, above all others: that is the order. Costs some 100 ns for each document there is.
    package func trim(toCount maximumCount: Int, size maximumSize: Int, in writer: Writer) throws {
        try writer.checkIsInTransaction()
        let connection = writer.connection
        let table = StoreName.table(name)
        guard try exists(table, on: connection) else { return }
        let statement = try connection.cachedStatement("SELECT rowid, length(body) FROM \(table.quotedIdentifier) ORDER BY rowid DESC")
        var (count, size, last) = (0, 0, Int64?.none)
        do {
            defer { statement.reset() }
            while last == nil, try statement.step() {
                count += 1
                size += Int(clamping: statement.int64(at: 1))
                if count > maximumCount || size > maximumSize, count > 1 { last = statement.int64(at: 0) }
            }
        }
        guard let last else { return }
        let removal = try connection.cachedStatement("DELETE FROM \(table.quotedIdentifier) WHERE rowid <= ?")
        try removal.bind(last, at: 1)
        try removal.run()
    }

    private func exists(_ table: String, on connection: Connection) throws -> Bool {
        let statement = try connection.cachedStatement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
        defer { statement.reset() }
        try statement.bindText(table, at: 1)
        return try statement.step()
    }
}
