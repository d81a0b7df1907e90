import SQLiteEngine

extension FunctionRegistrar {
    /// Registers LIKE under a collation, plain LIKE for patterns for which SQLite's own is slow, and, where SQLite's own LIKE treats BLOBs
    /// as text, plain LIKE under its name (Query 3.8).
    func addLike() throws {
        for (name, composes) in [("fl_like", false), ("fl_like_characters", true)] {
            try add(name, counts: 2...3) { call in
                // As in the original, the comparison is case-sensitive even under NOCASE, and the result is a boolean (Query 10,
                // `more-like-collated-bool`).
                let name = call.count == 3 ? call.arguments[2].text : ""
                let collation = UnicodeCollation(name: name) == nil ? "BINARY" : name
                let isOfIndex = call.isOfIndex(!composes)
                guard let isMatch = call.isLike(value: 0, pattern: 1, collation, composes: !isOfIndex) else { return }
                // Whether whole characters would give another result is not computed for each key.
                if isOfIndex, UnicodeCollation(name: collation)?.isDiacriticInsensitive ?? false,
                    !call.arguments[0].textBytes.allSatisfy({ $0 < 0x80 }) || !call.arguments[1].textBytes.allSatisfy({ $0 < 0x80 })
                {
                    call.environment.noteDifferingKey()
                }
                call.context.resultBoolean(isMatch)
            }
        }
        try addPlainLike("fl_like_text", counts: 2...2, value: 0, pattern: 1)
        // Overriding LIKE prevents SQLite from using indexes for prefix patterns, so it is overridden only where necessary.
        guard try connection.scalar("SELECT sqlite_compileoption_used('LIKE_DOESNT_MATCH_BLOBS')") != 1 else { return }
        // SQL passes the pattern first. The third argument is the escape character, which is always a backslash.
        try addPlainLike("like", counts: 2...3, value: 1, pattern: 0)
    }

    private func addPlainLike(_ name: String, counts: ClosedRange<Int32>, value: Int, pattern: Int) throws {
        try add(name, counts: counts) { call in
            // As in SQLite's own LIKE, a BLOB takes precedence over NULL.
            guard call.arguments[value].type != .blob, call.arguments[pattern].type != .blob else {
                return call.context.resultBool(false)
            }
            guard let isMatch = call.isLike(value: value, pattern: pattern, "BINARY") else { return }
            call.context.resultBool(isMatch)
        }
    }
}

extension FunctionCall {
    /// Returns whether one argument matches the pattern in another; `nil` if the result has already been set.
    fileprivate func isLike(value: Int, pattern: Int, _ collation: String, composes: Bool = false) -> Bool? {
        let value = arguments[value]
        let pattern = arguments[pattern]
        if value.isNull || pattern.isNull {
            context.resultNull()
            return nil
        }
        guard value.type != .blob, pattern.type != .blob else { return false }
        let folding = CharacterFolding(collationName: collation, composes: composes)
        func compile(_ bytes: [UInt8]) -> LikePattern { bytes.withUnsafeBytes { LikePattern(folding.units(of: $0)) } }
        let compiled =
            composes
            ? environment.characterPatterns.value(for: pattern.textBytes, of: collation, make: compile)
            : environment.likePatterns.value(for: pattern.textBytes, of: collation, make: compile)
        var effort = environment.effort
        let isMatch = compiled.matches(folding.units(of: value.textBytes), effort: &effort)
        if environment.isInterrupted {
            context.resultInterrupted()
            return nil
        }
        return isMatch
    }
}
