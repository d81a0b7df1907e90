import ArgumentParser
import DocumentStore
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
        let output = Output()
        try database.reading { file in
            let collection = try collection.store(in: file)
            var table = Table([
                ("ID", .left), ("Revision", .left), ("Flags", .left), ("Sequence", .right), ("Size", .right),
            ])
            try forEach(in: collection) { record in
                if self.output.json {
                    try output.line(json(record))
                } else if long {
                    table.add([
                        record.id, record.revision.description, record.flags.letters, String(record.sequence),
                        String(record.body.bytes.count),
                    ])
                } else {
                    try output.line(record.id)
                }
            }
            if long, !self.output.json { try table.print(to: output, style: Style(for: .standardOutput)) }
        }
        try output.flush()
    }

    private func forEach(in collection: CollectionStore, _ body: (DocumentRecord) throws -> Void) throws {
        guard limit != 0 else { return }
        var position = 0
        let sum = offset.addingReportingOverflow(limit ?? .max)
        let end = sum.overflow ? .max : sum.partialValue
        try collection.forEachDocument(includingDeleted: deleted, matching: pattern) { record in
            if position >= offset { try body(record) }
            position += 1
            return position < end
        }
    }

    private func json(_ record: DocumentRecord) -> String {
        JSONPrinter.object { printer in
            printer.member("id", record.id)
            guard long else { return }
            printer.member("rev", record.revision.description)
            printer.member("deleted", record.isDeleted)
            printer.member("conflicted", record.flags.contains(.conflicted))
            printer.member("blobs", record.flags.contains(.hasAttachments))
            printer.member("sequence", record.sequence)
            printer.member("size", record.body.bytes.count)
            if let expiration = record.expiration {
                printer.member("expiration", expiration)
            } else {
                printer.member("expiration", nil as String?)
            }
        }
    }
}

extension DocumentFlags {
    /// One letter for each flag that is set, and a dash for each one that is not.
    fileprivate var letters: String {
        (contains(.deleted) ? "d" : "-") + (contains(.conflicted) ? "c" : "-") + (contains(.hasAttachments) ? "b" : "-")
    }
}
