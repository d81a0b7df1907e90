package import DocumentStore
import LogCore
import SQLiteEngine

/// A query that has been compiled for a database and can be run any number of times, by any number of threads.
package final class PreparedQuery: Sendable {
    /// The query, as it was written.
    package let select: Select
    /// The query as SQL.
    package let compiled: CompiledQuery
    /// The name under which the query may speak of the default collection.
    let databaseName: String

    /// Compiles a query.
    ///
    /// - Parameter tellsMatches: Whether the rows of a full-text query are to tell where the terms stand, which takes time for each.
    /// - Throws: ``QueryError`` when the query makes no sense.
    package init(
        _ select: Select,
        on file: DatabaseFile,
        databaseName: String,
        tellsMatches: Bool = false
    ) throws {
        self.select = select
        self.databaseName = databaseName
        compiled = try QueryCompiler.compile(
            select,
            resolver: StoreResolver(file: file, databaseName: databaseName),
            includesMatchInformation: tellsMatches
        )
        // Finds out now what only SQLite can say of the query.
        try file.read { context in _ = try Self.statement(compiled.sql, on: context) }
        EngineLog.log(.verbose, .query, "compiled \(QueryJSON.text(of: select)) to \(compiled.sql)")
    }

    /// Runs the query in one view of the database, and records all rows.
    ///
    /// - Throws: ``QueryError`` for a parameter the query does not have, and when a function refuses its arguments; what SQLite
    ///   reports of the file.
    package func run(on file: DatabaseFile, parameters: QueryParameters = QueryParameters()) throws -> RecordedRows {
        try file.read { context in
            try context.inOneView { try rows(on: context, parameters: parameters) }
        }
    }

    /// Runs the query in the view that the connection has.
    func rows(on context: ConnectionContext, parameters: QueryParameters) throws -> RecordedRows {
        let statement = try Self.statement(compiled.sql, on: context)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        try parameters.bind(to: statement, of: compiled)
        var recorder = RowRecorder(compiled)
        do {
            while try statement.step() { try recorder.record(statement) }
        } catch let error as SQLiteError {
            throw QueryError(error) ?? error
        }
        return recorder.finish()
    }

    /// The text of a property as the first full-text index of the query has it now; nil when the document has gone, or has no such
    /// text.
    ///
    /// - Parameter column: The number of the property in the index, as in ``RowMatches/Hit``.
    package func indexedText(of matches: RowMatches, column: Int, on file: DatabaseFile) throws -> String? {
        guard let table = compiled.fullTextTables.first else { return nil }
        return try file.read { context in
            let statement = try context.connection.prepare("SELECT * FROM \(table.quotedIdentifier) WHERE docid = ?")
            defer { statement.finalize() }
            try statement.bind(matches.documentNumber, at: 1)
            guard try statement.step(), column >= 0, column < statement.columnCount else { return nil }
            return statement.optionalText(at: column)
        }
    }

    /// How the query is run (Query 5.8): its SQL, the lines of SQLite's plan, and the query as JSON.
    package func explain(on file: DatabaseFile) throws -> String {
        let nodes = try file.read { try PlanNode.plan(of: compiled.sql, on: $0.connection) }
        let lines = nodes.map { "\($0.id)|\($0.parent)|\($0.unused)| \($0.detail)\n" }
        return "\(compiled.sql)\n\n\(lines.joined())\n\(QueryJSON.text(of: select))\n"
    }

    private static func statement(_ sql: String, on context: ConnectionContext) throws -> Statement {
        do throws(SQLiteError) {
            return try context.connection.cachedStatement(sql)
        } catch {
            throw QueryError(error) ?? error
        }
    }
}

extension QueryError {
    /// What an error says of the query, if it does: whatever makes no sense to SQLite has its plain code for errors, 1.
    init?(_ error: SQLiteError) {
        guard error.extendedCode == 1 else { return nil }
        self.init(.invalidQuery, error.message)
    }
}

extension ConnectionContext {
    /// Runs `body` in one view of the database, with the shared keys of just that view: SQL functions use them from the
    /// first row on.
    func inOneView<Result>(_ body: () throws -> Result) throws -> Result {
        // A statement that stands at a row keeps the view until it is reset.
        let anchor = try connection.cachedStatement("SELECT 1 FROM kv_info LIMIT 1")
        defer { anchor.reset() }
        _ = try anchor.step()
        try refreshSharedKeys()
        return try body()
    }
}
