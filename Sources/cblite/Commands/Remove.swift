import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// `cblite rm`
struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Deletes documents.",
        discussion: """
            A deleted document leaves a tombstone, so that the deletion is replicated. --purge removes the document without a \
            tombstone, from this database only. If one of the documents does not exist, none is deleted.

            EXAMPLES:
              $ cblite rm travel.cblite2 airport_CDG
              $ cblite rm --purge travel.cblite2 route_3C_AKL_CHT route_3C_CHC_CHT

            With --json, one object per line for each document: id, purged, and rev, the revision of the tombstone, or null.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp("Document IDs.", valueName: "id")) var ids: [String]
    @Flag(help: "Remove the documents, or their tombstones, without leaving a tombstone.") var purge = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        var removed: [(id: String, revision: String?)] = []
        try database.writing { database in
            let collection = try collection.open(in: database)
            try database.inBatch {
                for id in ids { removed.append((id, try remove(id, from: collection))) }
            }
        }
        let output = Output()
        for (id, revision) in removed {
            if self.output.json {
                try output.line(
                    JSONPrinter.object { printer in
                        printer.member("id", id)
                        printer.member("purged", purge)
                        printer.member("rev", revision)
                    }
                )
            } else {
                try output.line(revision.map { "Deleted \(id), revision \($0)" } ?? "Purged \(id)")
            }
        }
        try output.flush()
    }

    /// Returns the revision of the tombstone; `nil` if the document was purged.
    private func remove(_ id: String, from collection: DocumentCollection) throws -> String? {
        if purge {
            do {
                try collection.purge(id: id)
            } catch let error as NSError where error.domain == CBLError.domain && error.code == CBLError.notFound {
                throw Failure.noDocument(id, in: collection)
            }
            return nil
        }
        guard let document = try collection.document(id: id) else { throw Failure.noDocument(id, in: collection) }
        try collection.delete(document: document)
        return document.revisionID
    }
}
