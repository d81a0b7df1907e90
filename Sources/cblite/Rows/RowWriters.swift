/// Prints rows as a table. Strings are printed without quotes, other values as JSON, and missing values as blanks.
final class TableRows: RowWriter {
    private let form: Table.Form
    private let output: Output
    private var table: Table?

    init(_ form: Table.Form, to output: Output) { (self.form, self.output) = (form, output) }

    func write(_ batch: RowBatch) throws {
        let table = table ?? Table(batch.titles.map { ($0, .byContent) }, form: form, to: output)
        self.table = table
        for row in 0..<batch.count { try table.add(try batch.titles.indices.map { try batch.cell(row, $0) }) }
    }

    func finish() throws { try table?.finish() }
}

/// Prints each row as a list of its columns, one a line; columns whose value is missing are omitted.
final class ExpandedRows: RowWriter {
    private let output: Output
    private var count = 0

    init(to output: Output) { self.output = output }

    func write(_ batch: RowBatch) throws {
        let style = output.style
        let titles = batch.titles.map(DisplayWidth.printable)
        let width = titles.map(DisplayWidth.of).max() ?? 0
        for row in 0..<batch.count {
            count += 1
            try output.line(style.faint("─── row \(count.grouped) ───"))
            for (column, title) in titles.enumerated() {
                if batch.isMissing(row, column) { continue }
                try output.line("\(style.bold(title.padded(to: width)))  \(batch.cell(row, column).text)")
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
