package import DocumentStore
import LogCore
import SQLiteEngine
import Synchronization

/// A query that has been compiled for a database and can be run any number of times, by any number of threads.
///
/// What it is compiled to names tables and depends on which indexes there are. So it is compiled anew for a run that finds the schema
/// changed since.
package final class PreparedQuery: Sendable {
    /// The query, as it was written.
    package let select: Select
    /// The name under which the query may speak of the default collection.
    let databaseName: String
    private let tellsMatches: Bool

    /// What the query is compiled to, and of which version of the schema that is.
    private struct Form {
        var compiled: CompiledQuery
        var schemaVersion: Int64
    }
    private let form: Mutex<Form>

    /// Compiles a query.
    ///
    /// - Parameter tellsMatches: Whether the rows of a full-text query are to tell where the terms stand, which takes time for each.
    /// - Throws: ``QueryError`` when the query makes no sense.
    package init(_ select: Select, on file: DatabaseFile, databaseName: String, tellsMatches: Bool = false) throws {
        self.select = select
        self.databaseName = databaseName
        self.tellsMatches = tellsMatches
        form = Mutex(
            try file.read { context in
                try context.inOneView {
                    try Self.form(of: select, on: file, context, databaseName, tellsMatches: tellsMatches).form
                }
            }
        )
        EngineLog.log(.verbose, .query, "compiled \(QueryJSON.text(of: select)) to \(compiled.sql)")
    }

    /// The query as SQL, as it was compiled last.
    package var compiled: CompiledQuery { form.withLock { $0.compiled } }

    /// Compiles a query for the schema in the view that the connection has, and finds out what only SQLite can say of it.
    private static func form(
        of select: Select,
        on file: DatabaseFile,
        _ context: ConnectionContext,
        _ databaseName: String,
        tellsMatches: Bool
    ) throws -> (form: Form, statement: Statement) {
        let version = try schemaVersion(on: context)
        let compiled = try QueryCompiler.compile(
            select,
            resolver: StoreResolver(file: file, databaseName: databaseName),
            includesMatchInformation: tellsMatches
        )
        let statement = try statement(compiled.sql, on: context)
        return (Form(compiled: compiled, schemaVersion: version), statement)
    }

    private static func schemaVersion(on context: ConnectionContext) throws -> Int64 {
        try context.connection.scalar("PRAGMA schema_version") ?? 0
    }

    /// The query compiled for the schema in the view that the connection has.
    private func current(on file: DatabaseFile, _ context: ConnectionContext) throws -> (CompiledQuery, Statement) {
        let version = try Self.schemaVersion(on: context)
        let known = form.withLock { $0.schemaVersion == version ? $0.compiled : nil }
        // After a transaction that was rolled back the same version may be of another schema, to which the statement may not fit.
        if let known, let statement = try? Self.statement(known.sql, on: context) { return (known, statement) }
        let made = try Self.form(of: select, on: file, context, databaseName, tellsMatches: tellsMatches)
        form.withLock { $0 = made.form }
        return (made.form.compiled, made.statement)
    }

    /// Runs the query in one view of the database, and records all rows.
    ///
    /// - Parameter cancellation: Can end the run before its time.
    /// - Throws: ``QueryError`` for a parameter the query does not have, and when a function refuses its arguments; what SQLite
    ///   reports of the file; `CancellationError`.
    package func run(
        on file: DatabaseFile,
        parameters: QueryParameters = QueryParameters(),
        cancellation: QueryCancellation? = nil
    ) throws -> RecordedRows {
        try file.read { context in
            try context.inOneView {
                try rows(on: file, context, parameters: parameters, cancellation: cancellation)
            }
        }
    }

    /// Runs the query in the view that the connection has.
    func rows(
        on file: DatabaseFile,
        _ context: ConnectionContext,
        parameters: QueryParameters,
        cancellation: QueryCancellation?
    ) throws -> RecordedRows {
        guard let cancellation else { return try rows(on: file, context, parameters) }
        return try cancellation.run(on: context.connection) { try rows(on: file, context, parameters) }
    }

    private func rows(on file: DatabaseFile, _ context: ConnectionContext, _ parameters: QueryParameters) throws -> RecordedRows {
        let (compiled, statement) = try current(on: file, context)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        try parameters.bind(to: statement, of: compiled)
        var recorder = RowRecorder(compiled)
        do {
            try FullTextQueryMark.whileRunningQuery {
                while try statement.step() { try recorder.record(statement) }
            }
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
        let (compiled, nodes) = try file.read { context in
            try context.inOneView {
                let (compiled, _) = try current(on: file, context)
                return (compiled, try PlanNode.plan(of: compiled.sql, on: context.connection))
            }
        }
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
    /// What an error says of the query, if it does: whatever makes no sense to SQLite has its plain code for errors, 1. What exceeds
    /// its limits has others.
    init?(_ error: SQLiteError) {
        if error.extendedCode == 1 {
            self.init(.invalidQuery, error.message)
        } else if error.isTooBig {
            self.init(.invalidQuery, "the query, or a text or BLOB that it computes, is longer than a billion bytes")
        } else if error.isMismatch {
            self.init(.invalidQuery, "LIMIT and OFFSET need integers")
        } else {
            return nil
        }
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
