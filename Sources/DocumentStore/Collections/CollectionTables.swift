/// The tables of a collection in a file, as SQL (Storage format 2.4). Files of different age differ in them.
package struct CollectionTables: Sendable, Hashable {
    package let store: String
    /// The name of the table with live documents, unquoted.
    package let liveName: String
    /// The name of the table with tombstones, unquoted; nil in files before 500, which have one table for both.
    package let tombstoneName: String?
    let hasExtra: Bool
    let hasExpiration: Bool

    init(_ id: CollectionID, in schema: Schema) {
        store = id.storeName
        liveName = StoreName.table(store, isMangled: schema.isMangled)
        let tombstones = StoreName.tombstoneTable(store)
        tombstoneName = schema.hasTable(tombstones) ? tombstones : nil
        hasExtra = schema.hasColumn("extra", in: liveName)
        hasExpiration = schema.hasColumn("expiration", in: liveName)
    }

    /// The tables a collection has in a file of the current version.
    init(_ id: CollectionID) {
        store = id.storeName
        liveName = StoreName.table(store)
        tombstoneName = StoreName.tombstoneTable(store)
        hasExtra = true
        hasExpiration = true
    }

    var live: String { liveName.quotedIdentifier }
    var tombstones: String? { tombstoneName?.quotedIdentifier }
    var extraColumn: String { hasExtra ? "extra" : "NULL" }
    /// The tree of a row in the layout of 2.x; NULL for those of 3.x, whose bodies so need not be read.
    var treeInBodyColumn: String { hasExtra ? "CASE WHEN extra IS NULL THEN body END" : "body" }
    var expirationColumn: String { hasExpiration ? "expiration" : "NULL" }
    var rowColumns: String {
        "rowid, sequence, flags, version, body, \(extraColumn), \(expirationColumn)"
    }

    /// Rows that may be in the live table without being live documents: those of files from before 500.
    var liveCondition: String {
        store == CollectionID.default.storeName || tombstoneName == nil ? "(flags & 1) = 0" : "1"
    }
}
