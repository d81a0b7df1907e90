import ArgumentParser
import DocumentStore
import Fleece
import Foundation
import QueryEngine
import Synchronization

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
              $ cblite query --json travel.cblite2 - < statement.sql

            Prints a table. With --json, one object per line for each row: the columns by name, without those whose value is \
            MISSING.

            Ctrl-C cancels the query; no rows are printed, and the exit code is 130.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @OptionGroup var output: OutputOptions

    func run() throws {
        let rows = try database.reading { file in
            try Self.rows(of: statement.prepare(on: file), on: file, parameters: statement.parameters())
        }
        let output = Output()
        let printer = RowPrinter(rows)
        if self.output.json {
            try printer.printJSON(to: output)
        } else {
            try printer.printTable(to: output)
        }
        try output.flush()
    }
    /// Runs a query. Ctrl-C cancels it; a second Ctrl-C exits at once.
    ///
    /// - Throws: `ExitCode` if the query was cancelled.
    private static func rows(of query: PreparedQuery, on file: DatabaseFile, parameters: QueryParameters) throws -> RecordedRows {
        let cancellation = QueryCancellation()
        let signal = Mutex(Int32?.none)
        let interrupt = Interrupt { number in
            let isFirst = signal.withLock { signal in
                defer { signal = number }
                return signal == nil
            }
            guard isFirst else { _exit(128 + number) }
            cancellation.cancel()
        }
        defer { interrupt.cancel() }
        do {
            return try query.run(on: file, parameters: parameters, cancellation: cancellation)
        } catch is CancellationError {
            throw ExitCode(128 + (signal.withLock { $0 } ?? SIGINT))
        }
    }
}
