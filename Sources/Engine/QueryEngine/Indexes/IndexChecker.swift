import Base
import DocumentStore
import SQLiteEngine

/// Compares the index tables of a collection with its documents (Storage format 5.4, 5.8, 5.11).
///
/// SQLite's integrity check verifies the keys of SQL indexes, including those on array tables, but cannot verify the contents of the
/// tables.
struct IndexChecker {
    private let collection: CollectionStore
    private let connection: Connection
    private let context: ConnectionContext

    init(_ collection: CollectionStore, on context: ConnectionContext) {
        (self.collection, self.context, connection) = (collection, context, context.connection)
    }

    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        var checkedTables: Set<ExactString> = []
        for index in try RegistryTable.rows(of: collection, on: connection) {
            var problems: [String]
            do {
                problems = try self.problems(of: index, &checkedTables)
            } catch let error as SQLiteError where error.isOfUnreadableTable {
                problems = [error.unreadableTable]
            }
            let subject = "index \"\(index.name)\" of \(collection.id.fullName)"
            findings += problems.map { Finding(severity: .error, kind: .index, subject: subject, message: $0) }
        }
        for (name, problems) in try problemsOfVectorIndexes() {
            // The documents are intact, and reindexing repairs the index.
            let subject = "index \"\(name)\" of \(collection.id.fullName)"
            findings += problems.map { Finding(severity: .warning, kind: .index, subject: subject, message: $0) }
        }
        return findings
    }

    private func problems(of index: IndexInfo, _ checkedTables: inout Set<ExactString>) throws -> [String] {
        switch index.kind {
        case .value:
            let isMissing = try RegistryTable.sql(ofIndex: index.storedName, on: connection) == nil
            return isMissing ? ["it is registered but missing in the file"] : []
        case .array: return try problemsOfArrayIndex(index, &checkedTables)
        case .fullText: return try problemsOfFullTextIndex(index)
        case .predictive: return try problemsOfPredictiveIndex(index, &checkedTables)
        case .vector, nil: return []
        }
    }

    // MARK: Vector indexes

    /// Returns the problems of each vector index by its name.
    private func problemsOfVectorIndexes() throws -> [(name: String, problems: [String])] {
        let store = collection.tables.store
        let entries = try VectorRegistry.entries(of: store, on: connection)
        let unreadable = ["its definition cannot be read; create it again"]
        return try VectorRegistry.names(of: store, on: connection).map { name in
            guard let entry = entries.first(where: { $0.name.isExactly(name) }),
                let checker = try? VectorIndexChecker(entry, of: collection, on: context)
            else { return (name, unreadable) }
            return (name, try checker.problems())
        }
    }

    // MARK: Array indexes

    private func problemsOfArrayIndex(_ index: IndexInfo, _ checked: inout Set<ExactString>) throws -> [String] {
        guard let text = index.arrayPath, let path = try? ArrayIndexPath(text) else {
            return ["the name of its table contains no valid array path"]
        }
        var problems: [String] = []
        if try RegistryTable.sql(ofIndex: index.storedName, on: connection) == nil {
            problems.append("it is registered but missing in the file")
        }
        var parent = collection.tables.liveName
        for table in ArrayTable.levels(of: path, on: collection) {
            // In releases before 3.2.1, the table has the plain name.
            guard
                let name = try [table.name, table.registeredName].first(where: {
                    try RegistryTable.hasTable($0, on: connection)
                })
            else { return problems + ["its table \(table.registeredName) is missing"] }
            defer { parent = name }
            // Indexes with the same path share the table.
            guard checked.insert(ExactString(name)).inserted else { continue }
            problems += try missingTriggers(of: name, table.isFirst ? ["ins", "del", "preupdate", "postupdate"] : ["ins", "del"])
            let wanted = table.elementRows(of: parent)
            problems += try difference(
                between: wanted.replacing("_each.value", with: "_each.value, typeof(_each.value)"),
                and: "SELECT docid, i, body, typeof(body) FROM \(name.quotedIdentifier)",
                "elements",
                in: table.registeredName
            )
        }
        return problems
    }

    // MARK: Full-text indexes

    private func problemsOfFullTextIndex(_ index: IndexInfo) throws -> [String] {
        guard let table = index.table, let statement = try RegistryTable.sql(ofTable: table, on: connection) else {
            return ["its table is missing"]
        }
        // What it should contain is not known before it is rebuilt.
        if try context.outdatedIndexes().fullTextTables.contains(table) { return [] }
        // An index with expressions that this library cannot parse is not checked.
        guard let specification = try? index.fullTextSpecification,
            let layout = try? FullTextIndexLayout(specification, FullTextIndexOptions(), on: collection)
        else { return [] }
        // An index of 2.0 or 2.1 has a single trigger for updates.
        let hasOldTrigger = try RegistryTable.hasTrigger("\(table)::upd", on: connection)
        var problems = try missingTriggers(of: table, hasOldTrigger ? ["ins", "del", "upd"] : ["ins", "del", "preupdate", "postupdate"])
        let rows = try FullTextRowComparison(
            wanted: "\(try layout.indexedRows) ORDER BY new.rowid",
            stored: "SELECT docid, \(layout.columnList) FROM \(table.quotedIdentifier) ORDER BY docid",
            on: connection
        )
        problems += differences(rows.missing, rows.extra, "documents", in: table)
        let terms = FullTextTermCount(table: table, statement: statement, columns: layout.columnList, on: connection)
        if let term = try terms.difference() {
            problems.append("its terms do not match its texts, for example \"\(term)\"")
        }
        return problems
    }

    // MARK: Predictive indexes

    /// Compares the table with the documents. Which outputs it should contain is not checked, because that needs the model.
    private func problemsOfPredictiveIndex(_ index: IndexInfo, _ checked: inout Set<ExactString>) throws -> [String] {
        guard let table = index.table, try RegistryTable.hasTable(table, on: connection) else { return ["its table is missing"] }
        var problems: [String] = []
        if let layout = try? PredictiveIndexLayout(index, on: collection), layout.hasProperties,
            try RegistryTable.sql(ofIndex: index.storedName, on: connection) == nil
        {
            problems.append("it is registered but missing in the file")
        }
        // Indexes with the same model and input share the table.
        guard checked.insert(ExactString(table)).inserted else { return problems }
        problems += try missingTriggers(of: table, ["ins", "del", "preupdate", "postupdate"])
        let live = "SELECT rowid FROM \(collection.tables.liveName.quotedIdentifier) WHERE (flags & 1) = 0"
        let extra = try count("SELECT docid FROM \(table.quotedIdentifier) WHERE docid NOT IN (\(live))")
        if extra > 0 { problems.append("the table \(table) contains the outputs for \(extra) documents that do not exist") }
        return problems
    }

    // MARK: Helpers

    private func missingTriggers(of table: String, _ suffixes: [String]) throws -> [String] {
        try suffixes.map { "\(table)::\($0)" }.filter { try !RegistryTable.hasTrigger($0, on: connection) }
            .map { "its trigger \($0) is missing" }
    }

    private func count(_ rows: String) throws -> Int64 {
        let statement = try connection.prepare("SELECT count(*) FROM (\(rows))")
        defer { statement.finalize() }
        return try statement.step() ? statement.int64(at: 0) : 0
    }

    private func difference(between wanted: String, and stored: String, _ what: String, in table: String) throws -> [String] {
        let missing = try count("\(wanted) EXCEPT \(stored)")
        let extra = try count("\(stored) EXCEPT \(wanted)")
        return differences(missing, extra, what, in: table)
    }

    private func differences(_ missing: Int64, _ extra: Int64, _ what: String, in table: String) -> [String] {
        guard missing > 0 || extra > 0 else { return [] }
        return ["the table \(table) lacks \(missing) \(what) and contains \(extra) that are outdated"]
    }
}

extension SQLiteError {
    /// Whether a statement that reads an index has failed because of what the table is, and not because of a call of a predictive model.
    var isOfUnreadableTable: Bool { isOfStatement && !isOfPrediction }

    /// What is wrong with an index after this error.
    var unreadableTable: String { "a table of it cannot be read: \(message)" }
}
