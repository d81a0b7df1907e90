import Base
package import DocumentStore
package import QueryLanguage
import SQLiteEngine
import Synchronization

/// A query compiled for a database. It can be run any number of times, from several threads at once.
///
/// The SQL names tables and depends on the existing indexes, so a run compiles the query again if the schema has changed.
package final class PreparedQuery: Sendable {
    /// The syntax tree of the query.
    package let select: SelectStatement
    /// The database name, which a query can use as a name of the default collection.
    let databaseName: String
    private let reportsMatches: Bool

    /// The compiled query, and the version and the state of the indexes it was compiled for. An object, so that a run does not copy it.
    final class Form: Sendable {
        let query: ExactQuery
        let schemaVersion: Int64
        /// The indexes that were not current in the snapshot.
        let outdatedIndexes: OutdatedIndexes

        init(_ query: ExactQuery, schemaVersion: Int64, outdatedIndexes: OutdatedIndexes) {
            (self.query, self.schemaVersion, self.outdatedIndexes) = (query, schemaVersion, outdatedIndexes)
        }
    }

    private struct State {
        let form: Form
        /// A state of the file for which the checks of the query hold; `nil` if none is known.
        var checkedState: CommittedState?
        /// How rows are grouped without SQLite; `nil` if SQLite groups them.
        var grouping: GroupingPlan?
    }
    private let state: Mutex<State>

    /// Whether the query reads a whole collection row by row, and how several threads do it; see `PreparedQuery+Scan.swift`.
    struct KnownScan {
        var schemaVersion: Int64
        /// `nil` if one thread reads the rows.
        var scan: ParallelScan?
    }
    let knownScan = Mutex<KnownScan?>(nil)
    let scanThreshold: ParallelScan.Threshold

    /// Compiles a query.
    ///
    /// - Parameter reportsMatches: Whether the rows of a full-text query include the positions of the matched terms, which costs time for
    ///   each row. Default: `false`.
    /// - Throws: ``QueryError`` if the query is invalid; `SQLiteError` if reading the file fails.
    package convenience init(_ select: SelectStatement, on file: DatabaseFile, databaseName: String, reportsMatches: Bool = false) throws {
        try self.init(select, on: file, databaseName: databaseName, reportsMatches: reportsMatches, scanThreshold: .init())
    }

    /// - Parameter scanThreshold: The size from which several threads read a collection.
    package init(
        _ select: SelectStatement,
        on file: DatabaseFile,
        databaseName: String,
        reportsMatches: Bool = false,
        scanThreshold: ParallelScan.Threshold
    ) throws {
        self.select = select
        self.scanThreshold = scanThreshold
        self.databaseName = databaseName
        self.reportsMatches = reportsMatches
        state = Mutex(
            try file.readWithKeys { context in
                try Self.compile(select, on: file, context, databaseName, reportsMatches: reportsMatches).state
            }
        )
        EngineLog.log(.verbose, .query, "compiled \(QueryJSON.text(of: select)) to \(compiled.sql)")
    }

    /// The most recently compiled form of the query.
    package var compiled: CompiledQuery { form.query.compiled }

    private var form: Form { state.withLock { $0.form } }

    /// Returns the resolver with which the most recent form was compiled.
    func resolver(on file: DatabaseFile) -> StoreResolver {
        let query = form.query
        return StoreResolver(
            file: file,
            databaseName: databaseName,
            outdatedIndexes: query.outdatedIndexes,
            inexactIndexes: query.inexactIndexes
        )
    }

    /// Whether the next run groups the rows without SQLite.
    var hasGroupingPlan: Bool { state.withLock { $0.grouping != nil } }

    /// Compiles a query for the schema of the connection's snapshot, and prepares the statement, because some errors are detected only by
    /// SQLite.
    private static func compile(
        _ select: SelectStatement,
        on file: DatabaseFile,
        _ context: ConnectionContext,
        _ databaseName: String,
        reportsMatches: Bool,
        hasSlowPatterns: Bool = false
    ) throws -> (state: State, statement: Statement) {
        let version = try context.schemaVersion
        let outdated = try context.outdatedIndexes()
        func compile(_ resolver: StoreResolver) throws -> CompiledQuery {
            var compiled = try QueryCompiler.compile(
                select,
                resolver: resolver,
                includesMatchInformation: reportsMatches,
                hasSlowPatterns: hasSlowPatterns
            )
            if let ranked = try RankedSearch.statement(of: select, compiled, resolver, context, hasSlowPatterns: hasSlowPatterns) {
                compiled.sql = ranked
            }
            // Some errors are detected only by SQLite.
            _ = try statement(compiled.sql, on: context)
            return compiled
        }
        let query = try ExactQuery(StoreResolver(file: file, databaseName: databaseName), context) { resolver in
            let compiled = try compile(resolver)
            guard try resolver.outdatedIndexes.isEmpty && uses(outdated, compiled, context) else { return compiled }
            resolver.outdatedIndexes = outdated
            return try compile(resolver)
        }
        let resolver = StoreResolver(
            file: file,
            databaseName: databaseName,
            outdatedIndexes: query.outdatedIndexes,
            inexactIndexes: query.inexactIndexes
        )
        // Its statement could use other indexes than that of the query.
        let grouping = outdated.isEmpty ? try GroupingPlan(select, query.compiled, resolver: resolver, context) : nil
        let form = Form(query, schemaVersion: version, outdatedIndexes: outdated)
        return (State(form: form, grouping: grouping), try statement(query.compiled.sql, on: context))
    }

    /// Returns the query compiled for the schema of the connection's snapshot; compiles it only if the schema has changed.
    func current(on file: DatabaseFile, _ context: ConnectionContext) throws -> (Form, Statement) {
        let version = try context.schemaVersion
        let outdated = try context.outdatedIndexes()
        let (form, checkedState) = state.withLock { ($0.form, $0.checkedState) }
        // After a rollback, the same version number may belong to a different schema, for which preparing the statement can fail.
        if form.schemaVersion == version, form.outdatedIndexes == outdated,
            let statement = try? Self.statement(form.query.compiled.sql, on: context)
        {
            if form.query.checks.isEmpty { return (form, statement) }
            let state = context.connection.snapshotState
            if let state, state == checkedState { return (form, statement) }
            if try form.query.holds(on: context) {
                if let state { self.state.withLock { if $0.form === form { $0.checkedState = state } } }
                return (form, statement)
            }
        }
        let (new, statement) = try Self.compile(select, on: file, context, databaseName, reportsMatches: reportsMatches)
        state.withLock { $0 = new }
        knownScan.withLock { $0 = nil }
        return (new.form, statement)
    }

    /// Runs the query on one snapshot of the database, and copies all rows into memory. Blocks until the run ends.
    ///
    /// - Parameter cancellation: Cancels the run from another thread; `nil` if it need not be cancelled.
    /// - Throws: ``QueryError`` if the query has no parameter of a given name, or a function rejects its arguments; `SQLiteError` if
    ///   reading the file fails; `CancellationError` if the run is cancelled.
    package func run(
        on file: DatabaseFile,
        parameters: QueryParameters = QueryParameters(),
        cancellation: QueryCancellation? = nil
    ) throws -> RecordedRows {
        try file.readWithKeys { try rows(on: file, $0, parameters: parameters, cancellation: cancellation) }
    }

    /// Runs the query on the connection's snapshot.
    func rows(
        on file: DatabaseFile,
        _ context: ConnectionContext,
        parameters: QueryParameters,
        cancellation: QueryCancellation?
    ) throws -> RecordedRows {
        guard let cancellation else { return try rows(on: file, context, parameters, nil) }
        return try cancellation.run(on: context.connection) { try rows(on: file, context, parameters, cancellation) }
    }

    private func rows(
        on file: DatabaseFile,
        _ context: ConnectionContext,
        _ parameters: QueryParameters,
        _ cancellation: QueryCancellation?
    ) throws -> RecordedRows {
        if !select.grouping.isEmpty {
            let (form, _) = try current(on: file, context)
            if let plan = state.withLock({ $0.form === form ? $0.grouping : nil }) {
                if let rows = try groupedRows(plan, of: form.query.compiled, context, parameters) { return rows }
                // The next run would most likely read the rows in vain too.
                state.withLock { $0.grouping = nil }
            }
        }
        return try withStatement(on: file, context, parameters) { statement, compiled, makeRecorder in
            if compiled.rangeTable != nil,
                let rows = try parallelRows(of: compiled, on: file, context, parameters, cancellation)
            {
                return rows
            }
            var recorder = makeRecorder()
            while try statement.step(ofQueryOn: context) { try recorder.record(statement) }
            return recorder.finish()
        }
    }

    /// Runs the query on one snapshot of the database, and passes the rows on while it reads them, a few hundred at a time, so that a result of
    /// any size takes little memory. The snapshot and a connection are in use until the function returns.
    ///
    /// - Parameter body: Called for each batch, at least once; returns whether to go on.
    /// - Throws: As ``run(on:parameters:cancellation:)``; the errors of `body`.
    package func stream(
        on file: DatabaseFile,
        parameters: QueryParameters,
        cancellation: QueryCancellation,
        _ body: (RecordedRows) throws -> Bool
    ) throws {
        try file.readWithKeys { context in
            try cancellation.run(on: context.connection) { try stream(on: file, context, parameters, body) }
        }
    }

    private func stream(
        on file: DatabaseFile,
        _ context: ConnectionContext,
        _ parameters: QueryParameters,
        _ body: (RecordedRows) throws -> Bool
    ) throws {
        try withStatement(on: file, context, parameters) { statement, _, makeRecorder in
            var hasMore = true
            while hasMore {
                var recorder = makeRecorder()
                hasMore = try statement.step(ofQueryOn: context)
                while hasMore {
                    try recorder.record(statement)
                    if recorder.isLargeBatch { break }
                    hasMore = try statement.step(ofQueryOn: context)
                }
                guard try body(recorder.finish()) else { return }
            }
        }
    }

    /// Runs `body` with the statement of the query, to which the parameters are bound.
    private func withStatement<Result>(
        on file: DatabaseFile,
        _ context: ConnectionContext,
        _ parameters: QueryParameters,
        _ body: (Statement, CompiledQuery, _ makeRecorder: () -> RowRecorder) throws -> Result
    ) throws -> Result {
        var (form, statement) = try current(on: file, context)
        if parameters.hasSlowPattern(in: form.query.compiled) {
            let new = try Self.compile(select, on: file, context, databaseName, reportsMatches: reportsMatches, hasSlowPatterns: true)
            (form, statement) = (new.state.form, new.statement)
        }
        defer { statement.resetAndClear() }
        try parameters.bind(to: statement, of: form.query.compiled)
        let table = try searchedTable(of: form.query.compiled, context)
        do {
            return try FullTextQueryMark.whileRunningQuery { [form] in
                try body(statement, form.query.compiled) { RowRecorder(form.query.compiled, searching: table) }
            }
        } catch let error as SQLiteError {
            throw QueryError(error) ?? error
        }
    }

    /// Returns the table of the first full-text index whose matches the rows report; `nil` if they report none.
    private func searchedTable(of compiled: CompiledQuery, _ context: ConnectionContext) throws -> RowMatches.Table? {
        guard compiled.hiddenColumnCount > 1, let name = compiled.fullTextTables.first else { return nil }
        return RowMatches.Table(name: name, columns: try SearchIndex.columns(ofTable: name, on: context.connection))
    }

    /// Returns the SQL of the query, the lines of SQLite's query plan, and the query as JSON (Query 5.8).
    package func explain(on file: DatabaseFile) throws -> String {
        let (compiled, nodes) = try file.readWithKeys { context in
            let (form, _) = try current(on: file, context)
            return (form.query.compiled, try PlanNode.plan(of: form.query.compiled.sql, on: context.connection))
        }
        let lines = nodes.map { "\($0.id)|\($0.parent)|0| \($0.detail)\n" }
        return "\(compiled.sql)\n\n\(lines.joined())\n\(QueryJSON.text(of: select))\n"
    }

    private static func statement(_ sql: String, on context: ConnectionContext) throws -> Statement {
        do throws(SQLiteError) {
            return try context.connection.cachedStatement(sql)
        } catch {
            throw QueryError(preparing: error) ?? error
        }
    }
}

extension DatabaseFile {
    /// Like ``read(_:)``, with the shared keys of the snapshot, which SQL functions use from the first row on.
    func readWithKeys<Result>(_ body: (ConnectionContext) throws -> Result) throws -> Result {
        try read { context in
            try context.refreshSharedKeys()
            return try body(context)
        }
    }
}
