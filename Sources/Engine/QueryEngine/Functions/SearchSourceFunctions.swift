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
                guard arguments[0].type == .integer, let list = FunctionContext(context).groupObject({ RankedHits() }) else { return }
                // SQLite has no NaN, but NULL in its place.
                let value = arguments[1].isNull ? Double.nan : arguments[1].double
                list.hits.append(RankedHits.Hit(row: arguments[0].int64, value: value))
            },
            final: { context in
                let context = FunctionContext(context)
                let list = context.takeGroupObject() ?? RankedHits()
                list.hits.withUnsafeBytes { context.resultBlob($0) }
            }
        )
        try add("fl_search_count", counts: 2...2) { call in
            do throws(QueryError) {
                let argument = SearchArgument(rawValue: call.arguments[1].text) ?? .limit
                let number = try call.arguments[0].count(of: argument)
                call.context.resultInt64(Int64(number))
            } catch {
                call.context.resultError(error.message)
            }
        }
        try connection.registerTableFunction(name: "fl_search_rows", FusedRowsCursor.tableFunction { FusedRowsCursor() })
    }
}

/// The rows of one half of a search: its result in SQL is the memory of the array.
final class RankedHits {
    struct Hit: BitwiseCopyable {
        /// The row number of the document.
        let row: Int64
        /// The score of the words, or the distance of the vector.
        let value: Double

        /// The value in a form in which higher values are better, and NaN is the worst.
        func quality(isDistance: Bool) -> Double { value.isNaN ? -.infinity : isDistance ? -value : value }
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
            let (leftQuality, rightQuality) = (left.quality(isDistance: isDistance), right.quality(isDistance: isDistance))
            return leftQuality == rightQuality ? left.row < right.row : leftQuality > rightQuality
        }
        return best.map { RankFusion.Candidate(id: $0.row, value: $0.value) }
    }
}
