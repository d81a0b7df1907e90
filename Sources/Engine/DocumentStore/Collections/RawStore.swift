import SQLiteEngine

/// A store of raw documents, which consist of a key, a version and a body (Storage format 2.7). Its table is created when something is
/// stored.
package struct RawStore: Sendable {
    private let name: String
    /// Whether its documents can have an ``Document/owner``. Only files of the current version have the column.
    private var hasOwners = false

    private init(name: String, hasOwners: Bool = false) { (self.name, self.hasOwners) = (name, hasOwners) }

    /// The local checkpoints of a replication's active side.
    package static let checkpoints = RawStore(name: StoreName.checkpoints)
    /// The checkpoints that the passive side stores for its clients.
    package static let peerCheckpoints = RawStore(name: StoreName.peerCheckpoints, hasOwners: true)
    /// What a hub remembers of the channels of documents and users, in its own database.
    package static let channels = RawStore(name: "channels")
    /// The properties of the database.
    package static let info = RawStore(name: StoreName.info)

    /// One document.
    package struct Document: Equatable, Sendable {
        /// The version assigned by the writer of the document.
        package var version: [UInt8]
        /// The content, in a form that depends on the store: the body of a checkpoint is JSON.
        package var body: [UInt8]
        /// The identity of the collection to which a checkpoint of a peer belongs; 0 for a collection without one, and in other stores.
        package var owner: UInt64

        package init(version: [UInt8] = [], body: [UInt8], owner: UInt64 = 0) {
            self.version = version
            self.body = body
            self.owner = owner
        }
    }

    /// Returns the document with a key, or `nil` if it does not exist.
    package func document(_ key: String, on context: ConnectionContext) throws -> Document? {
        let connection = context.connection
        // Before release 3.1 capital letters in table names were not escaped.
        let escapesCapitals = try FileVersion(Int(connection.scalar("PRAGMA user_version") ?? 0)) >= .collections
        let table = StoreName.table(name, escapesCapitals: escapesCapitals)
        guard try connection.contains("table", named: table) else { return nil }
        let owner = hasOwners && escapesCapitals ? "extra" : "NULL"
        let statement = try connection.cachedStatement("SELECT version, body, \(owner) FROM \(table.quotedIdentifier) WHERE key = ?")
        defer { statement.reset() }
        try statement.bindText(key, at: 1)
        guard try statement.step() else { return nil }
        return Document(
            version: [UInt8](statement.blob(at: 0)),
            body: [UInt8](statement.blob(at: 1)),
            owner: InfoStore.decode(statement.blob(at: 2))
        )
    }

    /// Stores a document, or removes it if `document` is `nil`.
    package func set(_ key: String, to document: Document?, in writer: Writer) throws {
        try writer.checkIsInTransaction()
        let connection = writer.connection
        let table = StoreName.table(name)
        if try !connection.contains("table", named: table) {
            if document == nil { return }
            try connection.execute(Schema.createTable(table))
        }
        guard let document else {
            let statement = try connection.cachedStatement("DELETE FROM \(table.quotedIdentifier) WHERE key = ?")
            try statement.bindText(key, at: 1)
            return try statement.run()
        }
        let columns = document.owner == 0 || !hasOwners ? ("version, body", "?, ?") : ("version, body, extra", "?, ?, ?")
        let statement = try connection.cachedStatement(
            "INSERT OR REPLACE INTO \(table.quotedIdentifier) (key, \(columns.0)) VALUES (?, \(columns.1))"
        )
        try statement.bindText(key, at: 1)
        if document.version.isEmpty {
            try statement.bindNull(at: 2)
        } else {
            try statement.bindBlob(document.version, at: 2)
        }
        try statement.bindBlob(document.body, at: 3)
        if document.owner > 0, hasOwners { try statement.bindBlob(InfoStore.encode(document.owner), at: 4) }
        try statement.run()
    }

    /// Removes all documents.
    package func removeAll(in writer: Writer) throws { try remove(where: "1", in: writer) { _ in } }

    /// Removes the documents of a collection; see ``Document/owner``.
    func removeAll(ownedBy owner: UInt64, in writer: Writer) throws {
        try remove(where: "extra = ?1", in: writer) { try $0.bindBlob(InfoStore.encode(owner), at: 1) }
    }

    /// Removes the documents whose bodies, in JSON, contain a text of ASCII characters.
    func removeAll(mentioning text: String, in writer: Writer) throws {
        try remove(where: "instr(body, CAST(?1 AS BLOB)) > 0", in: writer) { try $0.bindText(text, at: 1) }
    }

    private func remove(where condition: String, in writer: Writer, _ bind: (Statement) throws -> Void) throws {
        try writer.checkIsInTransaction()
        let table = StoreName.table(name)
        guard try writer.connection.contains("table", named: table) else { return }
        let statement = try writer.connection.cachedStatement("DELETE FROM \(table.quotedIdentifier) WHERE \(condition)")
        try bind(statement)
        try statement.run()
    }

    /// Removes all documents whose keys begin with a text.
    ///
    /// - Parameter prefix: As for ``trim(toCount:size:keysFrom:in:)``.
    package func removeAll(keysFrom prefix: String, in writer: Writer) throws {
        try writer.checkIsInTransaction()
        let table = StoreName.table(name)
        guard try writer.connection.contains("table", named: table) else { return }
        let statement = try writer.connection.cachedStatement("DELETE FROM \(table.quotedIdentifier) WHERE \(Self.keyCondition)")
        try Self.bindKeys(from: prefix, in: statement)
        try statement.run()
    }

    /// Removes the least recently stored documents, until at most `maximumCount` documents with at most `maximumSize` bytes in their bodies
    /// remain. The most recent document is always kept.
    ///
    /// The order is that of the row IDs: storing a document again assigns a new row ID above all others.
    ///
    /// - Parameter prefix: Only documents whose keys begin with this text count, and are removed. It must end with an ASCII character; empty for
    ///   all documents.
    /// - Complexity: O(*n*), where *n* is the number of documents, with about 100 ns for each.
    package func trim(toCount maximumCount: Int, size maximumSize: Int, keysFrom prefix: String = "", in writer: Writer) throws {
        try writer.checkIsInTransaction()
        var (count, size, last) = (0, 0, Int64?.none)
        try forEachSize(keysFrom: prefix, in: writer) { row, bytes in
            count += 1
            size += bytes
            if count > maximumCount || size > maximumSize, count > 1 { last = row }
            return last == nil
        }
        guard let last else { return }
        let removal = try writer.connection.cachedStatement(
            "DELETE FROM \(StoreName.table(name).quotedIdentifier) WHERE rowid <= ?1 AND \(Self.keyCondition)"
        )
        try removal.bind(last, at: 1)
        try Self.bindKeys(from: prefix, in: removal)
        try removal.run()
    }

    /// Returns the number of documents whose keys begin with a text, and the bytes in their bodies.
    ///
    /// - Parameter prefix: As for ``trim(toCount:size:keysFrom:in:)``.
    /// - Complexity: As for ``trim(toCount:size:keysFrom:in:)``.
    package func usage(keysFrom prefix: String, in writer: Writer) throws -> (count: Int, size: Int) {
        var (count, size) = (0, 0)
        try forEachSize(keysFrom: prefix, in: writer) { _, bytes in
            count += 1
            size += bytes
            return true
        }
        return (count, size)
    }

    /// Calls `body` with the row ID of each document and the bytes in its body, most recently stored first, until it returns `false`.
    private func forEachSize(keysFrom prefix: String, in writer: Writer, _ body: (Int64, Int) -> Bool) throws {
        let connection = writer.connection
        let table = StoreName.table(name)
        guard try connection.contains("table", named: table) else { return }
        let statement = try connection.cachedStatement(
            "SELECT rowid, length(body) FROM \(table.quotedIdentifier) WHERE \(Self.keyCondition) ORDER BY rowid DESC"
        )
        defer { statement.reset() }
        try Self.bindKeys(from: prefix, in: statement)
        while try statement.step(), body(statement.int64(at: 0), Int(clamping: statement.int64(at: 1))) {}
    }

    /// Selects the keys that ``bindKeys(from:in:)`` binds.
    private static let keyCondition = "key >= ?2 AND (?3 IS NULL OR key < ?3)"

    private static func bindKeys(from prefix: String, in statement: Statement) throws {
        try statement.bindText(prefix, at: 2)
        guard let last = prefix.unicodeScalars.last, let next = Unicode.Scalar(last.value + 1) else { return try statement.bindNull(at: 3) }
        try statement.bindText(String(prefix.unicodeScalars.dropLast()) + String(next), at: 3)
    }
}
