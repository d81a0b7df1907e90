import Base
import SQLiteEngine

/// Indexes whose tables are missing in the file, or are tables of another kind, for example virtual tables of a module that SQLite does not have.
/// Their triggers would refuse every change of a document.
extension Writer {
    /// Removes the tables and triggers of indexes with triggers that SQLite cannot compile. Their definitions stay, so that the check of the database
    /// reports the indexes. Must be called when a transaction begins; it is a comparison if the schema is the one that was examined last.
    func removeBrokenIndexes(of file: DatabaseFile) throws {
        guard try context.schemaVersion != guarded.indexes.examinedSchemaVersion else { return }
        let tables = try connection.texts("SELECT DISTINCT tbl_name FROM sqlite_master WHERE type = 'trigger'")
        let ids = tables.compactMap { StoreName.store(ofTable: $0).flatMap { CollectionID(storeName: $0) } }
        // Usually all triggers are on documents. Those on tombstones and array elements may belong to any collection.
        for id in try ids.count == tables.count ? ids : file.collectionIDs() {
            let collection = try file.knownCollection(id) ?? file.collection(id)
            if let collection { try removeBrokenIndexes(of: collection) }
        }
        guarded.indexes.examinedSchemaVersion = try context.schemaVersion
    }

    private func removeBrokenIndexes(of collection: CollectionStore) throws {
        let tables = collection.tables
        guard let error = try refusal(of: tables) else { return }
        let triggers = try indexTriggers(of: tables)
        // Otherwise, indexes are not the reason.
        guard try !isRefused(triggers, of: tables, except: nil) else { return }
        for table in Set(exactly: triggers.map(\.indexTable)).sorted().map(\.string)
        where try isRefused(triggers, of: tables, except: table) {
            try remove(table, of: tables)
            renewal.noteIndexChange()
            logAfterTransaction(
                .warning,
                "the index with the table \(table), of collection \(collection.id.fullName) of the database at \(connection.path), was removed, "
                    + "because it prevented documents from being saved; create it again: \(error.message)"
            )
        }
    }

    /// A trigger that maintains the table of an index.
    private struct TableTrigger {
        let name: String
        /// The table whose changes fire it: one of documents, or of array elements.
        let table: String
        let indexTable: String
    }

    /// Returns the triggers on the tables of a collection, and on those of array elements.
    private func indexTriggers(of tables: CollectionTables) throws -> [TableTrigger] {
        let owners = try TableOwners(on: connection)
        let statement = try connection.prepare("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'")
        defer { statement.finalize() }
        var triggers: [TableTrigger] = []
        while try statement.step() {
            let (name, table) = (statement.text(at: 0), statement.text(at: 1))
            let isOwn = tables.names.containsExactly(table) || owners.store(of: table)?.isExactly(tables.store) ?? false
            guard isOwn, let mark = name.ranges(of: "::").last else { continue }
            triggers.append(TableTrigger(name: name, table: table, indexTable: String(name[..<mark.lowerBound])))
        }
        return triggers
    }

    /// Returns whether changes of documents are refused without some triggers.
    ///
    /// - Parameters:
    ///   - triggers: The triggers that are dropped for the trial.
    ///   - table: The index table whose triggers stay, with those by which they are fired; `nil` for none.
    private func isRefused(_ triggers: [TableTrigger], of tables: CollectionTables, except table: String?) throws -> Bool {
        try connection.execute("SAVEPOINT trial")
        // If SQLite has rolled back the transaction, there is no savepoint any more.
        defer { try? connection.execute("ROLLBACK TO trial; RELEASE trial") }
        var kept = Set(exactly: [table].compactMap(\.self))
        var count = -1
        while kept.count != count {
            count = kept.count
            for trigger in triggers where kept.contains(trigger.indexTable) { kept.insert(ExactString(trigger.table)) }
        }
        for trigger in triggers where !kept.contains(trigger.indexTable) {
            try connection.execute("DROP TRIGGER IF EXISTS \(trigger.name.quotedIdentifier)")
        }
        return try refusal(of: tables) != nil
    }

    /// Returns the error with which SQLite refuses to compile changes of documents, with all triggers; `nil` if it compiles them.
    private func refusal(of tables: CollectionTables) throws -> SQLiteError? {
        for table in tables.all {
            let statements = [
                "INSERT INTO \(table) DEFAULT VALUES", "UPDATE \(table) SET body = body, flags = flags", "DELETE FROM \(table)",
            ]
            for statement in statements {
                do {
                    try connection.prepare(statement).finalize()
                } catch {
                    if error.isOfCircumstances { throw error }
                    return error
                }
            }
        }
        return nil
    }

    /// Drops a table with its triggers, and the tables of array elements that are filled from it.
    private func remove(_ table: String, of tables: CollectionTables) throws {
        for name in try dependentTables(of: table, tables) + [table] where IndexTables.isIndexTable(name) || IndexTables.isHashedName(name)
        {
            try IndexTables.dropIfPossible(name, on: connection)
        }
    }

    /// Returns the names that the deeper levels of an array index can have, by a level of it.
    private func dependentTables(of table: String, _ tables: CollectionTables) throws -> [String] {
        guard try connection.contains("table", named: "indexes") else { return [] }
        let registered = try connection.texts(
            "SELECT DISTINCT indexTableName FROM indexes WHERE keyStore = ? AND indexTableName IS NOT NULL",
            tables.store
        )
        return registered.flatMap { name -> [String] in
            let levels = IndexTables.levels(of: name)
            guard let level = levels.firstIndex(where: { IndexTables.possibleNames(of: $0).containsExactly(table) }) else { return [] }
            return levels[(level + 1)...].reversed().flatMap(IndexTables.possibleNames)
        }
    }
}
