import ArgumentParser

/// `cblite mcp`
struct ModelContextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serves a database, or a directory of databases, to an assistant by the Model Context Protocol.",
        discussion: """
            Speaks the protocol on standard input and output, so it is not run by hand: enter the command in the configuration of the \
            assistant. The databases are read only. With --writable, statements can change documents, in two steps: the first shows \
            what would change, and the second does it.

            EXAMPLES:
              $ cblite mcp travel.cblite2
              $ cblite mcp --writable --max-rows 50 databases/

            The tools are collections, schema, query, explain, search and document; with --writable also change and save. The \
            resources are the collections and their documents. All messages are JSON, so there is no option --json.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Flag(help: "Offer tools that change documents, each with a preview.") var writable = false
    @Option(help: ArgumentHelp("The most rows that a query returns.", valueName: "count")) var maxRows = 100
    @Option(help: ArgumentHelp("How long a query may run.", valueName: "seconds")) var timeout = 10.0

    func validate() throws {
        guard (1...10_000).contains(maxRows) else { throw ValidationError("--max-rows must be from 1 to 10000.") }
        guard timeout > 0, timeout <= 3600 else { throw ValidationError("--timeout must be a number of seconds up to 3600.") }
    }

    func run() throws {
        let databases = try ServedDatabases(database)
        let limits = ToolLimits(rows: maxRows, seconds: timeout)
        let session = ModelContextSession(databases, limits: limits, isWritable: writable)
        try ModelContextConnection().serve(session)
    }
}
