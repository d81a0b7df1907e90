package import Fleece

/// The current revision of a document as it is stored.
package struct DocumentRecord: Sendable {
    package let id: String
    /// The number of the change that made this revision; unique in the collection, counted from 1.
    package let sequence: UInt64
    package let flags: DocumentFlags
    package let revision: RevisionID
    /// The properties: a Fleece dictionary whose keys are numbered by ``sharedKeys``. Not validated.
    package let body: FleeceData
    package let sharedKeys: SharedKeys
    /// When the document expires, in milliseconds since 1970; nil when it does not.
    package let expiration: Int64?

    package var isDeleted: Bool { flags.contains(.deleted) }

    /// Calls `body` with the properties, which must not be used after it; nil when they are damaged.
    package func withProperties<Result>(_ read: (DictionaryValue) throws -> Result) rethrows -> Result? {
        try withExtendedLifetime(body) { try body.root?.dictionary.map(read) }
    }
}
