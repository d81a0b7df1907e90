import QueryLanguage
import SQLiteEngine

/// The rows of `fl_search_rows`, best first.
///
/// In a join SQLite starts a call for each row of another source, so the cursor keeps the rows for the next calls with the same arguments.
final class FusedRowsCursor: TableFunctionCursor {
    private struct Rows {
        var fusion: Fusion?
        var items: [RankFusion.Item<Int64>] = []
        var position = 0
        var fusionCount = 0
    }

    // It needs no exclusivity checks, because the cursor is used only by the statement that opened it, on one thread at a time.
    @exclusivity(unchecked) private var rows = Rows()

    /// The number of times that the rows have been computed.
    var fusionCount: Int { rows.fusionCount }

    /// Returns the table-valued function.
    static func tableFunction(_ makeCursor: @escaping () -> FusedRowsCursor) -> TableFunction {
        TableFunction(
            columns: ["docid", "score", "text_score", "distance"],
            parameters: ["text_hits", "vector_hits", "fusion", "k", "text_weight", "vector_weight", "row_limit"],
            makeCursor: makeCursor
        )
    }

    func begin(_ arguments: FunctionArguments) -> String? {
        rows.position = rows.items.count
        guard arguments.count == 7 else { return "fl_search_rows needs seven arguments" }
        do throws(QueryError) {
            let (rule, limit) = (try Self.rule(arguments), try arguments[6].count(of: .limit))
            let hits = (text: arguments[0].blobBytes, vector: arguments[1].blobBytes)
            if rows.fusion?.isOf(rule, limit, hits) != true {
                rows.fusion = Fusion(rule: rule, limit: limit, text: Array(hits.text), vector: Array(hits.vector))
                let text = RankedHits.candidates(hits.text, isDistance: false)
                let vector = RankedHits.candidates(hits.vector, isDistance: true)
                rows.items = Array(rule.fused(text: text, vector: vector).prefix(limit))
                rows.fusionCount += 1
            }
            rows.position = 0
            return nil
        } catch {
            return error.message
        }
    }

    private static func rule(_ arguments: FunctionArguments) throws(QueryError) -> RankFusion {
        let name = arguments[2].type == .text ? arguments[2].text : ""
        let k = try arguments[3].number(of: .k)
        let (text, vector) = (try arguments[4].number(of: .textWeight), try arguments[5].number(of: .vectorWeight))
        switch name {
        case "rrf": return .reciprocalRank(k: k ?? RankFusion.usualK, text: text ?? 1, vector: vector ?? 1)
        case "weighted":
            guard k == nil else { throw SearchArgument.misplacedK }
            return .weightedScores(text: text ?? 0.5, vector: vector ?? 0.5)
        default: throw SearchArgument.fusion.wrongValue()
        }
    }

    var isAtEnd: Bool { rows.position >= rows.items.count }

    func advance() { rows.position += 1 }

    var rowID: Int64 { isAtEnd ? 0 : rows.items[rows.position].id }

    func column(_ index: Int, _ result: FunctionContext) {
        guard !isAtEnd else { return result.resultNull() }
        let item = rows.items[rows.position]
        switch index {
        case 0: result.resultInt64(item.id)
        case 1: result.resultDouble(item.score)
        case 2: item.textScore.map { result.resultDouble($0) } ?? result.resultNull()
        case 3: item.distance.map { result.resultDouble($0) } ?? result.resultNull()
        default: result.resultNull()
        }
    }
}

/// What the fused rows depend on.
private struct Fusion {
    let rule: RankFusion
    let limit: Int
    let text: [UInt8]
    let vector: [UInt8]

    func isOf(_ rule: RankFusion, _ limit: Int, _ hits: (text: UnsafeRawBufferPointer, vector: UnsafeRawBufferPointer)) -> Bool {
        self.rule == rule && self.limit == limit && text.isEqual(to: hits.text) && vector.isEqual(to: hits.vector)
    }
}

extension SQLValue {
    /// Returns the value of an argument that is a number of rows.
    ///
    /// - Throws: ``QueryError`` if it is none that is allowed.
    func count(of argument: SearchArgument) throws(QueryError) -> Int {
        let value = QueryValue(self)
        if case .integer(let number) = value, (0...Int64(SearchSource.maximumCount)).contains(number) { return Int(number) }
        if case .double(let number) = value, let exact = Int(exactly: number), (0...SearchSource.maximumCount).contains(exact) {
            return exact
        }
        let found = if case .integer(let number) = value { String(number) } else { value.kindInWords }
        throw argument.wrongValue(found: found)
    }

    /// Returns the value of an argument that is a number; `nil` if it is not given.
    fileprivate func number(of argument: SearchArgument) throws(QueryError) -> Double? {
        let number: Double
        switch QueryValue(self) {
        case .missing, .null: return nil
        case .integer(let integer): number = Double(integer)
        case .unsigned(let integer): number = Double(integer)
        case .double(let double): number = double
        case .boolean, .string, .array, .dictionary, .data: throw argument.wrongValue()
        }
        guard number >= 0, number.isFinite else { throw argument.wrongValue() }
        return number
    }
}
