import SQLiteEngine

/// What stands in the schema of a file that the format does not know, and that SQLite would obey: a file may come from a stranger, who
/// may have put a trigger into it that changes documents whenever one is saved, or a view in the place of a table that never ends.
///
/// Views are never run: connections do not know them (``Connection``). Triggers that the format does not know are removed before
/// anything is written. Tables of others are left alone.
struct ForeignSchema {
    /// The names of triggers on tables of the format that are none of the format's.
    private(set) var triggers: [String] = []
    /// The names of all views; the format has none.
    private(set) var views: [String] = []
    /// The names of virtual tables where the format has documents.
    private var virtualTables: [String] = []

    init(_ connection: Connection) throws(SQLiteError) {
        let statement = try connection.prepare(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE type IN ('trigger', 'view') OR type = 'table' AND rootpage = 0
            """
        )
        defer { statement.finalize() }
        while try statement.step() {
            let (name, table) = (statement.text(at: 1), statement.text(at: 2))
            switch statement.text(at: 0) {
            case "view": views.append(name)
            case "table" where Self.isOfFormat(name) && !IndexTables.isIndexTable(name): virtualTables.append(name)
            case "trigger" where Self.isOfFormat(table):
                let sql = statement.optionalText(at: 3) ?? ""
                if !IndexTrigger.isOne(sql, name: name, on: table) { triggers.append(name) }
            default: break
            }
        }
    }

    /// Whether a table is one that the format uses. SQLite does not tell capital letters from small ones.
    private static func isOfFormat(_ table: String) -> Bool {
        let name = table.lowercased()
        return name.hasPrefix("kv_") || name == "kvmeta" || name == "indexes" || IndexTables.isHashedName(name)
    }

    /// - Throws: `wrongFormat` when a view or a virtual table stands where the format has a table.
    func checkTables(of bundle: BundlePath) throws(StoreError) {
        if let view = views.first(where: Self.isOfFormat) {
            throw .wrongFormat(path: bundle.directory, reason: "\"\(view)\" in it is a view instead of a table")
        }
        if let table = virtualTables.first {
            throw .wrongFormat(path: bundle.directory, reason: "\"\(table)\" in it is a virtual table")
        }
    }

    /// Removes the triggers that the format does not know, and returns their names. To be called before anything else is written.
    ///
    /// - Throws: `wrongFormat` when one cannot be removed; nothing must be written then.
    static func removeTriggers(on connection: Connection, of bundle: BundlePath) throws -> [String] {
        guard try !ForeignSchema(connection).triggers.isEmpty else { return [] }
        // Looked for again with the file locked: another process may have been faster.
        return try connection.transaction(.immediate) {
            let triggers = try ForeignSchema(connection).triggers
            for trigger in triggers { try connection.execute("DROP TRIGGER IF EXISTS \(trigger.quotedIdentifier)") }
            if let left = try ForeignSchema(connection).triggers.first {
                throw StoreError.wrongFormat(path: bundle.directory, reason: "it has a trigger \"\(left)\" that cannot be removed")
            }
            return triggers
        }
    }
}
