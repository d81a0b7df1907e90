import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the regular-expression functions (Query 3.9). A query fails if a pattern is invalid or takes too many steps on a text.
    func addPatternFunctions() throws {
        try add("regexp_contains", "regexp_like", counts: 2...2) { call in
            call.matching { text, pattern, effort throws(RegularExpression.Failure) in
                let match = try pattern.firstMatch(in: text, from: 0, groups: 0, effort: &effort)
                call.context.resultBoolean(match != nil)
            }
        }
        try add("regexp_position", counts: 2...2) { call in
            call.matching { text, pattern, effort throws(RegularExpression.Failure) in
                let match = try pattern.firstMatch(in: text, from: 0, groups: 1, effort: &effort)
                call.context.resultInt64(Int64(match?[0] ?? -1))
            }
        }
        try add("regexp_replace", counts: 3...4) { call in
            call.matching { text, pattern, effort throws(RegularExpression.Failure) in
                guard let replacement = call[2].stringBytes else { return call.context.resultJSONNull() }
                // Converted to an integer as by SQLite: '2' is 2, and 1.9 is 1.
                let count = call.count == 4 ? call.arguments[3].int64 : -1
                let template = ReplacementTemplate(replacement, groupCount: pattern.groupCount)
                var result: [UInt8] = []
                let fits = try pattern.replace(in: text, by: template, atMost: count < 0 ? .max : count, result: &result, effort: &effort)
                guard fits else { return call.context.resultTooBig() }
                result.withUnsafeBytes { call.context.resultText($0) }
            }
        }
    }
}

extension RegularExpression {
    /// The maximum length of a text in SQLite, in bytes (https://www.sqlite.org/limits.html).
    fileprivate static let longestResult = 1_000_000_000

    /// Appends `text` to `result` with the first `limit` matches replaced. Stops and returns `false` if the result would be longer than
    /// ``longestResult``.
    fileprivate func replace(
        in text: UnsafeRawBufferPointer,
        by template: ReplacementTemplate,
        atMost limit: Int64,
        result: inout [UInt8],
        effort: inout MatchEffort
    ) throws(Failure) -> Bool {
        var (copied, position, count) = (0, 0, Int64(0))
        while count < limit, position <= text.count,
            let match = try firstMatch(in: text, from: position, groups: template.groups, effort: &effort)
        {
            let (start, end) = (match[0], match[1])
            result += text[copied..<start]
            guard effort.spend(template.size) else { throw .interrupted }
            guard template.append(match, of: text, to: &result, limit: Self.longestResult) else { return false }
            copied = end
            count += 1
            // After an empty match the search continues after the next character.
            position = end > start ? end : end < text.count ? text.codePoint(at: end).next : end + 1
        }
        result += text[copied...]
        return result.count <= Self.longestResult
    }
}

extension FunctionCall {
    /// Calls `body` with the first two arguments, as text and pattern. Sets the result without calling it if one of them is not a string or
    /// the pattern is invalid.
    fileprivate func matching(
        _ body: (UnsafeRawBufferPointer, RegularExpression, inout MatchEffort) throws(RegularExpression.Failure) -> Void
    ) {
        guard !propagatesNull() else { return }
        guard let text = self[0].stringBytes, let pattern = self[1].stringBytes else { return context.resultJSONNull() }
        var effort = environment.effort
        do throws(RegularExpression.Failure) {
            let compiled = try environment.patterns.value(for: pattern) { bytes throws(RegularExpression.Failure) in
                try RegularExpression(bytes)
            }
            defer { compiled.releaseLargeMemory() }
            try body(text, compiled, &effort)
        } catch {
            error == .interrupted ? context.resultInterrupted() : context.resultError(error.message(for: pattern))
        }
    }
}
