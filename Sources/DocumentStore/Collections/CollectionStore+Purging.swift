import SQLiteEngine

extension CollectionStore {
    /// Removes every trace of a document. False when there is none.
    package func purge(_ documentID: String, in writer: Writer) throws -> Bool {
        try checkExists()
        try writer.checkIsInTransaction()
        let state = try writer.state(of: self)
        guard let row = try row(of: documentID, state: state, on: writer.context) else { return false }
        try remove(row, state: state, in: writer)
        return true
    }

    /// Sets when a document expires, in milliseconds since 1970; nil means never. Neither its revision nor its sequence
    /// changes. False when there is no such document.
    package func setExpiration(_ milliseconds: Int64?, of documentID: String, in writer: Writer) throws -> Bool {
        try checkExists()
        try writer.checkIsInTransaction()
        for table in [tables.live, tables.tombstones].compactMap({ $0 }) {
            let statement = try writer.connection.cachedStatement("UPDATE \(table) SET expiration = ? WHERE key = ?")
            if let milliseconds, milliseconds > 0 {
                try statement.bind(milliseconds, at: 1)
            } else {
                try statement.bindNull(at: 1)
            }
            try statement.bindText(documentID, at: 2)
            try statement.run()
            if writer.connection.changes > 0 { return true }
        }
        return false
    }

    /// When the next document expires, in milliseconds since 1970; nil when none will.
    package func nextExpiration() throws -> Int64? {
        try checkExists()
        guard tables.hasExpiration else { return nil }
        return try file.read { context in
            try [tables.live, tables.tombstones].compactMap { $0 }
                .compactMap { table in
                    try context.connection.scalar(
                        "SELECT min(expiration) FROM \(table) WHERE expiration IS NOT NULL"
                    )
                }
                .min()
        }
    }

    /// Removes the documents whose time has come, and returns their IDs.
    package func purgeExpired(now milliseconds: Int64, in writer: Writer) throws -> [String] {
        try checkExists()
        try writer.checkIsInTransaction()
        var purged: [String] = []
        for table in [tables.live, tables.tombstones].compactMap({ $0 }) {
            let statement = try writer.connection.cachedStatement("SELECT key FROM \(table) WHERE expiration <= ?")
            defer { statement.reset() }
            try statement.bind(milliseconds, at: 1)
            while try statement.step() { purged.append(statement.text(at: 0)) }
        }
        for id in purged { _ = try purge(id, in: writer) }
        return purged
    }
}
