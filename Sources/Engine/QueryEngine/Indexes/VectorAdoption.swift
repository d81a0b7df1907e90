import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// Puts the vector indexes of a file in order before the first change of a document: takes over those of the original, whose triggers would
/// refuse every change, and removes what is left of indexes that are gone (Vector search FL-12, FL-13).
struct VectorAdoption {
    let file: DatabaseFile
    let writer: Writer
    private var connection: Connection { writer.connection }

    /// Returns whether the file may have vector indexes. If it has none, this is one look at the schema.
    func run() throws -> Bool {
        let found = try connection.scalar(
            "SELECT 1 FROM sqlite_master WHERE name = '\(VectorIndexTables.registry)' OR instr(name, ':vector:') LIMIT 1"
        )
        guard found != nil else { return false }
        if try VectorRegistry.exists(on: connection), !VectorRegistry.hasColumns(on: connection) {
            // No index can be read from it, and every change of a document would fail.
            try connection.execute("DROP TABLE \(VectorIndexTables.registry)")
            log(.warning, "the table of vector indexes was removed, because it lacks columns")
        }
        let originals = try OriginalVectorIndex.all(on: connection)
        if !originals.isEmpty {
            let parts = try OriginalVectorIndex.parts(of: originals, on: connection)
            let known = Dictionary(try VectorRegistry.entries(on: connection).map { (Key($0), $0) }) { first, _ in first }
            try connection.withInertModule(named: OriginalTableStatement.module) {
                for original in originals { try adoptOrRemove(original, parts[ExactString(original.table)] ?? [], known) }
            }
        }
        try removeLeftovers()
        return true
    }

    /// Returns why `body` has failed, after its changes were rolled back: a strange file must not prevent that documents are saved.
    private func failure(of body: () throws -> Void) throws -> (any Error)? { try connection.failure(inSavepoint: "adoption", of: body) }

    // MARK: Indexes of the original

    /// The collection and the name of an index.
    private struct Key: Hashable {
        let store: ExactString
        let name: ExactString

        init(_ entry: VectorIndexEntry) { (store, name) = (ExactString(entry.store), ExactString(entry.name)) }
    }

    /// Takes an index over. If that fails, the index is removed, because its triggers would refuse every change.
    private func adoptOrRemove(_ original: OriginalVectorIndex, _ parts: [String], _ known: [Key: VectorIndexEntry]) throws {
        guard let error = try failure(of: { try adopt(original, parts, known) }) else { return }
        let second = try failure { try original.drop(parts, on: connection) }
        let outcome = second == nil ? "was removed, because it cannot be taken over" : "can be neither taken over nor removed"
        log(.warning, "the vector index \"\(original.table)\" of Couchbase Lite's extension \(outcome): \(second ?? error)")
    }

    private func adopt(_ original: OriginalVectorIndex, _ parts: [String], _ known: [Key: VectorIndexEntry]) throws {
        let (options, difference) = original.options
        let entry = try original.entry(on: connection, isForeign: false)
        let row = try original.registeredRow(on: connection)
        try original.drop(parts, on: connection)
        let name = entry?.name ?? row?.storedName ?? original.table
        guard let entry else {
            let reason = row == nil ? "it is not registered" : options == nil ? "its options are unknown" : "its collection is unknown"
            return log(.warning, "the vector index \"\(name)\" of Couchbase Lite's extension was removed: \(reason)")
        }
        guard let collection = try CollectionID(storeName: entry.store).flatMap({ try file.collection($0) }),
            let index = try? VectorIndexWriter(entry, of: collection, writer)
        else {
            return log(.warning, "the vector index \"\(name)\" of Couchbase Lite's extension was removed: its expression cannot be indexed")
        }
        let existing = known[Key(entry)]
        if let existing, existing.options == entry.options, let expression = try? existing.expression,
            expression.isSameIndexed(as: try entry.expression)
        {
            // The original has created it again beside the index that was made from an earlier one.
            return log(.info, "the vector index \"\(name)\" of Couchbase Lite's extension was removed, because there is an equal one")
        }
        if let existing { try VectorRegistry.drop(existing, on: connection) }
        try VectorRegistry.insert(entry, on: connection)
        try index.rebuildOrMark()
        log(.info, "the vector index \"\(name)\" of Couchbase Lite's extension was taken over")
        if let difference { log(.warning, "the vector index \"\(name)\" of Couchbase Lite's extension was taken over, but \(difference)") }
        if entry.options.isLazy {
            log(.warning, "the vectors of the lazy index \"\(name)\" cannot be read: all documents need new ones")
        }
    }

    private func log(_ level: EventLevel, _ message: String) { writer.logAfterTransaction(level, message) }

    // MARK: Leftovers

    /// Removes the tables and triggers of indexes without a row in the registry, and the rows of indexes whose collection is gone: another
    /// program can have dropped them.
    private func removeLeftovers() throws {
        let isRegistered = try VectorRegistry.exists(on: connection)
        let names = isRegistered ? try connection.texts("SELECT tableName FROM vector_indexes") : []
        var registered = Set(exactly: names)
        for name in names {
            guard let tables = VectorIndexTables(registered: name), try !connection.contains("table", named: tables.documents) else {
                continue
            }
            let row = try connection.prepare("DELETE FROM vector_indexes WHERE tableName = ?")
            defer { row.finalize() }
            try row.bindText(name, at: 1)
            try row.run()
            registered.remove(ExactString(name))
        }
        let objects = try connection.texts(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'trigger') AND instr(name, ':vector:')"
        )
        let left = Set(exactly: objects.compactMap { VectorIndexTables(owning: $0)?.name }).subtracting(registered)
        for name in left.sorted() {
            guard let tables = VectorIndexTables(registered: name.string) else { continue }
            if let error = try failure(of: { try tables.drop(on: connection) }) {
                log(.warning, "what is left of a vector index cannot be removed: \(name): \(error)")
            } else {
                log(.info, "removed what was left of a vector index: \(name)")
            }
        }
    }
}
