import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite ls`
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the documents of a collection.",
        discussion: """
            In a pattern, * matches any text, ? one character and [abc] one of these characters.

            EXAMPLES:
              $ cblite ls travel.cblite2
              $ cblite ls -l travel.cblite2 'airport_C*'
              $ cblite ls --deleted --limit 10 travel.cblite2

            The long form shows for each document its revision, flags (d deleted, c conflict, b has blobs), sequence and the \
            size of its body in bytes.

            With --json, one object per line for each document: id, and with -l also rev, deleted, conflicted, blobs, sequence, \
            size, and expiration (milliseconds since 1970, or null).
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "List only IDs that match this pattern.") var pattern: String?
    @Flag(name: [.customShort("l"), .long], help: "Show revision, flags, sequence and size.") var long = false
    @Flag(help: "Include deleted documents.") var deleted = false
    @Option(help: ArgumentHelp("The maximum number of documents to list.", valueName: "number")) var limit: Int?
    @Option(help: ArgumentHelp("The number of documents to skip at the beginning.", valueName: "number")) var offset = 0
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard offset >= 0, limit ?? 0 >= 0 else { throw ValidationError("--limit and --offset cannot be negative.") }
    }

    func run() throws {
        let output = Output(paging: !self.output.json)
        try database.reading { database in
            let collection = try collection.open(in: database)
            let table = Table(
                [("ID", .left), ("Revision", .left), ("Flags", .left), ("Sequence", .right), ("Size", .right)],
                to: output
            )
            try forEach(in: collection) { document in
                if self.output.json {
                    try output.line(json: json(document))
                } else if long {
                    try table.add([
                        document.id, document.revision, letters(document), String(document.sequence), String(document.size),
                    ])
                } else {
                    try output.line(exactly: document.id)
                }
            }
            if long, !self.output.json { try table.finish() }
        }
        try output.flush()
    }

    private func forEach(in collection: DocumentCollection, _ body: (StoredDocument) throws -> Void) throws {
        guard limit != 0 else { return }
        var position = 0
        let sum = offset.addingReportingOverflow(limit ?? .max)
        let end = sum.overflow ? .max : sum.partialValue
        try collection.forEachStoredDocument(includingDeleted: deleted, matching: pattern) { document in
            if position >= offset { try body(document) }
            position += 1
            return position < end
        }
    }

    private func json(_ document: StoredDocument) -> String {
        JSONWriter.object { writer in
            writer.member("id", document.id)
            guard long else { return }
            writer.members([
                "rev": document.revision, "deleted": document.isDeleted, "conflicted": document.isInConflict, "blobs": document.hasBlobs,
                "sequence": document.sequence, "size": document.size, "expiration": document.expiration,
            ])
        }.string
    }

    /// One letter for each flag that is set, and a dash for each one that is not.
    private func letters(_ document: StoredDocument) -> String {
        (document.isDeleted ? "d" : "-") + (document.isInConflict ? "c" : "-") + (document.hasBlobs ? "b" : "-")
    }
}
