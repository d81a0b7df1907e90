import SQLiteEngine

extension Schema {
    /// Creates the tables of a new file with version 503, like release 3.2.2 (Storage format 7).
    ///
    /// - Parameter hasVectors: Whether revisions get version vectors. The default is `false`.
    static func create(on connection: Connection, publicUUID: [UInt8], privateUUID: [UInt8], hasVectors: Bool = false) throws {
        // Effective only while the file is empty, so it must be the first writing statement.
        try connection.execute("PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA auto_vacuum=incremental;")
        try connection.execute("PRAGMA journal_mode=WAL")
        try connection.transaction(.exclusive) {
            // Another process may have created them already.
            guard try connection.scalar("PRAGMA user_version") == 0 else { return }
            try connection.execute(createMeta)
            for table in ["kv_default", "kv_del_default", "kv_info"] {
                try connection.execute(createTable(table))
            }
            let versioning = hasVectors ? InfoStore.versionVectors : InfoStore.treesApartFromBodies
            try InfoStore.set(InfoStore.versioning, to: InfoStore.encode(versioning), on: connection)
            // As in new files of 4.1: there are no tombstones to be moved.
            if hasVectors { try InfoStore.set(InfoStore.misplacedTombstones, to: InfoStore.encode(0), on: connection) }
            try InfoStore.set(InfoStore.publicUUID, to: publicUUID, on: connection)
            try InfoStore.set(InfoStore.privateUUID, to: privateUUID, on: connection)
            try connection.execute("PRAGMA user_version=\(FileVersion.current.number)")
        }
    }

    /// Upgrades an older file to version 503 with the statements of Storage format 2.2, each in its own transaction.
    ///
    /// Records are not rewritten: those of 2.x keep their layout until the document is saved.
    static func upgrade(_ connection: Connection) throws {
        try step(connection, below: .purgeCount) { schema in
            guard !schema.hasColumn("purgeCnt", in: "kvmeta") else { return }
            try connection.execute("ALTER TABLE kvmeta ADD COLUMN purgeCnt INTEGER DEFAULT 0")
        }
        try step(connection, below: .separateTrees) { schema in
            for table in schema.storeTables where !schema.hasColumn("extra", in: table) {
                try connection.execute("ALTER TABLE \(table.quotedIdentifier) ADD COLUMN extra BLOB")
            }
        }
        try step(connection, below: .indexSequences) { schema in
            guard schema.hasTable("indexes"), !schema.hasColumn("lastSeq", in: "indexes") else { return }
            try connection.execute("ALTER TABLE indexes ADD COLUMN lastSeq TEXT")
        }
        try step(connection, below: .expiration) { schema in
            for table in schema.storeTables where !schema.hasColumn("expiration", in: table) {
                try connection.execute("ALTER TABLE \(table.quotedIdentifier) ADD COLUMN expiration INTEGER")
                try connection.execute(createExpirationIndex(table))
            }
        }
        try step(connection, below: .partialIndexes) { schema in
            guard schema.hasTable("indexes"), !schema.hasColumn("whereClause", in: "indexes") else { return }
            try connection.execute("ALTER TABLE indexes ADD COLUMN whereClause TEXT")
        }
    }

    private static func step(_ connection: Connection, below version: FileVersion, _ change: (Schema) throws -> Void) throws {
        try connection.transaction(.immediate) {
            let schema = try Schema(connection)
            guard schema.version < version else { return }
            try change(schema)
            try connection.execute("PRAGMA user_version=\(version.number)")
        }
    }

    /// Ensures what a writable file of version 5xx must have: both tables with all columns for every collection, the declared record
    /// layout, and the UUIDs (Storage format 2.4 and 2.6).
    static func complete(_ connection: Connection) throws {
        guard try !Repairs(connection).isEmpty else { return }
        // Checked again with the file locked, because another process may have made the repairs already.
        try connection.transaction(.immediate) { try Repairs(connection).apply(on: connection) }
    }
}

/// The missing parts of a file of the current version.
private struct Repairs {
    private var statements: [String] = []
    private let layout: UInt64?
    private let lacksUUIDs: [String]

    init(_ connection: Connection) throws {
        let schema = try Schema(connection)
        for collection in schema.collections {
            let table = StoreName.table(collection.storeName)
            let tombstones = StoreName.tombstoneTable(collection.storeName)
            for needed in [table, tombstones] {
                guard schema.hasTable(needed) else {
                    statements.append(Schema.createTable(needed))
                    continue
                }
                if !schema.hasColumn("extra", in: needed) {
                    statements.append("ALTER TABLE \(needed.quotedIdentifier) ADD COLUMN extra BLOB")
                }
                if !schema.hasColumn("expiration", in: needed) {
                    statements.append("ALTER TABLE \(needed.quotedIdentifier) ADD COLUMN expiration INTEGER")
                    statements.append(Schema.createExpirationIndex(needed))
                }
            }
        }
        layout = try InfoStore.integer(InfoStore.versioning, on: connection)
        lacksUUIDs = try [InfoStore.publicUUID, InfoStore.privateUUID].filter {
            try InfoStore.bytes($0, on: connection)?.count != 16
        }
    }

    var isEmpty: Bool { statements.isEmpty && layout != 0 && lacksUUIDs.isEmpty }

    func apply(on connection: Connection) throws {
        for statement in statements { try connection.execute(statement) }
        if layout == 0 {
            let value = InfoStore.encode(InfoStore.treesApartFromBodies)
            try InfoStore.set(InfoStore.versioning, to: value, on: connection)
        }
        for key in lacksUUIDs { try InfoStore.set(key, to: InfoStore.makeUUID(), on: connection) }
    }
}
