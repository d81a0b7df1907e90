import QueryLanguage
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the functions behind `search({…})` in FROM (Query 12.7): `fl_ranked` collects the rows of a half, `fl_search_rows` fuses both, and
    /// `fl_search_count` checks the number of rows.
    func addSearchSourceFunctions() throws {
        try connection.registerAggregate(
            name: "fl_ranked",
            argumentCount: 2,
            flags: Self.flags,
            step: { context, count, values in
                let arguments = FunctionArguments(count, values)
                guard arguments[0].type == .integer, let list = FunctionContext(context).rankedList else { return }
                list.hits.append(RankedHits.Hit(row: arguments[0].int64, value: arguments[1].double))
            },
            final: { context in
                let context = FunctionContext(context)
                let place = context.existingAggregateContext?.assumingMemoryBound(to: Unmanaged<RankedHits>?.self)
                let list = place?.pointee?.takeRetainedValue() ?? RankedHits()
                list.hits.withUnsafeBytes { context.resultBlob($0) }
            }
        )
        try add("fl_search_count", counts: 2...2) { call in
            do throws(QueryError) {
                let number = try call.arguments[0].count(of: call.arguments[1].text)
                call.context.resultInt64(Int64(number))
            } catch {
                call.context.resultError(error.message)
            }
        }
        try connection.registerTableFunction(
            name: "fl_search_rows",
            TableFunction(
                columns: ["docid", "score", "text_score", "distance"],
                parameters: ["text_hits", "vector_hits", "fusion", "k", "text_weight", "vector_weight", "row_limit"]
            ) { FusedRowsCursor() }
        )
    }
}

/// The rows of one half of a search: its result in SQL is the memory of the array.
private final class RankedHits {
    struct Hit: BitwiseCopyable {
        /// The row number of the document.
        let row: Int64
        /// The score of the words, or the distance of the vector.
        let value: Double
    }

    var hits: [Hit] = []

    /// Returns the hits in a result, best first.
    ///
    /// - Parameter isDistance: Whether lower values are better.
    static func candidates(_ bytes: UnsafeRawBufferPointer, isDistance: Bool) -> [RankFusion.Candidate<Int64>] {
        let size = MemoryLayout<Hit>.stride
        let hits = (0..<(bytes.count / size)).map { bytes.loadUnaligned(fromByteOffset: $0 * size, as: Hit.self) }
        // SQL does not promise the order in which an aggregate function sees its rows.
        let best = hits.sorted { left, right in
            left.value == right.value ? left.row < right.row : isDistance ? left.value < right.value : left.value > right.value
        }
        return best.map { RankFusion.Candidate(id: $0.row, value: $0.value) }
    }
}

/// The rows of `fl_search_rows`, best first.
///
/// Its properties need no exclusivity checks, because it is used only by the statement that opened it, on one thread at a time.
private final class FusedRowsCursor: TableFunctionCursor {
    @exclusivity(unchecked) private var items: ArraySlice<RankFusion.Item<Int64>> = []

    func begin(_ arguments: FunctionArguments) -> String? {
        items = []
        guard arguments.count == 7 else { return "fl_search_rows needs seven arguments" }
        do throws(QueryError) {
            let fusion = try Self.fusion(arguments)
            let limit = try arguments[6].count(of: SearchArgument.limit.name)
            let text = RankedHits.candidates(arguments[0].blobBytes, isDistance: false)
            let vector = RankedHits.candidates(arguments[1].blobBytes, isDistance: true)
            items = fusion.fused(text: text, vector: vector).prefix(limit)
            return nil
        } catch {
            return error.message
        }
    }

    private static func fusion(_ arguments: FunctionArguments) throws(QueryError) -> RankFusion {
        let name = arguments[2].type == .text ? arguments[2].text : ""
        let k = try arguments[3].number(of: .k)
        let (text, vector) = (try arguments[4].number(of: .textWeight), try arguments[5].number(of: .vectorWeight))
        switch name {
        case "rrf": return .reciprocalRank(k: k ?? RankFusion.usualK, text: text ?? 1, vector: vector ?? 1)
        case "weighted":
            guard k == nil else { throw SearchArgument.k.error("belongs to the fusion 'rrf'") }
            return .weightedScores(text: text ?? 0.5, vector: vector ?? 0.5)
        default: throw SearchArgument.fusion.error("must be 'rrf' or 'weighted'")
        }
    }

    var isAtEnd: Bool { items.isEmpty }

    func advance() { items = items.dropFirst() }

    var rowID: Int64 { items.first?.id ?? 0 }

    func column(_ index: Int, _ result: FunctionContext) {
        guard let item = items.first else { return result.resultNull() }
        switch index {
        case 0: result.resultInt64(item.id)
        case 1: result.resultDouble(item.score)
        case 2: item.textScore.map { result.resultDouble($0) } ?? result.resultNull()
        case 3: item.distance.map { result.resultDouble($0) } ?? result.resultNull()
        default: result.resultNull()
        }
    }
}

extension SQLValue {
    /// Returns the value of an argument that is a number of rows.
    ///
    /// - Throws: ``QueryError`` if it is none that is allowed.
    fileprivate func count(of argument: String) throws(QueryError) -> Int {
        let value = QueryValue(self)
        if case .integer(let number) = value, (0...Int64(SearchSource.maximumCount)).contains(number) { return Int(number) }
        if case .double(let number) = value, let exact = Int(exactly: number), (0...SearchSource.maximumCount).contains(exact) {
            return exact
        }
        let found = if case .integer(let number) = value { String(number) } else { value.kindInWords }
        throw .invalidQuery(
            "the argument '\(argument)' of search() must be an integer from 0 to \(SearchSource.maximumCount), but is \(found)"
        )
    }

    /// Returns the value of an argument that is a number; `nil` if it is not given.
    fileprivate func number(of argument: SearchArgument) throws(QueryError) -> Double? {
        let number: Double
        switch QueryValue(self) {
        case .missing, .null: return nil
        case .integer(let integer): number = Double(integer)
        case .unsigned(let integer): number = Double(integer)
        case .double(let double): number = double
        case .boolean, .string, .array, .dictionary, .data: throw argument.error("must be a number from 0")
        }
        guard number >= 0, number.isFinite else { throw argument.error("must be a number from 0") }
        return number
    }
}

extension FunctionContext {
    /// The hits of the current group, created at its first row; `nil` if memory is exhausted. SQLite's memory for the group retains it until the
    /// final function releases it.
    fileprivate var rankedList: RankedHits? {
        let size = MemoryLayout<Unmanaged<RankedHits>?>.size
        guard let memory = aggregateContext(byteCount: size) else {
            resultNoMemory()
            return nil
        }
        let place = memory.assumingMemoryBound(to: Unmanaged<RankedHits>?.self)
        if let list = place.pointee { return list.takeUnretainedValue() }
        let list = RankedHits()
        place.pointee = .passRetained(list)
        return list
    }
}
