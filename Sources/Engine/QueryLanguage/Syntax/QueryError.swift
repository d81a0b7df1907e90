/// The reason why a query or the specification of an index was rejected.
///
/// Every error of this layer has this type, regardless of the front end of the query. `message` is for people. The messages listed in Query
/// 1.5 must not change, because applications and tests compare them; what helps the reader besides is in `hint` and `excerpt`. Errors that
/// differ only in these are equal.
package struct QueryError: Error, Sendable, Hashable {
    /// The category of the error. The raw value is its code in the database's own error domain (Query 1.1, 1.5).
    package enum Kind: Int, Sendable, Hashable {
        /// An argument outside the query text is invalid, such as an empty index name.
        case invalidParameter = 9
        /// An operation that this version does not support.
        case unsupported = 19
        /// The query violates the grammar, or requests something impossible.
        case invalidQuery = 23
        /// A full-text match names an index that does not exist.
        case missingIndex = 24
        /// A parameter was set that the query does not have.
        case invalidQueryParameter = 25
    }

    /// The parts of an error, in an object: each call that may throw reserves the size of an error on the stack, which limits the nesting
    /// depth of queries.
    private final class Parts: Sendable {
        let kind: Kind
        let message: String
        let hint: String
        let excerpt: String
        let offset: Int?

        init(_ kind: Kind, _ message: String, _ hint: String, _ excerpt: String, _ offset: Int?) {
            (self.kind, self.message, self.hint, self.excerpt, self.offset) = (kind, message, hint, excerpt, offset)
        }
    }

    private let parts: Parts

    /// Creates an error, in the form in which ``description`` composes it: message, hint, excerpt.
    package init(_ kind: Kind, _ message: String, hint: String = "", excerpt: String = "", offset: Int? = nil) {
        parts = Parts(kind, message, hint, excerpt, offset)
    }

    /// The category, which determines the code that an app receives.
    package var kind: Kind { parts.kind }

    /// A description of the error.
    package var message: String { parts.message }

    /// What was expected, or is probably meant: follows `message`, and begins with the punctuation between them. May be empty.
    package var hint: String { parts.hint }

    /// The line of the query with the error, and below it a line with a mark under the place. May be empty.
    package var excerpt: String { parts.excerpt }

    /// For syntax errors: the position of the error in the text, in bytes of UTF-8 from 0. In SQL++ it is the furthest one that the parser
    /// reached.
    package var offset: Int? { parts.offset }

    /// Returns the most common error, an invalid query. `message` gives the reason.
    package static func invalidQuery(_ message: String, hint: String = "") -> QueryError { QueryError(.invalidQuery, message, hint: hint) }

    /// Returns the error for a function that does not exist.
    static func unknownFunction(_ name: String) -> QueryError {
        .invalidQuery("Unknown function '\(name)'", hint: QueryFunction.hint(for: name))
    }

    package static func == (left: QueryError, right: QueryError) -> Bool {
        left.kind == right.kind && left.message == right.message && left.offset == right.offset
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(message) }
}

extension QueryError: CustomStringConvertible {
    package var description: String { message + hint + (excerpt.isEmpty ? "" : "\n" + excerpt) }
}
