package import Fleece

/// The current revision of a document as it is stored.
package struct DocumentRecord: Sendable {
    package let id: String
    /// The number of the change that created this revision. Unique in the collection, starting at 1.
    package let sequence: UInt64
    package let flags: DocumentFlags
    package let revision: RevisionID
    /// The properties: a Fleece dictionary whose shared keys are numbered by ``sharedKeys``. Not validated.
    package let body: FleeceData
    package let sharedKeys: SharedKeys
    /// The time when the document expires, in milliseconds since 1970; `nil` if it does not expire.
    package let expiration: Int64?

    package var isDeleted: Bool { flags.contains(.deleted) }

    /// Calls `read` with the properties, which are valid only during the call. Returns `nil` without calling it if the properties are
    /// damaged.
    package func withProperties<Result>(_ read: (DictionaryValue) throws -> Result) rethrows -> Result? {
        try withExtendedLifetime(body) { try body.root?.dictionary.map(read) }
    }
}
