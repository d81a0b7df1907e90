import Fleece
import QueryEngine

/// Prints the result of a query.
struct RowPrinter {
    private let rows: RecordedRows

    init(_ rows: RecordedRows) {
        self.rows = rows
    }

    /// One JSON object per row and line, keyed by column. A column that is missing in a row is left out.
    func printJSON(to output: Output) throws {
        var writer = JSONWriter()
        for row in 0..<rows.count {
            writer.removeAll()
            var needsComma = false
            writer.append(ascii: "{")
            for (column, title) in rows.columnTitles.enumerated() {
                guard let value = rows.value(row: row, column: column), !value.isUndefined else { continue }
                if needsComma { writer.append(ascii: ",") }
                needsComma = true
                writer.append(title)
                writer.append(ascii: ":")
                try writer.append(value, form: .canonical)
            }
            writer.append(ascii: "}")
            try writer.withBytes { try output.write($0) }
            try output.newline()
        }
    }

    /// A table. Texts stand as they are, everything else as JSON; what is missing is left blank.
    func printTable(to output: Output) throws {
        let alignments = rows.columnTitles.indices.map { column -> Table.Alignment in
            let isNumeric = (0..<rows.count).allSatisfy { row in
                rows.value(row: row, column: column).map { $0.type == .number } ?? true
            }
            return isNumeric ? .right : .left
        }
        var table = Table(zip(rows.columnTitles, alignments).map { ($0, $1) })
        for row in 0..<rows.count {
            table.add(
                try rows.columnTitles.indices.map { column in
                    guard let value = rows.value(row: row, column: column), !value.isUndefined else { return "" }
                    return try value.string ?? JSON.string(value, form: .canonical)
                }
            )
        }
        try table.print(to: output, style: Style(for: .standardOutput))
        // The values are part of the rows' memory.
        withExtendedLifetime(rows) {}
    }
}
