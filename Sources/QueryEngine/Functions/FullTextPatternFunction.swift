import SQLiteEngine

extension FunctionRegistrar {
    /// Registers `fl_pattern`, which returns the pattern of a full-text search, or fails if it is too long. For every word, SQLite's parser
    /// scans the rest of the pattern, so the time is quadratic in its length: a megabyte takes seconds.
    func addFullTextPatternFunction() throws {
        try add("fl_pattern", counts: 1...1) { call in
            let pattern = call.arguments[0]
            guard pattern.type != .text || pattern.textBytes.count <= Self.longestPattern else {
                return call.context.resultError("the pattern of a full-text search is longer than 64 KiB")
            }
            call.context.resultValue(pattern)
        }
    }

    private static var longestPattern: Int { 64 << 10 }
}
