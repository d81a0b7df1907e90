import Base
import DocumentStore
import Fleece
import QueryLanguage
import SQLiteEngine

/// Finds out whether the keys that a query can read from an index are exactly the values that the query would compute from the documents
/// (Storage format 5.10).
struct IndexKeyCheck: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        /// An index, with the statement that has created it and the kinds of its columns and of its condition.
        case index(name: String, statement: String, keys: [Key], onElements: Bool)
        /// The elements in the table of an array index; `path` is that of the array in the rows of the parent.
        case elements(parent: String, path: String)
    }

    struct Key: Hashable, Sendable {
        let sql: String
        let kind: IndexKey
    }

    let table: String
    /// The store of the collection.
    let store: String
    let subject: Subject
    /// What was examined, for the history of the file.
    private let identifier: String

    init(table: String, store: String, subject: Subject) {
        (self.table, self.store, self.subject) = (table, store, subject)
        identifier =
            switch subject {
            case .index(let name, let statement, _, _): "index \(name): \(statement)"
            case .elements(let parent, let path): "elements \(table): \(parent) \(path)"
            }
    }

    /// Returns the checks for a query that SQLite runs by a plan.
    static func all(for query: CompiledQuery, on connection: Connection) throws -> [IndexKeyCheck] {
        var checks = try query.sources.flatMap { try indexes(on: $0.liveTable, $0.storeName, connection) }
        for use in query.predictionTables { checks += try indexes(on: use.table, use.store, connection) }
        for use in query.arrayTables { checks += try indexes(on: use.table, use.store, isArrayTable: true, connection) }
        if !checks.isEmpty {
            let steps = try PlanNode.plan(of: query.sql, on: connection).map(\.detail)
            checks = checks.filter { check in
                guard case .index(let name, _, let keys, let onElements) = check.subject else { return true }
                let isUsed = steps.contains { !$0.utf8.ranges(of: " INDEX \(name)".utf8).isEmpty }
                guard isUsed, onElements, keys.allSatisfy({ $0.kind == .exact || $0.kind == .element }) else { return isUsed }
                // Which key null has makes no difference if no use of the table returns it.
                return query.arrayTables.contains { $0.table.isExactly(check.table) && !$0.rejectsNull }
            }
        }
        return checks
            + query.arrayTables.filter { !$0.selectsPlainValues }.map {
                IndexKeyCheck(table: $0.table, store: $0.store, subject: .elements(parent: $0.parent, path: $0.path))
            }
    }

    /// Returns checks of the indexes on a table that may contain other keys.
    private static func indexes(
        on table: String,
        _ store: String,
        isArrayTable: Bool = false,
        _ connection: Connection
    ) throws -> [IndexKeyCheck] {
        let statement = try connection.cachedStatement(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND instr(sql, '(body')"
        )
        defer { statement.resetAndClear() }
        try statement.bindText(table, at: 1)
        var checks: [IndexKeyCheck] = []
        while try statement.step() {
            let sql = statement.text(at: 1)
            let parts = IndexStatement(sql)
            let keys = (parts.columns + [parts.condition].compactMap(\.self)).map { Key(sql: $0, kind: IndexKey($0)) }
            guard keys.contains(where: { $0.kind != .exact }) else { continue }
            let subject = Subject.index(name: statement.text(at: 0), statement: sql, keys: keys, onElements: isArrayTable)
            checks.append(IndexKeyCheck(table: table, store: store, subject: subject))
        }
        return checks
    }

    // MARK: Checking

    /// Returns whether the keys are exact in the snapshot of a connection. Fast if this is known from an earlier snapshot.
    func isExact(on context: ConnectionContext) throws -> Bool {
        // What the open transaction has written is not known to the history.
        guard let file = context.file, !(file.isInTransaction && context.evaluation.hasDifferingKeys) else {
            return try hasExactKeys(on: context)
        }
        let history = file.indexKeyHistory
        let version = try context.schemaVersion
        let last = try Self.lastSequence(of: store, on: context.connection)
        if let isExact = history.isExact(identifier, in: store, version: version, lastSequence: last) { return isExact }
        let reportCount = history.reportCount
        let isExact = try hasExactKeys(on: context)
        // The changes of an open transaction have no sequence yet.
        if !file.isInTransaction {
            history.record(isExact, identifier, version: version, lastSequence: last, reportCount: reportCount)
        }
        return isExact
    }

    private static func lastSequence(of store: String, on connection: Connection) throws -> UInt64 {
        let statement = try connection.cachedStatement("SELECT lastSeq FROM kvmeta WHERE name = ?")
        defer { statement.resetAndClear() }
        try statement.bindText(store, at: 1)
        return try statement.step() ? UInt64(clamping: statement.int64(at: 0)) : 0
    }

    private func hasExactKeys(on context: ConnectionContext) throws -> Bool {
        // Computing keys reports those that differ, but these are not written.
        let hadDifferingKeys = context.evaluation.hasDifferingKeys
        defer { context.evaluation.hasDifferingKeys = hadDifferingKeys }
        switch subject {
        case .elements(let parent, let path):
            let element = "fl_indexed_element(t.body, t.i, parent.body, \(SQLText.literal(path)))"
            return try !Self.hasRow(
                "\(table.quotedIdentifier) AS t JOIN \(parent.quotedIdentifier) AS parent ON parent.rowid = t.docid "
                    + "WHERE typeof(t.body) = 'integer' AND t.body < 0 AND fl_is_unsigned(\(element))",
                on: context.connection
            )
        case .index(let name, let statement, let keys, _):
            // A column that is not the first one is read from the index too. SQLite does not see that it can use a partial index for some
            // conditions.
            let partial = IndexStatement(statement).condition
            let rows = table.quotedIdentifier + (partial == nil ? " INDEXED BY \(name.quotedIdentifier)" : "") + " WHERE "
            let condition = partial.map { " AND (\($0))" } ?? ""
            for key in keys {
                guard let difference = key.difference else { continue }
                if try Self.hasRow(rows + difference + condition, on: context.connection) { return false }
            }
            let others = keys.compactMap(\.compared).map { "(\($0))" }
            return try others.isEmpty || Self.areEqual(others.joined(separator: ", "), in: table, on: context)
        }
    }

    private static func hasRow(_ rows: String, on connection: Connection) throws -> Bool {
        let statement = try connection.prepare("SELECT 1 FROM \(rows) LIMIT 1")
        defer { statement.finalize() }
        return try statement.step()
    }

    /// Returns whether expressions have the same values as keys and in queries, for each row of a table.
    private static func areEqual(_ expressions: String, in table: String, on context: ConnectionContext) throws -> Bool {
        let sql = "SELECT \(expressions) FROM \(table.quotedIdentifier) NOT INDEXED ORDER BY rowid"
        let keys = try context.connection.prepare(sql)
        defer { keys.finalize() }
        let values = try context.connection.prepare(sql)
        defer { values.finalize() }
        while try keys.step() {
            guard try values.step(ofQueryOn: context) else { return false }
            for column in 0..<keys.columnCount where !keys.isEqual(to: values, column) { return false }
        }
        return true
    }
}

extension IndexKeyCheck.Key {
    /// The expression without its direction in the index.
    fileprivate var expression: String { sql.hasSuffix(" DESC") ? String(sql.dropLast(5)) : sql }

    /// What must be compared for every row: the expression, or the input of a model, which is not called; `nil` for other keys.
    fileprivate var compared: String? {
        switch kind {
        case .other: expression
        case .prediction(let key): key.input
        case .exact, .property, .caseMapping, .element: nil
        }
    }

    /// The condition for rows whose key differs, which the index finds fast; `nil` if there are none, or if they cannot be found so.
    fileprivate var difference: String? {
        switch kind {
        case .exact, .other: nil
        case .property(let path): "\(expression) >= \(Int64.min) AND \(expression) < 0 AND fl_is_unsigned(body, \(path))"
        case .caseMapping(let function, let argument): "\(expression) = '' AND \(function)(\(argument)) != ''"
        case .element: "\(expression) IS NULL"
        case .prediction(let key): key.difference(from: expression)
        }
    }
}

extension Statement {
    /// Moves to the next row, while functions compute what queries return, and not the keys of indexes.
    func step(ofQueryOn context: ConnectionContext) throws(SQLiteError) -> Bool {
        let wasAnswering = context.evaluation.isAnsweringQuery
        context.evaluation.isAnsweringQuery = true
        defer { context.evaluation.isAnsweringQuery = wasAnswering }
        return try step()
    }

    /// Returns whether a column has the same value, of the same type, as in another statement.
    fileprivate func isEqual(to other: Statement, _ column: Int) -> Bool {
        let type = columnType(column)
        guard type == other.columnType(column) else { return false }
        return switch type {
        case .null: true
        case .integer: int64(at: column) == other.int64(at: column)
        case .real: double(at: column).bitPattern == other.double(at: column).bitPattern
        case .text: compareBytes(textBytes(at: column), other.textBytes(at: column)) == 0
        case .blob: compareBytes(blob(at: column), other.blob(at: column)) == 0
        }
    }
}
