import DocumentStore
import QueryLanguage
import SQLiteEngine

/// A table with the elements of an array, one per row. Triggers update it when the table that contains the array changes: the documents'
/// table or, for an array inside elements, the table of those elements (Storage format 5.5).
struct ArrayTable {
    /// The name in the registry.
    let registeredName: String
    /// The name in the file.
    var name: String { IndexTables.hashedName(registeredName) }

    /// The name of the table whose column `body` contains the array.
    private let parent: String
    private let path: PropertyPath
    /// Whether the parent is the documents' table, which may contain deleted documents.
    let isFirst: Bool

    /// Returns the tables for the levels of a path, the outermost first.
    static func levels(of path: ArrayIndexPath, on collection: CollectionStore) -> [ArrayTable] {
        var parent = collection.tables.liveName
        return path.levels.indices.map { level in
            let text = path.levels[...level].map(\.encoded).joined(separator: IndexTables.levelMark)
            let table = ArrayTable(
                registeredName: registeredName(forPath: text, documents: collection.tables.liveName),
                parent: parent,
                path: path.levels[level],
                isFirst: level == 0
            )
            parent = table.name
            return table
        }
    }

    /// Returns the registry's name of the table for a path in its canonical form.
    static func registeredName(forPath path: String, documents: String) -> String {
        "\(documents)\(IndexTables.unnestMark)\(StoreName.mangled(path))"
    }

    /// Returns the path in a name of ``registeredName(forPath:documents:)``; `nil` if the name has another form.
    static func path(ofRegisteredName name: String) -> String? {
        guard let start = name.firstRange(of: IndexTables.unnestMark)?.upperBound else { return nil }
        var path = ""
        var characters = name[start...]
        while let character = characters.popFirst() {
            guard character == "\\", let next = characters.popFirst() else {
                path.append(character)
                continue
            }
            // A backslash before a capital letter was added to the table name; any other belongs to the path.
            if !("A"..."Z").contains(next) { path.append(character) }
            path.append(next)
        }
        return path
    }

    func exists(on connection: Connection) throws -> Bool { try RegistryTable.hasTable(name, on: connection) }

    /// Returns whether the table was created by exactly the statement of Couchbase Lite, which otherwise would try to create the table
    /// again (Storage format 5.8).
    func isUnchanged(on connection: Connection) throws -> Bool { try RegistryTable.sql(ofTable: name, on: connection) == statement }

    private var statement: String {
        "CREATE TABLE \(name.quotedIdentifier) (docid INTEGER NOT NULL REFERENCES \(SQLText.identifier(parent))(rowid),  "
            + "i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))"
    }

    /// Creates the table and its triggers, and fills it from the rows of its parent.
    func create(on connection: Connection, _ progress: IndexProgress = .none) throws {
        let table = name.quotedIdentifier
        try connection.execute(statement)
        try fill(on: connection, progress)
        let insert = "BEGIN \(insertion); END"
        let delete = "BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END"
        guard isFirst else {
            try trigger("ins", "AFTER INSERT", insert, on: connection)
            try trigger("del", "BEFORE DELETE", delete, on: connection)
            return
        }
        try trigger("ins", "AFTER INSERT", when: "(new.flags & 1) = 0", insert, on: connection)
        try trigger("del", "BEFORE DELETE", when: "(old.flags & 1) = 0", delete, on: connection)
        try trigger("preupdate", "BEFORE UPDATE OF body, flags", when: "(old.flags & 1) = 0", delete, on: connection)
        try trigger("postupdate", "AFTER UPDATE OF body, flags", when: "(new.flags & 1 = 0)", insert, on: connection)
    }

    private func fill(on connection: Connection, _ progress: IndexProgress) throws {
        let all = "\(insertionHead) \(elementRows(of: parent))"
        let table = parent.quotedIdentifier
        guard progress.isWanted, let first = try connection.scalar("SELECT min(rowid) FROM \(table)"),
            let last = try connection.scalar("SELECT max(rowid) FROM \(table)")
        else { return try connection.execute(all) }
        // How many elements an array has is not known, so the rows are counted: a statement reads some thousand of them, and in a file with
        // large gaps between the numbers of its rows a thousandth.
        let distance = first.distanceUnsigned(to: last)
        guard distance > Self.rowsPerStatement else { return try connection.execute(all) }
        let step = max(Self.rowsPerStatement, distance / 1_000)
        let statement = try connection.prepare("\(all) \(isFirst ? "AND" : "WHERE") new.rowid BETWEEN ?1 AND ?2")
        defer { statement.finalize() }
        var done: UInt64 = 0
        while done <= distance {
            let end = min(done.addingReportingOverflow(step).partialValue - 1, distance)
            try statement.bind(first &+ Int64(bitPattern: done), at: 1)
            try statement.bind(first &+ Int64(bitPattern: end), at: 2)
            try statement.run()
            statement.reset()
            guard end < distance else { return }
            done = end + 1
            try progress.reached(Double(done) / Double(distance))
        }
    }

    private static let rowsPerStatement: UInt64 = 5_000

    /// Returns the statement that computes all rows of the table from the rows of its parent.
    func elementRows(of parent: String) -> String {
        let filter = isFirst ? " WHERE (new.flags & 1) = 0" : ""
        return "\(Self.selection) FROM \(parent.quotedIdentifier) AS new, \(elements)\(filter)"
    }

    private static let selection = "SELECT new.rowid, _each.rowid, _each.value"

    private var insertionHead: String { "INSERT INTO \(name.quotedIdentifier) (docid, i, body)" }

    private var insertion: String { "\(insertionHead) \(Self.selection) FROM \(elements)" }

    private var elements: String { "fl_each(new.body, \(path.encoded.quotedLiteral)) AS _each" }

    private func trigger(
        _ suffix: String,
        _ event: String,
        when condition: String? = nil,
        _ body: String,
        on connection: Connection
    ) throws {
        let when = condition.map { " WHEN \($0)" } ?? ""
        let trigger = "\(name)::\(suffix)".quotedIdentifier
        try connection.execute("CREATE TRIGGER \(trigger) \(event) ON \(parent.quotedIdentifier)\(when) \(body)")
    }
}

extension Int64 {
    /// Returns how much larger another number is, which is not less.
    fileprivate func distanceUnsigned(to other: Int64) -> UInt64 { UInt64(bitPattern: other) &- UInt64(bitPattern: self) }
}
