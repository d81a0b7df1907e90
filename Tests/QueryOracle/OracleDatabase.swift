/// A document as the naive evaluator sees it.
package struct OracleDocument: Sendable {
    package var id: String
    package var sequence: Int64
    package var isDeleted: Bool
    /// Empty in a deleted document.
    package var body: [String: OracleValue]
}

/// The documents of a database by collection; the key of the default one is `_default`.
package struct OracleDatabase: Sendable {
    package var collections: [String: [OracleDocument]] = [:]
    /// Whether all text in it is ASCII, as the naive Unicode collation needs it.
    package var isASCII = true

    package init() {}
}

/// What a source delivers for one row.
enum OracleElement {
    case document(OracleDocument)
    /// An element of an array.
    case value(OracleValue)
    /// The right side of a left join that found nothing.
    case nothing
}

/// One combination of the elements of all sources, by position.
typealias OracleRow = [OracleElement]
