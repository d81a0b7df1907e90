import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite rm`
struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Deletes documents.",
        discussion: """
            A deleted document leaves a tombstone, so that the deletion is replicated. --purge removes the document without a \
            tombstone, from this database only. If one of the documents does not exist, none is deleted.

            In a pattern, * matches any text, ? one character and [abc] one of these characters. An argument that is the ID of a \
            document is not a pattern. If a pattern matches more than one document, the command asks for confirmation, or requires --yes \
            where standard input is no terminal.

            EXAMPLES:
              $ cblite rm travel.cblite2 airport_CDG
              $ cblite rm travel.cblite2 'airport_C*' --yes
              $ cblite rm --purge travel.cblite2 route_3C_AKL_CHT route_3C_CHC_CHT

            With --json, one object per line for each document: id, purged, and rev, the revision of the tombstone, or null.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp("Document IDs or patterns.", valueName: "id")) var ids: [String]
    @Flag(help: "Remove the documents, or their tombstones, without leaving a tombstone.") var purge = false
    @Flag(name: .shortAndLong, help: "Delete all documents that match a pattern without asking.") var yes = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    /// What an argument means.
    private enum Target {
        case document(String)
        case pattern(String, count: Int)
    }

    func run() throws {
        let output = Output()
        var removed = (count: 0, usesPatterns: false)
        try database.writing { database in
            let collection = try collection.open(in: database)
            // Before the transaction, because other programs cannot write while this one waits for an answer.
            let targets = try ids.map { try target($0, in: collection) }
            for case .pattern(let pattern, let count) in targets where count > 1 && !yes {
                try Terminal.confirm("\(purge ? "Purge" : "Delete") \(count.counted("document")) that match '\(pattern)'?")
            }
            let total = targets.reduce(0) { if case .pattern(_, let count) = $1 { $0 + count } else { $0 + 1 } }
            let progress = ProgressBar(purge ? "Purging" : "Deleting", total: total)
            defer { progress.finish() }
            // The lines are printed after the commit; with patterns only as JSON, because there can be many.
            let lines = try LineSpool(inMemory: database.config.encryptionKey != nil)
            try database.inBatch {
                func remove(_ id: String, isListed: Bool) throws {
                    let revision = try self.remove(id, from: collection)
                    if isListed || self.output.json { try append(id, revision, to: lines) }
                    removed.count += 1
                    progress.update(removed.count)
                }
                for target in targets {
                    switch target {
                    case .document(let id): try remove(id, isListed: true)
                    case .pattern(let pattern, let count):
                        removed.usesPatterns = true
                        try collection.forEachID(matching: pattern, includingDeleted: purge) { try remove($0, isListed: count == 1) }
                    }
                }
            }
            try lines.print(to: output)
        }
        if removed.usesPatterns, !self.output.json {
            try output.line("\(purge ? "Purged" : "Deleted") \(removed.count.counted("document")).")
        }
        try output.flush()
    }

    /// - Throws: ``Failure`` if a pattern matches no document.
    private func target(_ argument: String, in collection: DocumentCollection) throws -> Target {
        let isID = try purge ? collection.contains(argument) : collection.document(id: argument) != nil
        guard !isID, argument.contains(where: "*?[".contains) else { return .document(argument) }
        var count = 0
        try collection.forEachID(matching: argument, includingDeleted: purge) { _ in count += 1 }
        guard count > 0 else {
            throw Failure(
                .notFound,
                "no document in \(collection.fullName) matches \"\(argument)\"",
                hint: "List the existing documents with: cblite ls DATABASE"
            )
        }
        return .pattern(argument, count: count)
    }

    /// Returns the revision of the tombstone; `nil` if the document was purged.
    private func remove(_ id: String, from collection: DocumentCollection) throws -> String? {
        if purge {
            do {
                try collection.purge(id: id)
            } catch CBLError.notFound {
                throw Failure.noDocument(id, in: collection)
            }
            return nil
        }
        guard let document = try collection.document(id: id) else { throw Failure.noDocument(id, in: collection) }
        try collection.delete(document: document)
        return document.revisionID
    }

    private func append(_ id: String, _ revision: String?, to lines: LineSpool) throws {
        guard !output.json else { return try lines.append(json: JSONWriter.object(["id": id, "purged": purge, "rev": revision]).string) }
        try lines.append(revision.map { "Deleted \(id), revision \($0)" } ?? "Purged \(id)")
    }
}
