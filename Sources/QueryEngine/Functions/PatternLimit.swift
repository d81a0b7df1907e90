import SQLiteEngine

extension FunctionRegistrar {
    /// `fl_pattern`: the pattern of a full-text search, unless it is too long. SQLite's parser looks at all of the rest for every
    /// word, so that the time grows with the square of the length: a megabyte takes seconds.
    func addPatternLimit() throws {
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
