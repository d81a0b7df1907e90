import CouchbaseLiteSwift
import DocumentStore
import QueryEngine
import SQLiteEngine

/// What a renamed collection contains.
struct RenamedCollection {
    var documents = 0
    var tombstones = 0
    var indexes = 0
    /// The indexes that were not copied, because this library cannot create them.
    var lostIndexes: [String] = []
}

extension Database {
    /// Copies a collection under a new name and deletes the old one, in one transaction: documents, tombstones and conflicts with their
    /// revision histories, expiration times and indexes. The public API has no such function.
    ///
    /// What is known about other databases is not copied: there, a collection of the new name does not have these documents.
    ///
    /// - Throws: `corruptDocument` if the history of a document is not valid. Nothing is changed then.
    func renameCollection(_ old: CollectionName, to new: CollectionName, progress: (Int) -> Void) throws -> RenamedCollection {
        let file = try openFile()
        let (oldID, newID) = (try CollectionID(name: old.name, scope: old.scope), try CollectionID(name: new.name, scope: new.scope))
        guard !oldID.isDefault else { throw StoreError.cannotDeleteDefaultCollection }
        return try file.transaction { writer in
            guard let source = try file.collection(oldID) else { throw try old.missing(in: self) }
            guard try file.collection(newID) == nil else {
                throw Failure(.cannotCreate, "the collection \(newID.fullName) already exists", hint: "Choose another name.")
            }
            let destination = try file.createCollection(newID)
            let hasVectors = try file.hasVersionVectors()
            var result = RenamedCollection()
            // In the order of the changes, which the new sequences preserve.
            try source.forEachChange(after: 0) { change in
                try Self.copy(change.documentID, from: source, to: destination, hasVectors: hasVectors, writer)
                if change.isDeleted { result.tombstones += 1 } else { result.documents += 1 }
                progress(result.documents + result.tombstones)
                return true
            }
            try source.forEachExpiration { id, time, _ in
                _ = try destination.setExpiration(time, of: id, in: writer)
                return true
            }
            let registry = IndexRegistry(file)
            let indexes = try registry.definitions(of: source)
            // First, so that the names of the indexes are free.
            try file.deleteCollection(oldID)
            result.lostIndexes = indexes.others
            for definition in indexes.definitions {
                do {
                    try registry.create(definition, on: destination)
                    result.indexes += 1
                } catch let error as SQLiteError where error.isOfPrediction {
                    // The app has to create it again: there are no predictive models here.
                    result.lostIndexes.append(definition.name)
                }
            }
            return result
        }
    }

    /// Copies the branches of a document, the current one first.
    private static func copy(
        _ id: String,
        from source: CollectionStore,
        to destination: CollectionStore,
        hasVectors: Bool,
        _ writer: Writer
    ) throws {
        for leaf in try source.revisions(of: id) ?? [] where leaf.isLeaf {
            guard let revision = try source.revision(leaf.id, of: id) else { continue }
            // Version vectors have no branches: a conflict is one with the revision of a remote.
            let remote = hasVectors && leaf.isConflict ? leaf.remotes.first : nil
            let outcome = try destination.insert(ReceivedRevision(copying: revision), remote: remote, in: writer)
            // It would be lost with the old collection.
            if let fault = outcome.fault { throw StoreError.corruptDocument(documentID: id, reason: fault) }
        }
    }
}
