import ArgumentParser
import CouchbaseLiteSwift

/// `cblite execute`
struct Execute: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a SQL++ statement that changes documents.",
        discussion: """
            The statements are UPDATE, DELETE, INSERT and UPSERT. If the statement is -, it is read from standard input. _ is the \
            default collection. For each $NAME in the statement, --param specifies the value as JSON.

            EXAMPLES:
              $ cblite execute travel.cblite2 "UPDATE _ SET visits = 0 WHERE type = 'airport'"
              $ cblite execute travel.cblite2 'DELETE FROM _ WHERE country = $country' --param 'country="Peru"'
              $ cblite execute travel.cblite2 "INSERT INTO _ (KEY, VALUE) VALUES ('a1', {'name': 'Nowhere'})"

            A DELETE without a condition, which deletes all documents, asks for confirmation, or requires --yes where standard input is \
            no terminal.

            All changes of a statement are stored together, or none. Prints the number of changed documents and, with RETURNING, a \
            table. With --json, prints one object per line for each row of RETURNING, and the number to standard error.

            Ctrl-C cancels the statement; nothing is changed, and the exit code is 130.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @Flag(name: .shortAndLong, help: "Run a DELETE without a condition without asking.") var yes = false
    @OptionGroup var rows: RowOptions

    func run() throws {
        let text = try statement.text()
        if !yes, ShellText.deletesAll(text) { try Terminal.confirm("Delete all documents of the collection?") }
        let parameters = try statement.parameters()
        let output = Output(paging: rows.pager)
        try database.writing { database in
            try StatementRun(text, parameters, format: rows.chosen, output).print(database)
        }
    }
}

/// A statement that changes documents. Ctrl-C cancels it; a second Ctrl-C exits at once.
struct StatementRun {
    private let text: String
    private let parameters: Parameters
    private let format: RowFormat
    private let output: Output

    init(_ text: String, _ parameters: Parameters, format: RowFormat, _ output: Output) {
        self.text = text
        self.parameters = parameters
        self.format = format
        self.output = output
    }

    /// Runs the statement, and prints the rows of RETURNING and the number of changed documents.
    ///
    /// - Throws: `ExitCode` if the statement was cancelled.
    func print(_ database: Database) throws {
        let result: StatementResult
        do {
            result = try run(database)
        } catch {
            guard let hint = ShellText.insertionHint(text), let failure = Failure(error), failure.status == .usage else { throw error }
            throw failure.hinting(hint)
        }
        let batch = result.rows.batch
        if !batch.titles.isEmpty {
            let writer = format.writer(to: output)
            try writer.write(batch)
            try writer.finish()
        }
        let skipped = result.skippedCount.counted("document")
        let count =
            "\(result.changedCount.counted("document")) changed"
            + (result.skippedCount > 0 ? ", \(skipped) skipped because no assignment applies to what is there" : "")
        if format.isForPeople {
            try output.line(count)
        } else {
            StandardStreams.printError("\(count)\n")
        }
        try output.flush()
    }

    private func run(_ database: Database) throws -> StatementResult {
        let cancellation = RunCancellation()
        let stop = StopRequest { cancellation.cancel() }
        defer { stop.end() }
        do {
            return try BlockingTask.run(endedBy: cancellation) { [text, parameters] in
                try await database.async.execute(QueryText(verbatim: text), parameters: parameters)
            }
        } catch is CancellationError {
            throw stop.exitCode
        }
    }
}
