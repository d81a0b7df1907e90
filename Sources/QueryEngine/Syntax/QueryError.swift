/// Why a query, or the specification of an index, was refused.
///
/// Every error of this layer is of this type, whichever front end the query came from. `message` is for people; the
/// worded messages of Query 1.5 are kept letter by letter, because applications and tests compare them.
package struct QueryError: Error, Sendable, Hashable {
    /// The family of the error. The raw value is its code in the database's own error domain (Query 1.1, 1.5).
    package enum Kind: Int, Sendable, Hashable {
        /// An argument outside the query text is unusable, say an empty index name.
        case invalidParameter = 9
        /// Something that this version cannot do.
        case unsupported = 19
        /// The query does not follow the grammar, or means something that cannot be done.
        case invalidQuery = 23
        /// A full-text match names an index that does not exist.
        case missingIndex = 24
        /// A parameter was set that the query does not have.
        case invalidQueryParameter = 25
    }

    package var kind: Kind

    /// What is wrong, in words.
    package var message: String

    /// For syntax errors of SQL++ text: the furthest place the parser reached, in bytes of UTF-8 from 0.
    package var offset: Int?

    package init(_ kind: Kind, _ message: String, offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    /// The commonest case: the query makes no sense, and `message` says why.
    package static func invalidQuery(_ message: String) -> QueryError {
        QueryError(.invalidQuery, message)
    }
}

extension QueryError: CustomStringConvertible {
    package var description: String { message }
}
