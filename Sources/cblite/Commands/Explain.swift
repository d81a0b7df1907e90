import ArgumentParser
import DocumentStore
import QueryEngine

/// `cblite explain`
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows how a SQL++ query would be run.",
        discussion: """
            Shows the SQL that the query is translated to, SQLite's plan with a line for every step, and the query as JSON. \
            A step that says USING INDEX reads only what the index finds; one that says SCAN reads everything.

            EXAMPLES:
              $ cblite explain travel.cblite2 "SELECT name FROM _ WHERE tz = 'Asia/Kathmandu'"

            With --json, one object: sql, plan [line], query (the query's JSON).
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (sql, text) = try database.reading { file in
            let prepared = try statement.prepare(on: file)
            return (prepared.compiled.sql, try prepared.explain(on: file))
        }
        let output = Output()
        if self.output.json {
            try output.line(json(sql: sql, explanation: text))
        } else {
            try output.write(text)
        }
        try output.flush()
    }

    /// - Parameter explanation: The SQL, an empty line, the lines of the plan, an empty line, the query as JSON.
    private func json(sql: String, explanation: String) -> String {
        var lines = explanation.dropFirst(sql.count).split(separator: "\n").map(String.init)
        let query = lines.popLast()
        return JSONPrinter.object { printer in
            printer.member("sql", sql)
            printer.strings("plan", lines)
            printer.member("query", json: query ?? "null")
        }
    }
}
