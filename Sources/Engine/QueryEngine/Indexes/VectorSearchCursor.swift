import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// The rows of `fl_vector_search(index, target, probes, limit, offset)`: the nearest documents with their distances. Without a number of probes,
/// all documents of the index, or the one that SQLite looks up; the limit is then that of the query, if this returns the nearest of them
/// (Vector search 6.3, 6.4).
///
/// A search for all distances is made once: the cursor keeps it for the next documents that are looked up.
final class VectorSearchCursor: TableFunctionCursor {
    /// The beginning of the messages of errors that apps receive as errors of SQLite (Vector search D10).
    static let errorPrefix = "APPROX_VECTOR_DISTANCE(): "

    // Safe: see `FunctionEnvironment`.
    private unowned(unsafe) let context: ConnectionContext
    private let known: KnownVectorIndex

    /// What the searches have found, and the position in the result of the last one.
    private struct Search {
        /// What a search for the nearest has found.
        var nearest: [NearestHeap.Entry] = []
        /// What a search for all distances has found.
        var all = DistanceTable()
        /// Replaces the distances of the nearest ones; `nil` if they are exact already, or if all are wanted.
        var exact: ExactDistances?
        /// The arguments of the search for all distances; `nil` if there was none.
        var key: SearchKey?
        var isNearest = false
        var metric = VectorMetric.euclideanSquared
        var current: NearestHeap.Entry?
        var position = 0
        var end = 0

        /// Moves to the first vector at a position or behind it.
        mutating func move(to position: Int, end: Int) {
            (self.position, self.end) = (position, end)
            current = nil
            while self.position < end {
                current = isNearest ? nearest[self.position] : all.entry(at: self.position)
                if current != nil { return }
                self.position += 1
            }
        }
    }

    // Safe: the cursor is used only by the statement that opened it, on one thread at a time. An access reads or assigns a value, moves, or reads a
    // document by a statement of its own, which uses no cursor of this kind.
    @exclusivity(unchecked) private var search = Search()

    /// The largest number of vectors that a simple query finds.
    private static let maximumLimit: Int64 = 10_000

    init(_ context: ConnectionContext, _ known: KnownVectorIndex) { (self.context, self.known) = (context, known) }

    func begin(_ arguments: FunctionArguments) -> String? {
        search.move(to: 0, end: 0)
        guard arguments.count >= 5 else { return "fl_vector_search needs five arguments" }
        do {
            if arguments[2].isNull {
                try findAll(arguments)
            } else {
                try findNearest(arguments)
            }
            return nil
        } catch {
            return Self.message(of: error, index: arguments[0].text)
        }
    }

    private static func message(of error: any Error, index: String) -> String {
        switch error {
        case let problem as VectorProblem: errorPrefix + problem.message
        case let damage as VectorIndexDamage: message(ofDamage: damage.reason, to: index)
        case let error as SQLiteError where error.missingModule != nil: message(ofDamage: error.unreadableTable, to: index)
        case let error as QueryError: error.message
        case let error as SQLiteError: errorPrefix + error.message
        default: "\(errorPrefix)\(error)"
        }
    }

    private static func message(ofDamage reason: String, to index: String) -> String {
        "\(errorPrefix)the vector index \"\(index)\" is damaged: \(reason); reindexing the database repairs it"
    }

    private func findNearest(_ arguments: FunctionArguments) throws {
        let (reader, vector) = try prepare(arguments)
        guard arguments[3].int64 > 0 else { return }
        guard let limit = Self.rowLimit(arguments) else {
            throw QueryError.invalidQuery("LIMIT must not exceed 10000 when using APPROX_VECTOR_DISTANCE()")
        }
        let ranksAgain = limit <= VectorIndexEntry.maximumRankedAgain && reader.entry.ranksAgain
        var heap = NearestHeap(capacity: ranksAgain ? limit * ExactDistances.candidatesPerRow : limit)
        let probes = reader.entry.options.effectiveProbes(requested: Int(clamping: arguments[2].int64))
        try reader.search(vector, probes: probes, into: &heap)
        search.nearest = ranksAgain ? try reader.nearest(of: heap.sorted.map(\.rowID), to: vector, limit: limit) : heap.sorted
        search.isNearest = true
        search.move(to: 0, end: search.nearest.count)
    }

    /// Returns how many rows are wanted, also those that OFFSET skips; `nil` if these are more than a simple query may return, or all.
    private static func rowLimit(_ arguments: FunctionArguments) -> Int? {
        if arguments[3].isNull { return nil }
        // Below 0, LIMIT returns no rows. It may be any number.
        let (sum, isTooLarge) = max(0, arguments[3].int64).addingReportingOverflow(max(0, arguments[4].int64))
        return isTooLarge || sum > maximumLimit ? nil : Int(sum)
    }

    private func findAll(_ arguments: FunctionArguments) throws {
        let lookup = arguments.count > 5 ? arguments[5] : nil
        if let lookup, lookup.isNull { return }
        if search.key?.isOf(arguments) != true {
            let (reader, vector) = try prepare(arguments)
            var heap = NearestHeap(capacity: .max)
            try reader.search(vector, probes: nil, into: &heap)
            search.all = DistanceTable(heap.unsorted)
            search.key = SearchKey(arguments)
            search.exact = try Self.rowLimit(arguments).flatMap { try ExactDistances(reader, vector, limit: $0) }
        }
        search.isNearest = false
        guard let lookup else { return search.move(to: 0, end: search.all.positionCount) }
        if let position = search.all.position(of: lookup.int64) { search.move(to: position, end: position + 1) }
    }

    /// Reads the index and the target, and prepares the distances.
    private func prepare(_ arguments: FunctionArguments) throws -> (VectorIndexReader, [Float]) {
        guard let index = try VectorRegistry.index(ofTable: arguments[0].textBytes, on: context.connection, known) else {
            throw VectorIndexDamage("it is not registered")
        }
        let entry = index.entry
        if entry.isDamaged { throw VectorIndexDamage(VectorIndexReader.unrepaired) }
        guard let vector = try QueryValue(arguments[1]).vector(dimensions: entry.options.dimensions) else {
            throw VectorProblem.wrongType
        }
        let reader = VectorIndexReader(entry: entry, context: context, sql: index.sql)
        if !entry.isTrained, EngineLog.isEnabled(.warning, .query) {
            let count = try reader.vectorCount()
            EngineLog.log(
                .warning,
                .query,
                "Untrained index; queries may be slow: \"\(entry.name)\" has \(count) vectors, and needs "
                    + "\(entry.options.effectiveMinimum) to be trained"
            )
        }
        search.metric = entry.options.metric
        return (reader, vector)
    }

    var isAtEnd: Bool { search.current == nil }

    func advance() { search.move(to: search.position + 1, end: search.end) }

    var rowID: Int64 { search.current?.rowID ?? 0 }

    func column(_ index: Int, _ result: FunctionContext) {
        guard let current = search.current else { return result.resultNull() }
        switch index {
        case 0: result.resultInt64(current.rowID)
        case 1:
            do {
                let distance = try (search.isNearest ? nil : search.exact?.distance(current)) ?? current.distance
                result.resultDouble(search.metric.distance(ofOrder: distance))
            } catch let error as SQLiteError where error.isInterrupted {
                result.resultInterrupted()
            } catch {
                result.resultError(Self.message(of: error, index: search.exact?.index ?? ""))
            }
        default: result.resultNull()
        }
    }
}

/// The arguments on which the distances of all vectors depend: the index and the target.
private struct SearchKey {
    private let index: [UInt8]
    private let target: [UInt8]
    private let subtype: UInt32

    init(_ arguments: FunctionArguments) {
        index = Array(arguments[0].textBytes)
        target = Array(Self.bytes(of: arguments[1]))
        subtype = arguments[1].subtype
    }

    private static func bytes(of value: SQLValue) -> UnsafeRawBufferPointer {
        value.type == .blob ? value.blobBytes : value.textBytes
    }

    /// Compares without a copy, because this is asked for each document.
    func isOf(_ arguments: FunctionArguments) -> Bool {
        subtype == arguments[1].subtype && index.isEqual(to: arguments[0].textBytes) && target.isEqual(to: Self.bytes(of: arguments[1]))
    }
}
