import Base
import DocumentStore

/// How far an app has read the history of a database; see ``Database/history(since:limit:)``.
///
/// The app stores it, as a string or with `Codable`, together with what it has made of the changes. It contains the names of the collections, and
/// identifies the database without revealing its IDs.
public struct HistoryToken: Hashable, Sendable, Codable, CustomStringConvertible {
    let position: HistoryPosition

    fileprivate init(_ position: HistoryPosition) { self.position = position }

    /// Reads a token from its ``string``.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the string is not a token.
    public init(string: String) throws {
        position = try throwingPublicErrors {
            guard let position = HistoryPosition(text: string) else { throw HistoryError.notAPosition }
            return position
        }
    }

    /// The token as a string of letters, digits, `-` and `_`; about 30 bytes, and 20 more for each collection.
    public var string: String { position.text }

    /// The same as ``string``.
    public var description: String { string }

    /// Reads a token that was encoded as a string.
    ///
    /// - Throws: `DecodingError` if the value is not a token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let position = HistoryPosition(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(HistoryError.notAPosition)")
        }
        self.position = position
    }

    /// Encodes the token as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}

/// A document that was created, changed or deleted; an element of ``HistoryPage``.
public struct HistoryChange: Sendable {
    /// Who has created the current revision of a document.
    public enum Origin: Hashable, Sendable {
        /// This app, or another program that has saved it in this database. A client that has pushed it to a listener counts as this too.
        case app
        /// A replicator of this database has pulled it.
        case replicator
        /// The database does not tell. This happens if several replicators have the document, or if its revisions were rewritten later.
        case unknown
    }

    /// The collection of the document.
    public let collection: Collection
    /// The ID of the document.
    public let documentID: String
    /// The sequence of the last change. Sequences of one collection are in the order of the changes.
    public let sequence: UInt64
    /// Whether the document is deleted.
    public let isDeleted: Bool
    /// Who has made the last change.
    public let origin: Origin
}

/// A part of the history of a database; returned by ``Database/history(since:limit:)``.
public struct HistoryPage: Sendable {
    /// The changed documents, each of them once; for each collection in the order of their last changes.
    public let changes: [HistoryChange]
    /// The full names, such as `travel.hotels`, of collections that were deleted since. A collection that was created again is named too, and all
    /// of its documents are in the ``changes`` of this page and the next ones.
    public let deletedCollections: [String]
    /// Whether there are more changes, which the next page has.
    public let hasMore: Bool
    /// The token for the next page.
    public let token: HistoryToken
}

extension Database {
    /// Returns the documents of all collections that were changed since a token, in pages.
    ///
    /// ```swift
    /// var page: HistoryPage
    /// repeat {
    ///     page = try database.history(since: token)
    ///     for change in page.changes { try mirror(change) }
    ///     token = page.token
    ///     try store(token)
    /// } while page.hasMore
    /// ```
    ///
    /// A document that was changed several times is listed once, with its last change, and one that was changed again while the pages are read
    /// comes again. So the app reads the current documents and is up to date at the end. The token survives restarts, and other processes may
    /// write and read histories at the same time. Each page is read in one snapshot; nothing is kept between the calls.
    ///
    /// What the database does not keep is not listed: earlier changes of a document, and documents that were purged or have expired. Deleted
    /// documents are listed as long as their tombstones exist.
    ///
    /// Blocks while it reads from disk. The first call creates an index of the sequences of each collection that has none.
    ///
    /// - Parameters:
    ///   - token: The token of an earlier page. Default: `nil`, all documents are listed.
    ///   - limit: The maximum number of changes of a page. Default: 1000.
    /// - Complexity: O(*n*) in the number of changes of the page. Document bodies are not read.
    /// - Throws: ``CBLError/invalidParameter`` if the token belongs to another database, also to one of which this is a copy, or to the time before
    ///   the database was restored from a backup, so that the app must begin without a token; also if `limit` is not positive;
    ///   ``CBLError/transactionNotClosed`` inside a batch, whose changes may be rolled back; ``CBLError/notOpen`` if the database is closed.
    public func history(since token: HistoryToken? = nil, limit: Int = 1000) throws -> HistoryPage {
        try throwingPublicErrors {
            try withFile { file in
                let page = try file.history(after: token?.position, limit: limit)
                var collections: [CollectionID: Collection] = [:]
                let changes: [HistoryChange] = try page.changes.compactMap { change in
                    if collections[change.collection] == nil {
                        collections[change.collection] = try file.collection(change.collection).map { Collection($0, database: self) }
                    }
                    return collections[change.collection].map { HistoryChange(change, in: $0) }
                }
                return HistoryPage(
                    changes: changes,
                    deletedCollections: page.deletedCollections.map(\.fullName),
                    hasMore: page.hasMore,
                    token: HistoryToken(page.position)
                )
            }
        }
    }
}

extension HistoryChange {
    fileprivate init(_ entry: HistoryEntry, in collection: Collection) {
        self.collection = collection
        (documentID, sequence, isDeleted) = (entry.documentID, entry.sequence, entry.isDeleted)
        origin =
            switch entry.origin {
            case .local: .app
            case .pulled: .replicator
            case .unknown: .unknown
            }
    }
}
