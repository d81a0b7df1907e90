import LogCore
import SQLiteEngine

extension DatabaseFile {
    /// The names of all collections, in order.
    package func collectionIDs() throws -> [CollectionID] {
        try read { try Schema($0.connection).collections }
    }

    /// The collection of that name; nil when there is none. While a collection exists the same object is returned.
    package func collection(_ id: CollectionID) throws -> CollectionStore? {
        try read { context in
            // What is known of others is left alone: the reader may see an older state than the writer.
            let schema = try Schema(context.connection)
            guard schema.collections.contains(id) else { return nil }
            return knownCollections.collection(id, tables: CollectionTables(id, in: schema), of: self)
        }
    }

    /// The collection of that name if somebody has asked for it before.
    package func knownCollection(_ id: CollectionID) -> CollectionStore? {
        knownCollections[id]
    }

    /// Whether the collection's tables are there, as far as the calling thread can see.
    package func stillHolds(_ collection: CollectionStore) throws -> Bool {
        guard collection.exists else { return false }
        return try read { try Schema($0.connection).hasTable(collection.tables.liveName) }
    }

    /// The collection of that name, which is made when there is none.
    package func createCollection(_ id: CollectionID) throws -> CollectionStore {
        if let existing = try collection(id) { return existing }
        let created = try transaction { writer in
            // Another process may have deleted one of that name: objects of it must not come to life again.
            if let known = knownCollection(id), try !stillHolds(known) {
                writer.forget(known)
                knownCollections.drop(known)
            }
            let tables = CollectionTables(id)
            try writer.connection.execute(Schema.createTable(tables.liveName))
            if let tombstones = tables.tombstoneName { try writer.connection.execute(Schema.createTable(tombstones)) }
            let created = knownCollections.collection(id, tables: tables, of: self)
            writer.onRollback { [knownCollections] in knownCollections.drop(created) }
            return created
        }
        EngineLog.log(.info, .database, "created collection \(id.fullName) of the database at \(bundle.directory)")
        return created
    }

    /// Removes a collection with all its documents and indexes. Does nothing when there is none.
    package func deleteCollection(_ id: CollectionID) throws {
        guard !id.isDefault else { throw StoreError.cannotDeleteDefaultCollection }
        guard let collection = try collection(id) else { return }
        try transaction { writer in
            try IndexTables.dropAll(of: collection.tables, on: writer.connection)
            for table in [collection.tables.live, collection.tables.tombstones].compactMap({ $0 }) {
                try writer.connection.execute("DROP TABLE IF EXISTS \(table)")
            }
            // The row in kvmeta stays, as the original leaves it: sequences go on when the collection is made again.
            writer.forget(collection)
            knownCollections.drop(collection)
            writer.onRollback { [knownCollections] in knownCollections.revive(collection) }
        }
        EngineLog.log(.info, .database, "deleted collection \(id.fullName) of the database at \(bundle.directory)")
    }
}
