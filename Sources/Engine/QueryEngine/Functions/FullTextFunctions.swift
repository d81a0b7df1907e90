import SQLiteEngine

extension FunctionRegistrar {
    /// Registers `rank`, which computes the rank of a row from the result of FTS4's `matchinfo` (Query 6.5): the sum, over all phrases and
    /// columns, of the row's share of the occurrences.
    func addRank() throws {
        try addDirectly("rank", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let information = FunctionArguments(count, values)[0].blobBytes
            guard let rank = MatchInformation(information)?.rank else { return context.resultNull() }
            context.resultDouble(rank)
        }
    }
}

/// The result of `matchinfo` in its default format: the number of phrases and of columns, then for each pair of them the number of
/// occurrences in the row, of occurrences in all rows, and of rows with any (https://www.sqlite.org/fts3.html#matchinfo).
private struct MatchInformation {
    private let numbers: UnsafeRawBufferPointer
    private let pairCount: Int

    /// Returns `nil` if the bytes are not a result of `matchinfo`.
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

extension FunctionRegistrar {
    /// Registers `fl_pattern`, which returns the pattern of a full-text search, or fails if it is too long. For every word, SQLite's parser
    /// scans the rest of the pattern, so the time is quadratic in its length: a megabyte takes seconds. With the name of the table as a second
    /// argument, a pattern with prefixes or typing errors is expanded, and with a third one each pattern (Query 6.12–6.14).
    ///
    /// Also registers `fl_fuzzy`, which marks the words of a text for this expansion.
    func addFullTextPatternFunctions() throws {
        try add("fl_pattern", counts: 1...3) { call in
            let pattern = call.arguments[0]
            guard pattern.type == .text else { return call.context.resultValue(pattern) }
            guard pattern.textBytes.count <= Self.longestPattern else {
                return call.context.resultError("the pattern of a full-text search is longer than 64 KiB")
            }
            let bytes = UnsafeBufferPointer(
                start: pattern.textBytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                count: pattern.textBytes.count
            )
            guard call.count == 3 || call.count == 2 && PatternExpansion.isMarked(bytes) else { return call.context.resultValue(pattern) }
            do {
                guard let expansion = try PatternExpansion.expansion(of: bytes, in: call.arguments[1].text, on: call.environment.context)
                else {
                    return call.context.resultValue(pattern)
                }
                expansion.pattern.withUnsafeBytes { call.context.resultText($0) }
            } catch let error as SQLiteError where error.isInterrupted {
                call.context.resultInterrupted()
            } catch {
                call.context.resultError("\(error)")
            }
        }
        try add("fl_fuzzy", counts: 1...2) { call in
            guard !call.propagatesNull() else { return }
            guard call.arguments[0].type == .text else { return call.context.resultError("fuzzy(): the first argument must be a text") }
            let distance = call.count == 2 ? Int(clamping: call.arguments[1].int64) : 1
            guard (0...FuzzyWord.maximumDistance).contains(distance), call.count == 1 || call.arguments[1].type == .integer else {
                return call.context.resultError("fuzzy(): the distance must be 0, 1 or 2")
            }
            guard call.arguments[0].textBytes.count <= Self.longestPattern else {
                return call.context.resultError("the pattern of a full-text search is longer than 64 KiB")
            }
            FuzzyWord.marked(call.arguments[0].textBytes, distance: distance).withUnsafeBytes { call.context.resultText($0) }
        }
    }

    private static var longestPattern: Int { 64 << 10 }
}
