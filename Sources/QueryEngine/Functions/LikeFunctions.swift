import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers LIKE under a collation and, where SQLite's own LIKE treats BLOBs as text, plain LIKE (Query 3.8).
    func addLike() throws {
        try add("fl_like", counts: 2...3) { call in
            // As in the original, the comparison is case-sensitive even under NOCASE, and the result is a boolean (Query 10,
            // `more-like-collated-bool`).
            let name = call.count == 3 ? call.arguments[2].text : ""
            guard let isMatch = call.isLike(value: 0, pattern: 1, UnicodeCollation(name: name) == nil ? "BINARY" : name)
            else { return }
            call.context.resultBoolean(isMatch)
        }
        // Overriding LIKE prevents SQLite from using indexes for prefix patterns, so it is overridden only where necessary.
        guard try connection.scalar("SELECT sqlite_compileoption_used('LIKE_DOESNT_MATCH_BLOBS')") != 1 else { return }
        try add("like", counts: 2...3) { call in
            // SQL passes the pattern first. The third argument is the escape character, which is always a backslash.
            guard let isMatch = call.isLike(value: 1, pattern: 0, "BINARY") else { return }
            call.context.resultBool(isMatch)
        }
    }
}

extension FunctionCall {
    /// Returns whether one argument matches the pattern in another; `nil` if the result has already been set.
    fileprivate func isLike(value: Int, pattern: Int, _ collation: String) -> Bool? {
        let value = arguments[value]
        let pattern = arguments[pattern]
        if value.isNull || pattern.isNull {
            context.resultNull()
            return nil
        }
        guard value.type != .blob, pattern.type != .blob else { return false }
        let folding = CharacterFolding(collationName: collation)
        let compiled = environment.likePatterns.value(for: pattern.textBytes, of: collation) { bytes in
            bytes.withUnsafeBytes { LikePattern(folding.units(of: $0)) }
        }
        var effort = environment.effort
        let isMatch = compiled.matches(folding.units(of: value.textBytes), effort: &effort)
        if environment.isInterrupted {
            context.resultInterrupted()
            return nil
        }
        return isMatch
    }
}
