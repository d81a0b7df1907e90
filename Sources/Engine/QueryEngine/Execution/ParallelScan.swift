import Base
import Dispatch
import DocumentStore
import Foundation
import QueryLanguage
import SQLiteEngine

/// A query that reads all documents of a large collection, run by several threads on connections of their own.
///
/// The rows of the table are divided into ranges of row IDs. The calling thread and its helpers take one range after the other and record its
/// rows; the recorded parts in the order of the ranges are the rows of the query. The calling thread takes ranges until none is left, so
/// helpers that start late, or find no free connection, delay nothing. A connection takes part only if it shows the same state of the file.
package struct ParallelScan: Sendable {
    /// The statement for a range of rows; see ``QueryCompiler/compileRange(_:resolver:)``.
    let sql: String
    /// The table of the collection.
    let table: String

    /// The sizes from which helpers save more time than it takes to start them: of the file in pages, and of the table in rows.
    package struct Threshold: Sendable {
        /// The number of pages of the file; 2,000 by default.
        package var pageCount = 2000
        /// The number of rows of the table; 20,000 by default.
        package var rowCount = 20_000

        package init() {}
    }

    /// The maximum number of threads. One connection of the pool is left for others.
    static let maximumThreadCount = min(ProcessInfo.processInfo.activeProcessorCount, 3)

    /// The number of ranges for each thread. Ranges may differ in the time they take.
    private static let rangesPerThread = 4

    private static let helpers = DispatchQueue(label: "CouchbaseLite.scans", qos: .userInitiated, attributes: .concurrent)

    /// Returns the ranges of row IDs to read; `nil` if the table is small. Row IDs of a file can be any numbers.
    func ranges(on connection: Connection, threshold: Threshold) throws -> [ClosedRange<Int64>]? {
        guard let first = try connection.scalar("SELECT min(rowid) FROM \(table)"),
            let last = try connection.scalar("SELECT max(rowid) FROM \(table)"), first <= last
        else { return nil }
        let span = UInt64(bitPattern: last &- first)
        guard span > 0, span >= UInt64(max(0, threshold.rowCount)) else { return nil }
        let count = min(UInt64(Self.maximumThreadCount * Self.rangesPerThread), span)
        let size = span / count
        return (0..<count).map { number in
            let start = first &+ Int64(bitPattern: number * size)
            let end = number == count - 1 ? last : first &+ Int64(bitPattern: (number + 1) * size - 1)
            return start...end
        }
    }

    /// Runs the query, and returns the rows of the ranges, in their order. Blocks until all threads have ended.
    ///
    /// - Parameters:
    ///   - state: The state of the file that the context's connection shows.
    ///   - record: Runs the statement for a range, on a connection of the calling thread, and records its rows.
    func run(
        _ ranges: [ClosedRange<Int64>],
        of state: CommittedState,
        on file: DatabaseFile,
        _ context: ConnectionContext,
        cancellation: QueryCancellation?,
        record: @escaping @Sendable (Statement, ConnectionContext) throws -> ScanPart
    ) throws -> [ScanPart] {
        let work = ScanWork(ranges, sql: sql, zone: context.evaluation.localZone, record: record)
        for _ in 1..<max(Self.maximumThreadCount, 2) {
            Self.helpers.async { work.help(of: state, on: file, cancellation: cancellation) }
        }
        work.recordRanges(on: context)
        return try work.finish()
    }
}

/// The ranges that nobody has taken yet, and the parts that are recorded. Shared by the threads of one scan.
private final class ScanWork: Sendable {
    private struct State {
        /// The number of ranges that were taken.
        var begunCount = 0
        /// The number of ranges that are being read.
        var runningCount = 0
        var parts: [Int: ScanPart] = [:]
        /// The first error. No range is taken after it.
        var failure: (any Error)?
    }

    private let ranges: [ClosedRange<Int64>]
    private let sql: String
    private let zone: TimeZone
    private let record: @Sendable (Statement, ConnectionContext) throws -> ScanPart
    private let monitor = Monitor(State())

    init(
        _ ranges: [ClosedRange<Int64>],
        sql: String,
        zone: TimeZone,
        record: @escaping @Sendable (Statement, ConnectionContext) throws -> ScanPart
    ) {
        self.ranges = ranges
        self.sql = sql
        self.zone = zone
        self.record = record
    }

    /// Reads ranges on a connection of the pool, if one is free and shows the state.
    func help(of state: CommittedState, on file: DatabaseFile, cancellation: QueryCancellation?) {
        guard monitor.withLock({ $0.failure == nil && $0.begunCount < ranges.count }) else { return }
        // An error before the first range is no error of the query: the other threads read all ranges.
        _ = try? file.readIfFree { context in
            try context.refreshSharedKeys()
            guard context.connection.snapshotState == state else { return }
            context.adoptLocalZone(of: zone)
            guard let cancellation else { return recordRanges(on: context) }
            try cancellation.run(on: context.connection) { recordRanges(on: context) }
        }
    }

    /// Reads ranges until all have been taken.
    func recordRanges(on context: ConnectionContext) {
        while let number = nextRange() {
            let result = Result { try part(of: ranges[number], on: context) }
            monitor.withLock { state in
                state.runningCount -= 1
                switch result {
                case .success(let part): state.parts[number] = part
                case .failure(let error): state.failure = state.failure ?? error
                }
            }
            monitor.wakeAll()
        }
    }

    /// Waits for the ranges that are being read, and returns the parts in order.
    ///
    /// - Throws: The first error.
    func finish() throws -> [ScanPart] {
        try monitor.withLock(waitingWhile: { $0.runningCount > 0 }) { state in
            if let failure = state.failure { throw failure }
            return ranges.indices.compactMap { state.parts[$0] }
        }
    }

    private func nextRange() -> Int? {
        monitor.withLock { state in
            guard state.failure == nil, state.begunCount < ranges.count else { return nil }
            state.begunCount += 1
            state.runningCount += 1
            return state.begunCount - 1
        }
    }

    private func part(of range: ClosedRange<Int64>, on context: ConnectionContext) throws -> ScanPart {
        let statement = try context.connection.cachedStatement(sql)
        defer { statement.resetAndClear() }
        let names = QueryCompiler.rangeParameters
        guard let first = statement.parameterIndex(named: names.first), let last = statement.parameterIndex(named: names.last) else {
            throw QueryError(.invalidQuery, "the statement for a range of rows has no range")
        }
        try statement.bind(range.lowerBound, at: first)
        try statement.bind(range.upperBound, at: last)
        return try record(statement, context)
    }
}
