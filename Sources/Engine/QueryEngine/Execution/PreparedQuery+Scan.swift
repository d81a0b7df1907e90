import DocumentStore
import QueryLanguage
import SQLiteEngine
import Synchronization

/// Running a query with several threads.
extension PreparedQuery {
    /// Runs a query that has a ``CompiledQuery/rangeTable`` with several threads, and returns its rows, which are the same as those of one
    /// thread, in the same order. Returns `nil` if one thread must read them: the collection is small, an index finds the rows, the
    /// connection sees changes that are not committed, or the machine has one processor.
    func parallelRows(
        of compiled: CompiledQuery,
        on file: DatabaseFile,
        _ context: ConnectionContext,
        _ parameters: QueryParameters,
        _ cancellation: QueryCancellation?
    ) throws -> RecordedRows? {
        // The limit of steps applies to one connection.
        guard ParallelScan.maximumThreadCount > 1 || scanThreshold.rowCount < ParallelScan.Threshold().rowCount,
            file.options.maximumSteps == nil, let state = context.connection.snapshotState,
            // The size is unknown while the log is empty.
            state.pageCount == 0 || state.pageCount >= scanThreshold.pageCount,
            let scan = try self.scan(of: compiled, on: file, context),
            let ranges = try scan.ranges(on: context.connection, threshold: scanThreshold)
        else { return nil }
        let parts = try scan.run(ranges, of: state, on: file, context, cancellation: cancellation) { statement, context in
            try parameters.bind(to: statement, of: compiled)
            return try ScanPart(statement, of: compiled, compiled.sortedWindow, on: context)
        }
        return try ScanPart.joined(parts, compiled.sortedWindow)
    }

    /// Returns how several threads read the rows; `nil` if SQLite uses an index. Determined once for each version of the schema.
    private func scan(of compiled: CompiledQuery, on file: DatabaseFile, _ context: ConnectionContext) throws -> ParallelScan? {
        let version = try context.schemaVersion
        if let known = knownScan.withLock({ $0?.schemaVersion == version ? $0 : nil }) { return known.scan }
        var scan: ParallelScan?
        let plan = try PlanNode.plan(of: compiled.sql, on: context.connection)
        if let table = compiled.rangeTable, plan.count == (compiled.sortedWindow == nil ? 1 : 2),
            TableAccess(plan[0].detail)?.method == .scan(index: nil, isCovering: false)
        {
            let sql = try QueryCompiler.compileRange(select, resolver: StoreResolver(file: file, databaseName: databaseName))
            scan = ParallelScan(sql: sql, table: SQLText.identifier(table))
        }
        knownScan.withLock { $0 = KnownScan(schemaVersion: version, scan: scan) }
        return scan
    }
}
