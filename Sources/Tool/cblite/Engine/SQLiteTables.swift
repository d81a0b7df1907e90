import Base
import SQLiteEngine

/// The tables and views of an SQLite file.
struct SQLiteTables {
    /// A table or a view.
    struct Entry {
        let name: String
        let isView: Bool
        /// Whether the table contains the data of a virtual table, such as a full-text index, which has an entry of its own.
        let isShadow: Bool

        var kind: String { isView ? "view" : "table" }
    }

    /// In the order of their creation, without the tables of SQLite itself.
    let entries: [Entry]

    /// The names for people, without shadow tables.
    var names: [String] { entries.filter { !$0.isShadow }.map(\.name) }

    init(_ connection: Connection) throws {
        func names(_ kind: String) throws -> [String] {
            try connection.texts(
                #"SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY rowid"#,
                kind
            )
        }
        let list = try connection.texts("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = ?", "shadow")
        let shadows = Set(list.map { ExactString($0) })
        entries =
            try names("table").map { Entry(name: $0, isView: false, isShadow: shadows.contains(ExactString($0))) }
            + names("view").map { Entry(name: $0, isView: true, isShadow: false) }
    }

    /// Returns the table or view of a name, whatever the case of its letters, as SQLite finds it.
    ///
    /// - Throws: ``Failure`` if there is none.
    func entry(named name: String, of path: String) throws -> Entry {
        if let entry = entries.first(where: { $0.name.lowercased() == name.lowercased() }) { return entry }
        let question = Suggestion.question(name, among: names).map { $0 + " " } ?? ""
        throw Failure(
            .notFound,
            "there is no table \"\(name)\" in \(path)",
            hint: "\(question)Tables and views of the file: \(names.joined(separator: ", "))"
        )
    }

    /// Returns the tables and views of a file, without shadow tables, each with the collection for it: that of the same name, in which `_` replaces characters that
    /// names of collections cannot have.
    ///
    /// - Throws: ``Failure`` if there are none, a view cannot be read, or two have the same collection; `SQLiteError` if the file is not a
    ///   database.
    static func collections(of path: String, includingViews: Bool) throws -> [(table: String, collection: CollectionName)] {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.closeLoggingErrors() }
        var found: [(table: String, collection: CollectionName)] = []
        for entry in try SQLiteTables(connection).entries where !entry.isShadow && (includingViews || !entry.isView) {
            let collection = try CollectionName(collectionName(entry.name))
            if let other = found.first(where: { $0.collection.name.lowercased() == collection.name.lowercased() }) {
                throw Failure(
                    .badData,
                    "\(path): \"\(other.table)\" and \"\(entry.name)\" would both be imported into the collection \(collection.name)",
                    hint: "Import one after the other with --table NAME --collection NAME."
                )
            }
            // Before anything is imported. Reading it can fail nevertheless.
            if entry.isView { _ = try SQLiteRows(path, entry) }
            found.append((entry.name, collection))
        }
        guard !found.isEmpty else { throw Failure(.notFound, "there are no tables in \(path)") }
        return found
    }

    private static func collectionName(_ table: String) -> String {
        let name = String(table.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "_-%".contains($0) ? $0 : "_" })
        let rest = name.drop { $0 == "_" || $0 == "%" }
        return rest.isEmpty ? "table" : String(rest)
    }
}
