import ArgumentParser
import DocumentStore
import QueryEngine

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
            path, expressions, command}], sql, plan [line], query (the query's JSON).
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @Flag(name: .customLong("sql"), help: "Also show the SQL and SQLite's plan.") var showsSQL = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (sql, explanation, plan) = try database.reading { file in
            let prepared = try statement.prepare(on: file)
            return (prepared.compiled.sql, try prepared.explain(on: file), try prepared.plan(on: file))
        }
        let output = Output()
        if self.output.json {
            try output.line(json(plan, sql: sql, explanation: explanation))
        } else {
            try output.line(plan.text(statement: command))
            if showsSQL { try output.write("\n" + explanation) }
        }
        try output.flush()
    }

    /// Returns the command that creates the advised index.
    private func command(_ advice: PlanDescription.Advice) -> String {
        var words = ["cblite", "index", database.path, "create", advice.name]
        if let path = advice.arrayPath { words += ["--array", path] }
        if advice.collection != CollectionID.default.fullName { words += ["--collection", advice.collection] }
        if advice.expressions.contains(where: { $0.hasPrefix("-") }) { words.append("--") }
        words += advice.expressions
        return words.map(\.quotedForShell).joined(separator: " ")
    }

    /// - Parameter explanation: The SQL, an empty line, the lines of the plan, an empty line, the query as JSON.
    private func json(_ plan: PlanDescription, sql: String, explanation: String) -> String {
        var lines = explanation.dropFirst(sql.count).split(separator: "\n").map(String.init)
        let query = lines.popLast()
        return JSONPrinter.object { printer in
            printer.objects("steps", plan.steps) { printer, step in
                printer.member("kind", "\(step.kind)")
                printer.member("depth", step.depth)
                printer.member("text", step.text)
                printer.member("collection", step.collection)
                printer.member("index", step.index)
                printer.member("documents", json: step.documentCount.map(String.init) ?? "null")
            }
            printer.objects("advice", plan.advice) { printer, advice in
                printer.member("reason", advice.reason)
                printer.member("collection", advice.collection)
                printer.member("name", advice.name)
                printer.member("path", advice.arrayPath)
                printer.strings("expressions", advice.expressions)
                printer.member("command", command(advice))
            }
            printer.member("sql", sql)
            printer.strings("plan", lines)
            printer.member("query", json: query ?? "null")
        }
    }
}

extension String {
    /// The text as one word of a shell command line, quoted if necessary.
    fileprivate var quotedForShell: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_-./:,%+@".utf8.contains(byte)
                }
            }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
