import ArgumentParser
import CouchbaseLiteSwift

/// `cblite query`
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Runs a SQL++ query.",
        discussion: """
            If the statement is -, it is read from standard input. _ is the default collection. For each $NAME in the \
            statement, --param specifies the value as JSON.

            EXAMPLES:
              $ cblite query travel.cblite2 "SELECT name, geo.alt FROM _ WHERE country = 'Peru' ORDER BY geo.alt DESC LIMIT 3"
              $ cblite query --json travel.cblite2 'SELECT count(*) AS n FROM _ WHERE geo.alt >= $feet' --param feet=300
              $ cblite query --format csv travel.cblite2 'SELECT meta().id, name FROM _' > airports.csv
              $ cblite query --json travel.cblite2 - < statement.sql

            Prints a table, and the number of rows and the time. On a terminal, columns that do not fit are cut. In tables, each \
            property of a document that is written as * has a column; those that the first rows do not have are in a last column. \
            With --json, one object per line for each row: the columns by name, without those whose value is MISSING.

            Rows are printed while the query runs. Ctrl-C cancels it; the exit code is 130.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @Flag(help: "Show the plan before the rows; with --json and for other programs, on standard error.") var explain = false
    @OptionGroup var rows: RowOptions

    func run() throws {
        let output = Output(paging: rows.pager)
        try database.reading { database in
            let query = try statement.query(database)
            query.parameters = try statement.parameters()
            if explain { try printPlan(query, output) }
            let run = QueryRun(query, format: rows.chosen, output)
            try run.print()
        }
    }

    private func printPlan(_ query: Query, _ output: Output) throws {
        guard rows.chosen.isForPeople else {
            for line in try query.plan.lines(Style(for: .standardError)) { StandardStreams.printError("\(line)\n") }
            return
        }
        for line in try query.plan.lines(output.style) { try output.line(line) }
    }
}

/// A query whose rows are printed while it runs. Ctrl-C cancels it; a second Ctrl-C exits at once.
struct QueryRun {
    private let query: Query
    private let format: RowFormat
    private let output: Output

    init(_ query: Query, format: RowFormat, _ output: Output) { (self.query, self.format, self.output) = (query, format, output) }

    /// - Throws: `ExitCode` if the query was cancelled.
    func print() throws {
        let start = ContinuousClock.now
        var count = 0
        let writer = format.writer(to: output)
        let cancellation = RunCancellation()
        let stop = StopRequest { cancellation.cancel() }
        do {
            defer { stop.end() }
            try query.forEachBatch(endedBy: cancellation) { batch in
                count += batch.count
                try writer.write(batch)
            }
        } catch is CancellationError {
            throw stop.exitCode
        }
        try writer.finish()
        if format.isForPeople {
            try output.line(output.style.faint("\(count.counted("row")), \(Self.text(.now - start))"))
        }
        try output.flush()
    }

    /// `0.4 ms`, `12 ms`, `3.21 s`.
    static func text(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        if milliseconds < 1000 { return "\(Int(milliseconds.rounded())) ms" }
        return "\((milliseconds / 10).rounded() / 100) s"
    }
}
