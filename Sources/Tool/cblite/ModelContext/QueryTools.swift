import CouchbaseLiteSwift
import Dispatch
import Fleece
import Synchronization

/// Runs a query.
struct QueryTool: AssistantTool {
    let name = "query"
    let arguments = [
        ToolArgument.database, ToolArgument("statement", .string, "The SELECT statement in SQL++.", isRequired: true), .parameters,
        ToolArgument("limit", .integer, "The most rows to return."),
    ]
    private let databases: ServedDatabases
    private let limits: ToolLimits

    var description: String {
        """
        Runs a SELECT in SQL++ and returns at most \(limits.rows) rows as objects. Documents cannot be changed. The query is ended after \
        \(limits.seconds.formatted()) seconds.
        """
    }

    init(_ databases: ServedDatabases, _ limits: ToolLimits) { (self.databases, self.limits) = (databases, limits) }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        let statement = try arguments.requiredString("statement")
        let rows = try arguments.count("limit", upTo: limits.rows) ?? limits.rows
        return try databases.opening(arguments.string("database")).using(.reading) { database in
            let query = try ToolQuery(statement, arguments.parameters(), limits, on: database)
            return try query.run(rows: rows, endedBy: cancellation)
        }
    }
}

/// A query whose rows are returned to an assistant.
struct ToolQuery {
    private let query: Query
    private let limits: ToolLimits

    init(_ statement: String, _ parameters: Parameters, _ limits: ToolLimits, on database: Database) throws {
        if let keyword = ShellText.changingKeyword(statement) {
            throw Failure(
                .usage,
                "\(keyword) is not a query",
                hint: "Documents can be changed with the tool change if cblite mcp runs with --writable."
            )
        }
        query = try database.createQuery(statement)
        query.parameters = parameters
        self.limits = limits
    }

    /// Runs the query and returns `{"rows": […], "truncated": …}`.
    ///
    /// - Parameter count: The most rows.
    /// - Throws: `CancellationError` if the request was cancelled; ``Failure`` if the query takes too long; the errors of the query.
    func run(rows count: Int, endedBy cancellation: RunCancellation) throws -> String {
        let deadline = RunDeadline(limits.seconds, cancellation)
        defer { deadline.end() }
        var result = JSONWriter()
        var (found, isTruncated) = (0, false)
        result.beginObject()
        result.name("rows")
        result.beginArray()
        do {
            try query.forEachBatch(endedBy: cancellation) { batch in
                var row = RowJSON()
                for index in 0..<batch.count where !isTruncated {
                    try row.withText(of: index, in: batch) { text in
                        isTruncated = found == count || result.count + text.count > limits.bytes
                        if isTruncated { return }
                        result.value(json: text)
                        found += 1
                    }
                }
                if isTruncated { throw EnoughRows() }
            }
        } catch is EnoughRows {
            // The rest of the rows is not read.
        } catch is CancellationError where deadline.hasPassed {
            throw Failure(
                .usage,
                "the query was ended after \(limits.seconds.formatted()) seconds",
                hint: "The tool explain shows which index would help."
            )
        }
        result.endArray()
        if isTruncated {
            result.member("truncated", true)
            result.member("hint", "There are more rows; use LIMIT and OFFSET, or select fewer properties.")
        }
        result.endObject()
        return result.string
    }

    private struct EnoughRows: Error {}
}

/// Ends a run after some time.
struct RunDeadline {
    private final class State: Sendable {
        let hasPassed = Atomic(false)
    }
    private let state = State()
    private let timer = DispatchSource.makeTimerSource()

    init(_ seconds: Double, _ cancellation: RunCancellation) {
        timer.schedule(deadline: .now() + seconds)
        timer.setEventHandler { [state] in
            state.hasPassed.store(true, ordering: .releasing)
            cancellation.cancel()
        }
        timer.resume()
    }

    var hasPassed: Bool { state.hasPassed.load(ordering: .acquiring) }

    /// The run has ended: nothing is retained until the time at which it would have been ended.
    func end() { timer.cancel() }
}

/// Describes how a query is run.
struct ExplainTool: AssistantTool {
    let name = "explain"
    let description = "Describes how a SELECT is run, step by step, and which indexes would make it faster. Does not run it."
    let arguments = [ToolArgument.database, ToolArgument("statement", .string, "The SELECT statement in SQL++.", isRequired: true)]
    private let databases: ServedDatabases

    init(_ databases: ServedDatabases) { self.databases = databases }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        let statement = try arguments.requiredString("statement")
        let opening = try databases.opening(arguments.string("database"))
        return try opening.using(.reading) { database in
            let plan = try database.createQuery(statement).plan
            return JSONWriter.object { PlanReport(plan, path: opening.path).write(to: &$0) }.string
        }
    }
}
