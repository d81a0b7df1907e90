import Base
import DocumentStore
import SQLiteEngine
import VectorSearch

/// Completes the vector indexes of a file before a transaction ends: computes the vectors of the documents that triggers have marked (Vector
/// search EN-4).
final class VectorIndexMaintenance: MaintainedIndexes {
    private var indexes: [VectorIndexWriter]

    /// Returns `nil` if the file has no vector index.
    init?(_ file: DatabaseFile, _ writer: Writer) throws {
        guard try VectorAdoption(file: file, writer: writer).run() else { return nil }
        indexes = try Self.indexes(of: file, writer)
        if indexes.isEmpty { return nil }
    }

    private static func indexes(of file: DatabaseFile, _ writer: Writer) throws -> [VectorIndexWriter] {
        var indexes: [VectorIndexWriter] = []
        for entry in try VectorRegistry.entries(on: writer.connection) {
            guard let collection = try CollectionID(storeName: entry.store).flatMap({ try file.collection($0) }),
                VectorIndexTables(indexNamed: entry.name, ofTable: collection.tables.liveName) == entry.tables,
                let index = try? VectorIndexWriter(entry, of: collection, writer)
            else { continue }
            // It has no triggers any more, and reindexing repairs it.
            if entry.isDamaged { continue }
            // Somebody may have dropped or replaced a table or a trigger.
            if try index.isComplete || index.repair() { indexes.append(index) }
        }
        return indexes
    }

    func complete() throws {
        indexes = try indexes.filter { index in
            do {
                try index.complete()
            } catch let error as SQLiteError where error.isOfMissingModel {
                // The documents stay marked, and are indexed when there is the model (Vector search VI-12).
                index.writer.logAfterTransaction(
                    .warning,
                    "documents are not in the vector index \"\(index.entry.name)\" yet: \(error.message)"
                )
            } catch is VectorIndexDamage {
                return try index.repair()
            }
            return true
        }
    }
}
