import SQLiteEngine

extension FunctionRegistrar {
    /// `rank`, of what FTS4's `matchinfo` says of a row (Query 6.5): for each term or phrase, the share of its occurrences
    /// that this row has, column by column.
    func addRank() throws {
        try addDirectly("rank", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let information = FunctionArguments(count, values)[0].blobBytes
            guard let rank = MatchInformation(information)?.rank else { return context.resultNull() }
            context.resultDouble(rank)
        }
    }
}

/// The numbers that `matchinfo` gives without a format: how many phrases and columns there are, and for each pair of them the
/// occurrences in the row, those in all rows, and the rows that have any (https://www.sqlite.org/fts3.html#matchinfo).
private struct MatchInformation {
    private let numbers: UnsafeRawBufferPointer
    private let pairCount: Int

    /// Nil for what is no such information.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        let phrases = Int(bytes.loadUnaligned(as: UInt32.self))
        let columns = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let (pairs, overflow) = phrases.multipliedReportingOverflow(by: columns)
        guard !overflow, pairs <= (bytes.count - 8) / 12 else { return nil }
        numbers = UnsafeRawBufferPointer(rebasing: bytes[8...])
        pairCount = pairs
    }

    var rank: Double {
        var rank = 0.0
        for pair in 0..<pairCount {
            let inRow = numbers.loadUnaligned(fromByteOffset: pair * 12, as: UInt32.self)
            let inAllRows = numbers.loadUnaligned(fromByteOffset: pair * 12 + 4, as: UInt32.self)
            if inRow > 0, inAllRows > 0 { rank += Double(inRow) / Double(inAllRows) }
        }
        return rank
    }
}
