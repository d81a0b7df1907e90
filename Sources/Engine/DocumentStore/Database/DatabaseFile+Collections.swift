import Base
import SQLiteEngine

extension DatabaseFile {
    /// Returns the names of all collections, sorted.
    package func collectionIDs() throws -> [CollectionID] {
        try read { try $0.tableSchema().collections }
    }

    /// Returns a collection, or `nil` if it does not exist. While a collection exists, the same object is returned.
    package func collection(_ id: CollectionID) throws -> CollectionStore? {
        try read { context in
            // Other known collections are not changed, because the reader may see an older state than the writer.
            let schema = try context.tableSchema()
            guard schema.collections.contains(id) else { return nil }
            return knownCollections[id] ?? knownCollections.collection(id, tables: CollectionTables(id, in: schema), of: self)
        }
    }

    /// Returns a collection if its object has already been created.
    package func knownCollection(_ id: CollectionID) -> CollectionStore? {
        knownCollections[id]
    }

    /// Returns whether the tables of the collection exist, as seen by the calling thread.
    package func stillContains(_ collection: CollectionStore) throws -> Bool {
        guard collection.exists else { return false }
        return try read { try $0.tableSchema().hasTable(collection.tables.liveName) }
    }

    /// Returns a collection, and creates it if it does not exist.
    package func createCollection(_ id: CollectionID) throws -> CollectionStore {
        if let existing = try collection(id) { return existing }
        let (collection, isNew) = try transaction { writer in
            // Another thread or process may have created the collection since.
            if let existing = try self.collection(id) { return (existing, false) }
            if let known = knownCollection(id) {
                // This transaction or another process has deleted the collection. Its object must not become valid again.
                writer.forget(known)
                knownCollections.drop(known)
            }
            let tables = CollectionTables(id)
            for table in tables.names { try writer.connection.execute(Schema.createTable(table)) }
            try id.assignIdentity(on: writer.connection)
            let created = knownCollections.collection(id, tables: tables, of: self)
            writer.onRollback { [knownCollections] in knownCollections.drop(created) }
            return (created, true)
        }
        if isNew { EngineLog.log(.info, .database, "created collection \(id.fullName) of the database at \(bundle.directory)") }
        return collection
    }

    /// Deletes a collection with all its documents and indexes. Does nothing if it does not exist.
    package func deleteCollection(_ id: CollectionID) throws {
        guard !id.isDefault else { throw StoreError.cannotDeleteDefaultCollection }
        guard try collection(id) != nil else { return }
        let isDeleted = try transaction { writer in
            // Another thread may have deleted the collection since, and even created it again.
            guard let collection = try self.collection(id) else { return false }
            try IndexTables.dropAll(of: collection.tables, on: writer.connection)
            for table in collection.tables.all {
                try writer.connection.execute("DROP TABLE IF EXISTS \(table)")
            }
            try id.forgetIdentity(in: writer)
            // The row in kvmeta is kept, as in Couchbase Lite: the sequences continue if the collection is created again.
            writer.forget(collection)
            // Until the commit, other threads and users still have the collection.
            collection.markBeingDropped()
            writer.onRollback { [knownCollections] in knownCollections.restore(collection) }
            writer.onCommit { [knownCollections] in knownCollections.drop(collection) }
            return true
        }
        if isDeleted { EngineLog.log(.info, .database, "deleted collection \(id.fullName) of the database at \(bundle.directory)") }
    }
}
