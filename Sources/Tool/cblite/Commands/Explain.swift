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
            path, expressions, command}], sql, plan [line], query (the query's JSON).
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
            for advice in plan.advice { try output.line("\nAn index would help: \(advice.reason).\n  \(command(advice))") }
            if showsSQL { try output.write("\n\(TerminalText(lines: explanation))") }
        }
        try output.flush()
    }

    /// The SQL++ expressions of the advised index, and the path of an array index.
    private func definition(_ advice: QueryPlan.Advice) -> (expressions: [String], path: String?) {
        switch advice.configuration {
        case let value as ValueIndexConfiguration: (value.expressions, nil)
        case let array as ArrayIndexConfiguration: (array.expressions ?? [], array.path)
        default: ([], nil)
        }
    }

    /// Returns the command that creates the advised index.
    private func command(_ advice: QueryPlan.Advice) -> String {
        let (expressions, path) = definition(advice)
        var words = ["cblite", "index", "create", database.path, advice.name]
        if let path { words += ["--array", path] }
        if advice.collection != DocumentCollection.defaultFullName { words += ["--collection", advice.collection] }
        if expressions.contains(where: { $0.hasPrefix("-") }) { words.append("--") }
        words += expressions
        return words.map(\.quotedForShell).joined(separator: " ")
    }

    /// - Parameter explanation: The SQL, an empty line, the lines of the plan, an empty line, the query as JSON.
    private func json(_ plan: QueryPlan, _ explanation: String, query: String) -> String {
        let parts = explanation.split(separator: "\n\n")
        return JSONWriter.object { writer in
            writer.objects("steps", plan.steps) { writer, step in
                writer.members([
                    "kind": "\(step.kind)", "depth": step.depth, "text": step.description, "collection": step.collection,
                    "index": step.index,
                ])
                writer.member("documents", json: step.documentCount.map(String.init) ?? "null")
            }
            writer.objects("advice", plan.advice) { writer, advice in
                let (expressions, path) = definition(advice)
                writer.members([
                    "reason": advice.reason, "collection": advice.collection, "name": advice.name, "path": path, "expressions": expressions,
                    "command": command(advice),
                ])
            }
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
