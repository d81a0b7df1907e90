/// The reason why a query or the specification of an index was rejected.
///
/// Every error of this layer has this type, regardless of the front end of the query. `message` is for people. The messages listed in Query
/// 1.5 must not change, because applications and tests compare them.
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

    package var kind: Kind

    /// A description of the error.
    package var message: String

    /// For syntax errors: the position of the error in the text, in bytes of UTF-8 from 0. In SQL++ it is the furthest one that the parser
    /// reached.
    package var offset: Int?

    package init(_ kind: Kind, _ message: String, offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    /// Returns the most common error, an invalid query. `message` gives the reason.
    package static func invalidQuery(_ message: String) -> QueryError {
        QueryError(.invalidQuery, message)
    }
}

extension QueryError: CustomStringConvertible {
    package var description: String { message }
}
