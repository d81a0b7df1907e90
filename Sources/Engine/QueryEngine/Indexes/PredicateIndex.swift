import Base
package import QueryLanguage

/// The indexes of the developer previews. They have no names; the indexed expressions identify them (Query 7.4).
package struct PredicateIndex {
    private let expressions: [QueryExpression]
    /// `nil` for an index of values.
    private let fullText: FullTextIndexOptions?

    /// Describes the index on some expressions.
    ///
    /// - Parameter fullText: The options of a full-text index; `nil`, the default, for an index of values.
    package init(_ expressions: [QueryExpression], fullText: FullTextIndexOptions? = nil) {
        (self.expressions, self.fullText) = (expressions, fullText)
    }

    /// What has to be created for this index, with the name that the expressions determine.
    package var definition: IndexDefinition {
        IndexDefinition(name: name, kind: fullText.map { .fullText($0) } ?? .value, expressions: expressions)
    }

    /// The name of the index: the expressions as text, with a prefix for a full-text index, because the previews allowed one index of each
    /// kind on the same expressions. Different expressions have different names.
    package var name: String {
        let names = expressions.enumerated().map { place, expression -> String in
            if case .property(let path) = expression, Self.isUnambiguous(path.encoded),
                fullText != nil || place > 0 || !path.encoded.beginsExactly(with: Self.fullTextPrefix)
            {
                return path.encoded
            }
            // Names of indexes must not contain double quotes. Apostrophes, which take their place, are written as the JSON escape. By scalars,
            // because a quote followed by a combining accent is another character.
            return QueryJSON.text(of: expression).unicodeScalars.reduce(into: "") { name, scalar in
                switch scalar {
                case "'": name += "\\u0027"
                case "\"": name += "'"
                default: name.unicodeScalars.append(scalar)
                }
            }
        }
        return (fullText == nil ? "" : Self.fullTextPrefix) + names.joined(separator: ",")
    }

    private static let fullTextPrefix = "text:"

    /// Returns whether a property path in the name of an index cannot be taken for several paths, or for the JSON of an expression.
    /// Otherwise it is written as JSON, too.
    private static func isUnambiguous(_ path: String) -> Bool {
        guard let first = path.unicodeScalars.first else { return true }
        return !"[{'".unicodeScalars.contains(first) && !path.unicodeScalars.contains { $0 == "," || $0 == "\"" }
    }

    /// Parses a string in a list of expressions: an expression in the syntax of predicate strings, or a property path in quotes.
    package static func parseItem(_ text: String) throws(QueryError) -> QueryExpression {
        let expression = try PredicateString.parseGrouping(text)
        if case .string(let path) = expression { return try .property(encodedPath: path) }
        return expression
    }
}
