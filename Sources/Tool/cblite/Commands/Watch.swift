import ArgumentParser
import CouchbaseLiteSwift
import Fleece
import Foundation

/// `cblite watch`
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints changes as they are made.",
        discussion: """
            Prints a line with a JSON object for each document that this or another program changes: id, seq, rev and deleted, and \
            with --bodies the properties as body, which is null for a deleted document. Changes by other programs are \
            printed within about a second. If a document changes several times within that time, only its newest revision is printed. A purge is \
            not a change. Each line is flushed. Ends with Ctrl-C, with exit code 0.

            EXAMPLES:
              $ cblite watch travel.cblite2
              $ cblite watch travel.cblite2 --since 0 --bodies
              $ cblite watch travel.cblite2 --id 'airport_*' --ids

            The output is JSON, also without --json.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Option(help: ArgumentHelp("Print all earlier changes with a higher sequence first; 0 for all changes.", valueName: "sequence"))
    var since: UInt64?
    @Option(
        name: .customLong("id"),
        help: ArgumentHelp("Only documents with this ID, or matching this pattern; may be repeated.", valueName: "id")
    )
    var patterns: [String] = []
    @Flag(name: .customLong("ids"), help: "Print only the IDs, one per line.") var onlyIDs = false
    @Flag(help: "Include the properties.") var bodies = false
    @Option(help: ArgumentHelp("End after this number of changes.", valueName: "number")) var limit: Int?
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !onlyIDs || !bodies && !output.json else { throw ValidationError("Give one of --ids, --bodies and --json.") }
        guard limit ?? 1 > 0 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run() throws {
        try database.reading { database in
            let collection = try collection.open(in: database)
            let changes = try ChangeStream(collection, since: since)
            let interrupt = Interrupt { [stop = changes.stopper] _ in stop() }
            defer { interrupt.cancel() }
            let output = Output()
            var count = 0
            try changes.forEach { change in
                guard patterns.isEmpty || patterns.contains(where: { fnmatch($0, change.id, 0) == 0 }) else { return true }
                if onlyIDs { try output.line(exactly: change.id) } else { try output.line(json: json(change, in: collection)) }
                try output.flush()
                count += 1
                return count != limit
            }
        }
    }

    private func json(_ change: ChangedDocument, in collection: DocumentCollection) throws -> String {
        let body = bodies && !change.isDeleted ? try collection.storedDocument(change.id)?.json(at: ValuePath()) : nil
        return JSONWriter.object { writer in
            writer.members(["id": change.id, "seq": change.sequence, "rev": change.revision, "deleted": change.isDeleted])
            if bodies { writer.member("body", json: body ?? "null") }
        }.string
    }
}
