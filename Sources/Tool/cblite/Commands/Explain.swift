import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite explain`
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows how a SQL++ query would be executed.",
        discussion: """
            Describes the plan, one line for each step, and advises indexes that would make the query faster, with the commands \
            that create them. With --sql, also prints the SQL that the query is compiled to, SQLite's plan, and the query as JSON.

            EXAMPLES:
              $ cblite explain travel.cblite2 "SELECT name FROM _ WHERE tz = 'Asia/Kathmandu'"

            With --json, one object: steps [{kind, depth, text, collection, index, documents}], advice [{reason, collection, name, \
            path, expressions, command; for a vector index also dimensions, centroids, metric}], sql, plan [line], query (the query's JSON).
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @Flag(name: .customLong("sql"), help: "Also show the SQL and SQLite's plan.") var showsSQL = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (plan, explanation, query) = try database.reading { database in
            let query = try statement.query(database)
            return (try query.plan, try query.explain(), String(decoding: query.JSONRepresentation, as: UTF8.self))
        }
        let output = Output()
        if self.output.json {
            try output.line(json: json(plan, explanation, query: query))
        } else {
            for step in plan.steps { try output.line(String(repeating: "  ", count: step.depth) + step.description) }
            let report = PlanReport(plan, path: database.path)
            for advice in plan.advice { try output.line("\nAn index would help: \(advice.reason).\n  \(report.command(advice))") }
            if showsSQL { try output.write("\n\(TerminalText(lines: explanation))") }
        }
        try output.flush()
    }

    /// - Parameter explanation: The SQL, an empty line, the lines of the plan, an empty line, the query as JSON.
    private func json(_ plan: QueryPlan, _ explanation: String, query: String) -> String {
        let parts = explanation.split(separator: "\n\n")
        return JSONWriter.object { writer in
            PlanReport(plan, path: database.path).write(to: &writer)
            writer.members([
                "sql": parts.dropLast(2).joined(separator: "\n\n"),
                "plan": parts.dropLast().last?.split(separator: "\n").map(String.init) ?? [],
            ])
            writer.member("query", json: query)
        }.string
    }
}

extension QueryPlan {
    /// The lines that describe the plan before the rows of its query.
    func lines(_ style: Style) -> [TerminalText] {
        steps.map { style.faint(String(repeating: "  ", count: $0.depth) + $0.description) }
            + advice.map { style.yellow("An index would help: \($0.reason).") }
    }
}
