import ArgumentParser
import CouchbaseLiteSwift

/// `cblite cat`
struct Cat: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints documents.",
        discussion: """
            Each document is a JSON object with its ID as _id. On a terminal it is indented over several lines; otherwise it is \
            one line. In a pattern, * matches any text, ? one character and [abc] one of these characters.

            EXAMPLES:
              $ cblite cat travel.cblite2 airport_CDG
              $ cblite cat travel.cblite2 'airport_C*' route_3C_AKL_CHT
              $ cblite cat --rev --json travel.cblite2 airport_CDG

            With --json, one object per line for each document, even on a terminal.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp("Document IDs or patterns.", valueName: "id")) var ids: [String]
    @Flag(help: "Include the revision ID as _rev.") var rev = false
    @Flag(inversion: .prefixedNo, help: "Indent the JSON over several lines; default on a terminal.") var pretty: Bool?
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let output = Output()
        let isPretty = pretty ?? (output.isTerminal && !self.output.json)
        let layout = isPretty ? JSONLayout(style: output.style, isForTerminal: output.isTerminal) : nil
        try database.reading { database in
            let collection = try collection.open(in: database)
            var text = DocumentJSON()
            func print(_ document: StoredDocument) throws {
                try text.withText(of: document, includingRevision: rev) { text in
                    if let layout { try output.write(TerminalText(own: layout.layOut(text))) } else { try output.write(json: text) }
                }
                try output.newline()
            }
            for id in ids {
                if let document = try collection.storedDocument(id) {
                    try print(document)
                    continue
                }
                var isFound = false
                if id.contains(where: "*?[".contains) {
                    try collection.forEachStoredDocument(matching: id) { document in
                        isFound = true
                        try print(document)
                        return true
                    }
                }
                if !isFound {
                    try output.flush()
                    throw Failure.noDocument(id, in: collection)
                }
            }
        }
        try output.flush()
    }
}

extension Failure {
    static func noDocument(_ id: String, in collection: DocumentCollection) -> Failure {
        Failure(
            .notFound,
            "there is no document \"\(id)\" in \(collection.fullName)",
            hint: "List the existing documents with: cblite ls DATABASE"
        )
    }
}
