/// A document of the naive evaluator.
package struct OracleDocument: Sendable {
    package var id: String
    package var sequence: Int64
    package var isDeleted: Bool
    /// The properties; empty in a deleted document.
    package var body: [String: OracleValue]
}

/// The documents of a database by collection; the key of the default collection is `_default`.
package struct OracleDatabase: Sendable {
    package var collections: [String: [OracleDocument]] = [:]
    /// Whether all text is ASCII, which the naive Unicode collation requires.
    package var isASCII = true

    package init() {}
}

/// The element of a source in one row.
enum OracleElement {
    case document(OracleDocument)
    /// An element of an array.
    case value(OracleValue)
    /// The right side of a left join without a match.
    case nothing
}

/// One combination of the elements of all sources, in the order of the sources.
typealias OracleRow = [OracleElement]
