import Base
import SQLiteEngine

/// The parts of a file's schema that do not belong to the format but affect SQLite. An untrusted file may contain a trigger that changes
/// documents whenever one is saved, a view instead of a table whose query never ends, or a table with a column whose expression never ends.
///
/// Views are never executed: connections disable them (``Connection``). Triggers that do not belong to the format are removed before the
/// first write. A file is rejected if a table of the format has a definition that does not belong to the format, because columns and
/// constraints cannot be removed without writing the table again. Tables of other programs are kept.
struct ForeignSchema {
    /// The names of triggers on tables of the format that do not belong to the format.
    private(set) var triggers: [String] = []
    /// The names of all views. The format has none.
    private(set) var views: [String] = []
    /// The names of virtual tables that have the name of a data table.
    private var virtualTables: [String] = []
    /// The definitions of ordinary tables that have the name of a table of the format.
    private var tables: [(name: String, sql: String)] = []

    init(_ connection: Connection) throws(SQLiteError) {
        let statement = try connection.prepare(
            """
            SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master WHERE type IN ('trigger', 'view', 'table')
            """
        )
        defer { statement.finalize() }
        while try statement.step() {
            let (name, table) = (statement.text(at: 1), statement.text(at: 2))
            switch statement.text(at: 0) {
            case "view": views.append(name)
            case "table" where Self.isOfFormat(name):
                if statement.int64(at: 4) != 0 {
                    tables.append((name, statement.optionalText(at: 3) ?? ""))
                } else if !IndexTables.isIndexTable(name) {
                    virtualTables.append(name)
                }
            case "trigger" where Self.isOfFormat(table):
                let sql = statement.optionalText(at: 3) ?? ""
                let isKnown =
                    IndexTrigger.isOne(sql, name: name, on: table) || VectorIndexTables.isTrigger(sql, name: name, on: table)
                if !isKnown { triggers.append(name) }
            default: break
            }
        }
    }

    /// The names of tables of the format whose definitions do not belong to the format.
    var changedTables: [String] { tables.filter { !TableDefinition.isOne($0.sql, of: $0.name) }.map { $0.name } }

    /// Returns whether the name is one of a table of the format. SQLite compares table names without the case of ASCII letters.
    private static func isOfFormat(_ table: String) -> Bool {
        let name = table.asciiLowercased
        return name.utf8.starts(with: "kv_".utf8) || name == "kvmeta" || name == "indexes" || name == VectorIndexTables.registry
            || IndexTables.isHashedName(name)
    }

    /// - Throws: `wrongFormat` if a view or a virtual table has the name of a table of the format, or if the definition of a table does not
    ///   belong to the format.
    func checkTables(of bundle: BundlePath) throws(StoreError) {
        if let view = views.first(where: Self.isOfFormat) {
            throw .wrongFormat(path: bundle.directory, reason: "\"\(view)\" in it is a view, but must be a table")
        }
        if let table = virtualTables.first {
            throw .wrongFormat(path: bundle.directory, reason: "\"\(table)\" in it is a virtual table")
        }
        if let table = changedTables.first {
            throw .wrongFormat(path: bundle.directory, reason: "\"\(table)\" in it has \(Self.changes)")
        }
    }

    /// What a table in ``changedTables`` has.
    static let changes = "a constraint, generated column or default expression of another program"

    /// Removes the triggers that do not belong to the format, and returns their names. Must be called before the first write.
    ///
    /// - Throws: `wrongFormat` if one cannot be removed. Nothing may be written then.
    static func removeTriggers(on connection: Connection, of bundle: BundlePath) throws -> [String] {
        guard try !ForeignSchema(connection).triggers.isEmpty else { return [] }
        // Checked again with the file locked, because another process may have removed them already.
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

/// Recognizes the definitions of the tables of the format (Storage format 2.4, "Definitions of tables").
///
/// The text is not compared, because it differs between releases, and later releases may add columns. A definition belongs to the format if
/// SQLite evaluates nothing because of it: no constraint, no generated column and no default that is an expression.
enum TableDefinition {
    /// Keywords of parts that contain expressions. Without quotation marks, they cannot be names.
    private static let evaluating: Set<ExactString> = ["AS", "CHECK"]
    /// Keywords of parts that change how rows are compared, or what happens to rows of other tables.
    private static let comparing: Set<ExactString> = ["COLLATE", "FOREIGN", "ON", "REFERENCES"]

    /// Returns whether the definition of an ordinary table belongs to the format.
    static func isOne(_ sql: String, of table: String) -> Bool {
        guard let tokens = SQLTokens(sql, skipsComments: true)?.tokens else { return false }
        let name = table.asciiLowercased
        // Tables of array indexes refer to their parents. Full-text indexes have tables that SQLite defines.
        let isOfIndex = IndexTables.isIndexTable(name) || IndexTables.isHashedName(name)
        for (index, token) in tokens.enumerated() {
            guard case .word(let word) = token else { continue }
            let keyword = word.asciiUppercased
            if evaluating.contains(keyword) || !isOfIndex && comparing.contains(keyword) { return false }
            if keyword == "DEFAULT", index + 1 < tokens.count, tokens[index + 1] == .mark(UInt8(ascii: "(")) { return false }
        }
        return true
    }
}
