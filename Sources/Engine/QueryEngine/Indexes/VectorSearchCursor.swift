import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// The rows of `fl_vector_search(index, target, probes, limit, offset)`: the nearest documents with their distances. Without a limit, all documents
/// of the index, or the one that SQLite looks up (Vector search 6.3, 6.4).
///
/// A search for all distances is made once: the cursor keeps it for the next documents that are looked up. Its properties need no exclusivity
/// checks, because it is used only by the statement that opened it, on one thread at a time.
final class VectorSearchCursor: TableFunctionCursor {
    /// The beginning of the messages of errors that apps receive as errors of SQLite (Vector search D10).
    static let errorPrefix = "APPROX_VECTOR_DISTANCE(): "

    // Safe: see `FunctionEnvironment`.
    private unowned(unsafe) let context: ConnectionContext
    @exclusivity(unchecked) private var found: [NearestHeap.Entry] = []
    @exclusivity(unchecked) private var target: VectorTarget?
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var end = 0
    /// The arguments of the search for all distances; `nil` if there was none.
    @exclusivity(unchecked) private var key: [UInt8]?

    /// The largest number of vectors that a simple query finds.
    private static let maximumLimit: Int64 = 10_000

    init(_ context: ConnectionContext) { self.context = context }

    func begin(_ arguments: FunctionArguments) -> String? {
        (position, end) = (0, 0)
        guard arguments.count >= 5 else { return "fl_vector_search needs five arguments" }
        do {
            if arguments[3].isNull {
                try findAll(arguments)
            } else {
                try findNearest(arguments)
            }
            return nil
        } catch let problem as VectorProblem {
            return Self.errorPrefix + problem.message
        } catch let damage as VectorIndexDamage {
            return
                "\(Self.errorPrefix)the vector index \"\(arguments[0].text)\" is damaged: \(damage.reason); reindexing the database repairs it"
        } catch let error as QueryError {
            return error.message
        } catch let error as SQLiteError {
            return Self.errorPrefix + error.message
        } catch {
            return "\(Self.errorPrefix)\(error)"
        }
    }

    private func findNearest(_ arguments: FunctionArguments) throws {
        let (rows, offset) = (arguments[3].int64, max(0, arguments[4].int64))
        let (reader, vector) = try prepare(arguments)
        guard rows > 0 else { return }
        let (sum, isTooLarge) = rows.addingReportingOverflow(offset)
        guard !isTooLarge, sum <= Self.maximumLimit else {
            throw QueryError.invalidQuery("LIMIT must not exceed 10000 when using APPROX_VECTOR_DISTANCE()")
        }
        let limit = Int(sum)
        let ranksAgain = limit <= VectorIndexEntry.maximumRankedAgain && reader.entry.ranksAgain
        var heap = NearestHeap(capacity: ranksAgain ? limit * 4 : limit)
        let probes = reader.entry.options.effectiveProbes(requested: Int(clamping: arguments[2].int64))
        try reader.search(vector, probes: probes, into: &heap)
        found = ranksAgain ? try reader.nearest(of: heap.sorted.map(\.rowID), to: vector, limit: limit) : heap.sorted
        end = found.count
    }

    private func findAll(_ arguments: FunctionArguments) throws {
        let lookup = arguments.count > 5 ? arguments[5] : nil
        if let lookup, lookup.isNull { return }
        let key = Self.key(of: arguments)
        if key != self.key {
            let (reader, vector) = try prepare(arguments)
            var heap = NearestHeap(capacity: .max)
            try reader.search(vector, probes: nil, into: &heap)
            found = heap.unsorted.sorted { $0.rowID < $1.rowID }
            self.key = key
        }
        guard let lookup else {
            end = found.count
            return
        }
        let row = lookup.int64
        var (low, high) = (0, found.count)
        while low < high {
            let middle = (low + high) / 2
            if found[middle].rowID < row { low = middle + 1 } else { high = middle }
        }
        (position, end) = (low, low < found.count && found[low].rowID == row ? low + 1 : low)
    }

    private static func key(of arguments: FunctionArguments) -> [UInt8] {
        let target = arguments[1]
        let bytes = target.type == .blob ? target.blobBytes : target.textBytes
        return Array(arguments[0].textBytes) + [0, UInt8(truncatingIfNeeded: target.subtype)] + Array(bytes)
    }

    /// Reads the index and the target, and prepares the distances.
    private func prepare(_ arguments: FunctionArguments) throws -> (VectorIndexReader, [Float]) {
        guard let entry = try VectorRegistry.entry(ofTable: arguments[0].text, on: context.connection) else {
            throw VectorIndexDamage("it is not registered")
        }
        guard let vector = try QueryValue(arguments[1]).vector(dimensions: entry.options.dimensions) else {
            throw VectorProblem.wrongType
        }
        let reader = VectorIndexReader(entry: entry, context: context)
        if !entry.isTrained, EngineLog.isEnabled(.warning, .query) {
            let count = try reader.vectorCount()
            EngineLog.log(
                .warning,
                .query,
                "Untrained index; queries may be slow: \"\(entry.name)\" has \(count) vectors, and needs "
                    + "\(entry.options.effectiveMinimum) to be trained"
            )
        }
        target = VectorTarget(vector, entry.options, nil)
        return (reader, vector)
    }

    var isAtEnd: Bool { position >= end }

    func advance() { position += 1 }

    var rowID: Int64 { position < end ? found[position].rowID : 0 }

    func column(_ index: Int, _ result: FunctionContext) {
        guard position < end, let target else { return result.resultNull() }
        switch index {
        case 0: result.resultInt64(found[position].rowID)
        case 1: result.resultDouble(target.distance(of: found[position].distance))
        default: result.resultNull()
        }
    }
}
