import ArgumentParser
import CouchbaseLiteSwift
import Foundation
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
        let rows = try database.reading { database in
            let query = try statement.query(database)
            query.parameters = try statement.parameters()
            return try Self.run(query)
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
    private static func run(_ query: Query) throws -> ResultSet {
        let state = Mutex((signal: Int32?.none, hasEnded: false))
        let interrupt = Interrupt { number in
            let isFirst = state.withLock { state in
                defer { state.signal = number }
                return state.signal == nil
            }
            guard isFirst else { _exit(128 + number) }
            DispatchQueue.global().async {
                // Repeated, because the query may not have begun to run.
                while !state.withLock({ $0.hasEnded }) {
                    query.cancel()
                    usleep(10_000)
                }
            }
        }
        defer {
            state.withLock { $0.hasEnded = true }
            interrupt.cancel()
        }
        do {
            return try query.execute()
        } catch is CancellationError {
            throw ExitCode(128 + (state.withLock { $0.signal } ?? SIGINT))
        }
    }
}
