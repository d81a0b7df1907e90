import ArgumentParser
import DocumentStore
import Fleece
import QueryEngine

/// `cblite query`
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Runs a SQL++ query.",
        discussion: """
            The statement is read from standard input when it is -. _ stands for the default collection. For each $NAME in the \
            statement, --param gives the value as JSON.

            EXAMPLES:
              $ cblite query travel.cblite2 "SELECT name, geo.alt FROM _ WHERE country = 'Peru' ORDER BY geo.alt DESC LIMIT 3"
              $ cblite query --json travel.cblite2 'SELECT count(*) AS n FROM _ WHERE geo.alt >= $feet' --param feet=300
              $ cblite query --json travel.cblite2 - < statement.sql

            Without --json, a table. With it, one object per row and line: the columns by name, without those that are \
            missing in the row.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @OptionGroup var output: OutputOptions

    func run() throws {
        let rows = try database.reading { file in
            try statement.prepare(on: file).run(on: file, parameters: statement.parameters())
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
}
