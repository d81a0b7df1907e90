/// Prints rows as a table. Strings are printed without quotes, other values as JSON, and missing values as blanks.
final class TableRows: RowWriter {
    private let form: Table.Form
    private let output: Output
    private var table: (table: Table, columns: TableColumns)?
    private var first: RowBatch?
    /// The rows until the columns are known.
    private var sample: [(batch: RowBatch, row: Int)] = []
    private static let sampleSize = 100

    init(_ form: Table.Form, to output: Output) { (self.form, self.output) = (form, output) }

    func write(_ batch: RowBatch) throws {
        if first == nil { first = batch }
        if table == nil, batch.documentColumns.isEmpty { try begin(batch, isComplete: true) }
        for row in 0..<batch.count {
            if table == nil, sample.count == Self.sampleSize { try begin(batch, isComplete: false) }
            if let (table, columns) = table { try table.add(columns.cells(batch, row)) } else { sample.append((batch, row)) }
        }
    }

    private func begin(_ batch: RowBatch, isComplete: Bool) throws {
        let columns = TableColumns(of: batch, sample: sample, isComplete: isComplete)
        let table = Table(columns.titles.map { ($0, .byContent) }, form: form, to: output)
        for (batch, row) in sample { try table.add(columns.cells(batch, row)) }
        sample = []
        self.table = (table, columns)
    }

    func finish() throws {
        if table == nil, let first { try begin(first, isComplete: true) }
        try table?.table.finish()
    }
}

/// Prints each row as a list of its columns, one a line; columns whose value is missing are omitted.
final class ExpandedRows: RowWriter {
    private let output: Output
    private var count = 0

    init(to output: Output) { self.output = output }

    func write(_ batch: RowBatch) throws {
        let style = output.style
        for row in 0..<batch.count {
            count += 1
            try output.line(style.faint("─── row \(count.grouped) ───"))
            // Each row has its own columns, so that no document has others.
            let columns = TableColumns(of: batch, sample: [(batch, row)], isComplete: true)
            let titles = columns.titles.map(DisplayWidth.printable)
            let width = titles.map(DisplayWidth.of).max() ?? 0
            for (title, cell) in zip(titles, try columns.cells(batch, row)) where !cell.isMissing {
                try output.line("\(style.bold(title.padded(to: width)))  \(cell.text)")
            }
        }
    }

    func finish() throws {}
}

/// Prints each row as a JSON object on a line of its own, in an array or not.
final class JSONRows: RowWriter {
    private let isArray: Bool
    private let output: Output
    private var hasRows = false

    init(isArray: Bool, to output: Output) { (self.isArray, self.output) = (isArray, output) }

    func write(_ batch: RowBatch) throws {
        var text = RowJSON()
        for row in 0..<batch.count {
            if isArray {
                try output.write(hasRows ? ",\n" : "[\n")
                hasRows = true
            }
            try text.withText(of: row, in: batch) { try output.write(json: $0) }
            if !isArray { try output.newline() }
        }
    }

    func finish() throws {
        if isArray { try output.line(hasRows ? "\n]" : "[]") }
    }
}

/// Prints comma-separated values (RFC 4180), with the titles first and lines that end with LF. Missing values and null are empty, an empty
/// string is `""`, and arrays and objects are JSON.
final class CSVRows: RowWriter {
    private let output: Output
    private var hasTitles = false

    init(to output: Output) { self.output = output }

    func write(_ batch: RowBatch) throws {
        if !hasTitles {
            hasTitles = true
            try output.line(exactly: batch.titles.map(quoted).joined(separator: ","))
        }
        for row in 0..<batch.count {
            for column in batch.titles.indices {
                if column > 0 { try output.write(",") }
                try output.write(exactly: batch.text(row, column).map(quoted) ?? "")
            }
            try output.newline()
        }
    }

    func finish() throws {}

    private func quoted(_ text: String) -> String {
        // Before the quotes: a field on a terminal has no line feeds.
        let text = output.forTerminal(text)
        let needsQuotes = text.isEmpty || text.utf8.contains { ",\"\r\n".utf8.contains($0) } || text.hasPrefix(" ") || text.hasSuffix(" ")
        return needsQuotes ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }
}
