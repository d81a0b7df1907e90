import ArgumentParser

/// How the rows of a query are printed.
enum RowFormat: String, CaseIterable, ExpressibleByArgument {
    case table, box, json, jsonl, csv, markdown, expanded

    /// Whether people read it, so that the number of rows and the time are of interest.
    var isForPeople: Bool {
        switch self {
        case .table, .box, .expanded: true
        case .json, .jsonl, .csv, .markdown: false
        }
    }

    func writer(to output: Output) -> any RowWriter {
        switch self {
        case .table: TableRows(.plain, to: output)
        case .box: TableRows(.box, to: output)
        case .markdown: TableRows(.markdown, to: output)
        case .json: JSONRows(isArray: true, to: output)
        case .jsonl: JSONRows(isArray: false, to: output)
        case .csv: CSVRows(to: output)
        case .expanded: ExpandedRows(to: output)
        }
    }
}

/// The options for commands that print rows.
struct RowOptions: ParsableArguments {
    @Option(help: "How rows are printed: table, box, json (an array), jsonl (one object per line), csv, markdown or expanded.")
    var format: RowFormat?
    @Flag(help: "Print machine-readable JSON: the same as --format jsonl.")
    var json = false
    @Flag(inversion: .prefixedNo, help: "Show rows that do not fit the screen with a pager; default on a terminal.")
    var pager = true

    func validate() throws {
        guard !json || format == nil || format == .jsonl else {
            throw ValidationError("--json is --format jsonl, and cannot be used with --format \(format?.rawValue ?? "").")
        }
    }

    var chosen: RowFormat { format ?? (json ? .jsonl : .table) }
}

/// Prints rows while a query is running.
protocol RowWriter: AnyObject {
    /// Prints the rows of a batch. Called at least once.
    func write(_ batch: RowBatch) throws
    /// Prints what follows the last row.
    func finish() throws
}
