import DocumentStore
import QueryLanguage
import SQLiteEngine

extension PatternExpansion {
    /// The most terms of a word that are listed.
    private static let listedTerms = 8

    /// Returns in words to what a pattern is expanded; an empty text if it is not, or if it is no text but, for example, a parameter.
    static func description(of pattern: QueryExpression, in table: String, on context: ConnectionContext) throws -> String {
        guard var text = Self.text(of: pattern) else { return "" }
        let additions = try FullTextQueryMark.whileRunningQuery {
            try text.withUTF8 { try expansion(of: $0, in: table, on: context)?.additions ?? [] }
        }
        return additions.map { addition -> String in
            let rest = addition.terms.count > listedTerms ? " and \(addition.terms.count - listedTerms) more" : ""
            return "; expands \(addition.word) to \(addition.terms.prefix(listedTerms).joined(separator: ", "))\(rest)"
        }.joined()
    }

    /// Returns the text of a literal, also in `fuzzy()`.
    private static func text(of pattern: QueryExpression) -> String? {
        switch pattern {
        case .string(let text): return text
        case .function(let name, let arguments) where QueryFunction.named(name) == .fuzzy:
            guard case .string(var text)? = arguments.first else { return nil }
            var distance = 1
            if case .integer(let number)? = arguments.dropFirst().first {
                distance = min(max(0, Int(clamping: number)), FuzzyWord.maximumDistance)
            }
            return text.withUTF8 { String(decoding: FuzzyWord.marked(UnsafeRawBufferPointer($0), distance: distance), as: UTF8.self) }
        default: return nil
        }
    }
}
