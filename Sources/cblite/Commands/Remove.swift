import ArgumentParser
import DocumentStore

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
        let removed = try database.writing { file in
            let collection = try collection.store(in: file)
            return try file.transaction { writer in
                try ids.map { ($0, try remove($0, from: collection, writer)) }
            }
        }
        let output = Output()
        for (id, revision) in removed {
            if self.output.json {
                try output.line(
                    JSONPrinter.object { printer in
                        printer.member("id", id)
                        printer.member("purged", purge)
                        printer.member("rev", revision?.description)
                    }
                )
            } else {
                try output.line(revision.map { "Deleted \(id), revision \($0)" } ?? "Purged \(id)")
            }
        }
        try output.flush()
    }

    private func remove(_ id: String, from collection: CollectionStore, _ writer: Writer) throws -> RevisionID? {
        if purge {
            guard try collection.purge(id, in: writer) else { throw Failure.noDocument(id, in: collection) }
            return nil
        }
        switch try collection.delete(id, base: .latest, in: writer) {
        case .saved(let revision, _): return revision
        case .missing, .alreadyDeleted: throw Failure.noDocument(id, in: collection)
        case .conflict: throw StoreError.conflict(documentID: id)
        }
    }
}
