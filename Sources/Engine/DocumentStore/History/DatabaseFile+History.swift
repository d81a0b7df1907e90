import Crypto
import SQLiteEngine

/// A part of the history of a database: the documents that were changed after a position.
package struct HistoryPart: Sendable {
    /// The documents, for each collection in the order of their sequences.
    package fileprivate(set) var changes: [HistoryEntry] = []
    /// The collections that were deleted after the position, or deleted and created again.
    package fileprivate(set) var deletedCollections: [CollectionID] = []
    /// Whether there are more documents after the position of this part.
    package fileprivate(set) var hasMore = false
    /// How far the history has been read with this part.
    package let position: HistoryPosition
}

/// Why the history after a position cannot be read.
package enum HistoryError: Error, Equatable, CustomStringConvertible {
    /// The text is not a position.
    case notAPosition
    /// The position belongs to another database, to the one of which this one is a copy, or to the time before a restore.
    case otherDatabase
    /// The position is after the last change of a collection, so the files were replaced by older ones.
    case newerThanDatabase(collection: String)
    /// The limit is not positive.
    case limitTooSmall

    package var description: String {
        switch self {
        case .notAPosition: "the text is not a token of a history: read the history from the beginning"
        case .otherDatabase:
            "the token belongs to another database, or to the time before this one was restored: read the history from the beginning"
        case .newerThanDatabase(let collection):
            "the token is newer than the collection \(collection), whose files were replaced by older ones: read the history from the beginning"
        case .limitTooSmall: "the limit of a history must be positive"
        }
    }
}

extension DatabaseFile {
    /// Reads the next part of the history, in one snapshot.
    ///
    /// The first call creates the indexes of sequences if they are missing and can be created.
    ///
    /// - Parameters:
    ///   - position: The position after which the documents were changed; `nil` for all documents.
    ///   - limit: The maximum number of documents.
    /// - Throws: ``HistoryError``; `inTransaction` in a batch, whose changes may be rolled back.
    /// - Complexity: O(*n*) in the number of collections and returned documents.
    package func history(after position: HistoryPosition?, limit: Int) throws -> HistoryPart {
        guard limit > 0 else { throw HistoryError.limitTooSmall }
        if isInTransaction { throw StoreError.inTransaction(path: bundle.directory) }
        for id in try collectionIDs() {
            guard let collection = try self.collection(id), try collection.lacks(.sequences) else { continue }
            // Without the index, reading is only slower.
            try? transaction { try collection.create(.sequences, in: $0) }
        }
        return try read { context in
            let identity = try historyIdentity(on: context.connection)
            if let position, position.database != identity { throw HistoryError.otherDatabase }
            return try part(after: position, identity, limit)
        }
    }

    private func part(after position: HistoryPosition?, _ database: [UInt8], _ limit: Int) throws -> HistoryPart {
        var old: [CollectionID: HistoryPosition.Entry] = [:]
        for entry in position?.entries ?? [] { old[entry.collection] = entry }
        var changes: [HistoryEntry] = []
        var entries: [HistoryPosition.Entry] = []
        var hasMore = false
        for id in try collectionIDs() {
            guard let collection = try self.collection(id) else { continue }
            let (identity, last) = (try collection.identity(), try collection.lastSequence())
            var sequence: UInt64 = 0
            if let known = old[id], known.identity == identity {
                guard known.sequence <= last else { throw HistoryError.newerThanDatabase(collection: id.fullName) }
                sequence = known.sequence
                old[id] = nil
            }
            let free = limit - changes.count
            if free > 0, sequence < last {
                let found = try collection.history(after: sequence, limit: free)
                changes += found
                sequence = found.count < free ? last : found.last?.sequence ?? last
            }
            if sequence < last { hasMore = true }
            entries.append(HistoryPosition.Entry(collection: id, identity: identity, sequence: sequence))
        }
        var part = HistoryPart(position: HistoryPosition(database: database, entries: entries))
        (part.changes, part.hasMore) = (changes, hasMore)
        // What is left belongs to collections that do not exist any more.
        part.deletedCollections = old.keys.sorted { $0.fullName < $1.fullName }
        return part
    }

    /// Returns what identifies the content of the database: a hash of its private ID, which is not shown, and of the last restore.
    private func historyIdentity(on connection: Connection) throws -> [UInt8] {
        let parts = try [InfoStore.privateUUID, InfoStore.restoration].flatMap { try InfoStore.bytes($0, on: connection) ?? [] }
        return Array(Array(SHA256.hash(data: parts)).prefix(HistoryPosition.identitySize))
    }
}
