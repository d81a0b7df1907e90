/// The tables of a collection in a file, as SQL (Storage format 2.4). They depend on the version of the file.
package struct CollectionTables: Sendable, Hashable {
    /// The name of the store, from which the names of all tables are made.
    package let store: String
    /// The name of the table of live documents, not quoted.
    package let liveName: String
    /// The name of the table of tombstones, not quoted; `nil` in files before version 500, which have one table for both.
    package let tombstoneName: String?
    let hasExtra: Bool
    let hasExpiration: Bool

    init(_ id: CollectionID, in schema: Schema) {
        store = id.storeName
        liveName = StoreName.table(store, escapesCapitals: schema.escapesCapitals)
        let tombstones = StoreName.tombstoneTable(store)
        tombstoneName = schema.hasTable(tombstones) ? tombstones : nil
        hasExtra = schema.hasColumn("extra", in: liveName)
        hasExpiration = schema.hasColumn("expiration", in: liveName)
    }

    /// Describes the tables of a collection in a file of the current version.
    init(_ id: CollectionID) {
        store = id.storeName
        liveName = StoreName.table(store)
        tombstoneName = StoreName.tombstoneTable(store)
        hasExtra = true
        hasExpiration = true
    }

    var live: String { liveName.quotedIdentifier }
    var tombstones: String? { tombstoneName?.quotedIdentifier }
    /// The names of the tables, not quoted.
    var names: [String] { [liveName, tombstoneName].compactMap { $0 } }
    /// The tables, as in SQL.
    var all: [String] { names.map(\.quotedIdentifier) }
    var extraColumn: String { hasExtra ? "extra" : "NULL" }
    /// The tree of a row in the layout of 2.x, or NULL for the layout of 3.x, so that its body is not read.
    var treeInBodyColumn: String { hasExtra ? "CASE WHEN extra IS NULL THEN body END" : "body" }
    var expirationColumn: String { hasExpiration ? "expiration" : "NULL" }
    var rowColumns: String { "rowid, sequence, flags, version, body, \(extraColumn), \(expirationColumn)" }

    /// The condition that excludes tombstones from the live table, which can contain them in files from before version 500.
    var liveCondition: String { liveTableMayHaveTombstones ? "(flags & 1) = 0" : "1" }

    /// Whether the live table can contain tombstones.
    package var liveTableMayHaveTombstones: Bool { store == CollectionID.default.storeName || tombstoneName == nil }
}
