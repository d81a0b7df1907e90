import QueryLanguage
import SQLiteEngine

extension QueryError {
    /// Converts an SQLite error that a query has caused while it ran; `nil` if the query is not the cause. SQLite reports the errors of functions
    /// with the generic error code 1, and exceeded limits with other codes.
    init?(_ error: SQLiteError) {
        if PredictionFailure.caused(error) { return nil }
        if error.extendedCode == 1 {
            // Apps expect an error of SQLite (Vector search D10).
            if error.message.hasPrefix(VectorSearchCursor.errorPrefix) { return nil }
            self = error.isOfFunction ? .invalidQuery(error.message) : .defect(error)
        } else if error.isTooBig {
            self = .invalidQuery("the query, or a string or BLOB that it computes, is larger than 1,000,000,000 bytes")
        } else if error.isMismatch {
            self = .invalidQuery("LIMIT and OFFSET must be integers")
        } else {
            return nil
        }
    }

    /// Converts an SQLite error in the statement to which a query, or an index, was compiled; `nil` if the statement is not the cause.
    init?(preparing error: SQLiteError) {
        let message = error.message
        if error.extendedCode != 1 {
            self.init(error)
        } else if message.contains("prohibited in index") || message.contains("prohibited in partial index") {
            self = .invalidQuery("LIKE, ANY, EVERY and other expressions that SQLite does not allow in an index cannot be indexed")
        } else if let match = message.firstMatch(of: /^no such collation sequence: LCUnicode_.._(.*)$/) {
            self = .invalidQuery("unknown locale '\(match.1)' after COLLATE")
        } else if Self.limits.contains(where: { message.contains($0) }) {
            self = .invalidQuery(
                "the query is too large for SQLite: it has too many columns, sources, terms, operands or levels of nesting"
            )
        } else {
            self = .defect(error)
        }
    }

    /// Converts an SQLite error from creating an index, which is prepared and run in one call.
    init?(creatingIndex error: SQLiteError) {
        if PredictionFailure.caused(error) { return nil }
        if error.extendedCode == 1, Self.functionMessages.contains(where: { error.message.hasPrefix($0) }) {
            self = .invalidQuery(error.message)
        } else {
            self.init(preparing: error)
        }
    }

    /// How the messages of functions begin that may fail while keys are computed.
    private static let functionMessages = ["an index cannot contain ", "the regular expression ", "trimming characters "]

    /// What SQLite's messages about exceeded limits contain.
    private static let limits = [
        "too many ", "Expression tree is too large", "parser stack overflow", "tables in a join", "max depth", "maximum depth",
    ]

    /// The error for a statement that SQLite refuses although the query is valid: a mistake of this library. SQLite's own text, which uses the
    /// names of internal tables and functions, is not shown, but identified by a number.
    static func defect(_ error: SQLiteError) -> QueryError {
        // FNV-1a: the same message has the same number everywhere.
        let number = error.message.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let digits = String(number, radix: 16, uppercase: true)
        let code = "Q" + String(repeating: "0", count: 8 - digits.count) + digits
        return .invalidQuery(
            "internal error \(code): CouchbaseLiteSwift has translated the query to a statement that SQLite refuses; please report this as an "
                + "issue of the project, with the number, the text of the query, and the statement: \(error.sql ?? "")"
        )
    }
}

extension SQLiteError {
    /// Whether the message of an error at run time is that of a function of this library, or of the full-text search about a pattern. SQLite
    /// itself can fail then for few reasons.
    fileprivate var isOfFunction: Bool {
        !["integer overflow", "LIKE or GLOB pattern too complex", "ESCAPE expression", "unable to use function", "no such "]
            .contains { message.hasPrefix($0) }
    }
}
