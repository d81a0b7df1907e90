import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// LIKE under a collation and, where SQLite's own takes BLOBs for text, the plain one (Query 3.8).
    func addLike() throws {
        try add("fl_like", counts: 2...3) { call in
            // Under NOCASE case counts nevertheless, as it does in the original. The result is a boolean there (Query 10,
            // `more-like-collated-bool`).
            let name = call.count == 3 ? call.arguments[2].text : ""
            guard let isMatch = call.isLike(value: 0, pattern: 1, UnicodeCollation(name: name) == nil ? "BINARY" : name)
            else { return }
            call.context.resultBoolean(isMatch)
        }
        // An override costs SQLite's use of indexes for prefixes, so there is one only where it must be.
        guard try connection.scalar("SELECT sqlite_compileoption_used('LIKE_DOESNT_MATCH_BLOBS')") != 1 else { return }
        try add("like", counts: 2...3) { call in
            // SQL passes the pattern first. The third argument is the escape character, which is a backslash always.
            guard let isMatch = call.isLike(value: 1, pattern: 0, "BINARY") else { return }
            call.context.resultBool(isMatch)
        }
    }
}

extension FunctionCall {
    /// Whether one argument is like another; nil when the result has been given.
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
