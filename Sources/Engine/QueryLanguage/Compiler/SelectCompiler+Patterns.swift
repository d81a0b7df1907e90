extension SelectCompiler {
    mutating func like(
        _ value: QueryExpression,
        _ pattern: QueryExpression,
        isCaseSensitive: Bool,
        in parent: Precedence,
        isAtTop: Bool
    ) throws -> String {
        var options = context.collation
        if !isCaseSensitive {
            options.isUnicode = true
            options.isCaseSensitive = false
        }
        if let name = options.collationName {
            _ = resetPendingCollation()
            let ignoresDiacritics = options.isUnicode == true && options.isDiacriticSensitive == false
            return try collatedLike(value, pattern, SQLText.literal(name), ignoresDiacritics: ignoresDiacritics)
        }
        let left = try expression(value, in: .equality)
        let glob = Self.globPattern(pattern).map { "\(left) GLOB \(SQLText.literal($0))" }
        if context.clause == .index, isAtTop, let glob { return parenthesized(glob, .equality, in: parent) }
        let sql = try plainLike(left, pattern)
        guard let glob, isAtTop, context.clause == .condition, try usesGlob(glob, for: pattern) else {
            return parenthesized(sql, .equality, in: parent)
        }
        return parenthesized("\(sql) AND \(glob)", .logic, in: parent)
    }

    /// Compiles LIKE under a collation. If it ignores diacritics, `fl_like` counts the parts of some characters, for example of Korean syllables,
    /// and its results are stored in indexes; queries that no index answers use a function that counts characters.
    private mutating func collatedLike(
        _ value: QueryExpression,
        _ pattern: QueryExpression,
        _ collation: String,
        ignoresDiacritics: Bool
    ) throws -> String {
        let function = ignoresDiacritics && !isOfIndex ? "fl_like_characters" : "fl_like"
        if ignoresDiacritics, !context.isTagRead,
            let indexed = try inIndexForm({ "fl_like(\(try $0.list([value, pattern])), \(collation))" })
        {
            return indexed
        }
        return "\(function)(\(try list([value, pattern])), \(collation))"
    }

    /// Compiles LIKE without a collation.
    ///
    /// SQLite's own LIKE is faster and finds the start of a pattern in an index, but only for literals and parameters. Inside a value it
    /// cannot be interrupted, so it is used only if the pattern limits its time. The other function checks for the interruption.
    private mutating func plainLike(_ left: String, _ pattern: QueryExpression) throws -> String {
        let right = try expression(pattern, in: .equality)
        let isFast: Bool
        switch pattern {
        case _ where context.clause == .index:
            isFast = true
        case .string(let text):
            isFast = SQLText.isFastPattern(text.utf8)
        case .parameter(let name):
            record.patterns.add(name)
            isFast = !record.hasSlowPatterns
        default:
            isFast = false
        }
        return isFast ? "\(left) LIKE \(right) ESCAPE '\\'" : "fl_like_text(\(left), \(right))"
    }

    /// Returns whether a query repeats a pattern as GLOB: if a source has a partial index with a pattern in its condition. SQLite does not allow
    /// LIKE there, because its meaning depends on a setting (Query 7.1, A17), but allows GLOB. Queries repeat the GLOB after their LIKE, so
    /// that SQLite uses the index.
    ///
    /// GLOB has the limits of SQLite's own LIKE, so a pattern for which it is slow is repeated only if the index has the same one.
    private func usesGlob(_ glob: String, for pattern: QueryExpression) throws -> Bool {
        guard case .string(let text) = pattern, SQLText.isFastPattern(text.utf8), glob.utf8.count <= SQLText.longestPattern else {
            return try inIndexForm { _ in glob } != nil
        }
        return try scope.sources.contains { source in
            guard let table = source.table else { return false }
            return try record.resolver.hasPatternIndex(in: table)
        }
    }

    /// Returns the GLOB pattern equivalent to a LIKE pattern; `nil` if the pattern is not a literal or matches nothing.
    private static func globPattern(_ pattern: QueryExpression) -> String? {
        guard case .string(let text) = pattern, !text.utf8.contains(0) else { return nil }
        var result = String.UnicodeScalarView()
        var scalars = text.unicodeScalars[...]
        while var scalar = scalars.popFirst() {
            switch scalar {
            case "%":
                result.append("*")
                continue
            case "_":
                result.append("?")
                continue
            case "\\":
                // A pattern that ends with the escape character matches nothing.
                guard let escaped = scalars.popFirst() else { return nil }
                scalar = escaped
            default:
                break
            }
            if scalar == "*" || scalar == "?" || scalar == "[" {
                result.append(contentsOf: ["[", scalar, "]"])
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
