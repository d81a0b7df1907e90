import CouchbaseLiteSwift
import Fleece
import QueryEngine

/// Prints the rows of a query. The public API has no text of a single value, and does not show the type of a number.
struct RowPrinter {
    private let rows: RecordedRows

    init(_ result: ResultSet) {
        rows = result.rows
    }

    var hasColumns: Bool { !rows.columnTitles.isEmpty }

    /// Prints one JSON object per line for each row, keyed by column title. Columns whose value is missing are omitted.
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

    /// Prints a table. Strings are printed without quotes, other values as JSON, and missing values as blanks.
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
        // The values reference the memory of `rows`.
        withExtendedLifetime(rows) {}
    }
}

/// An index as it was created; the public API has the names only.
struct IndexDescription {
    fileprivate let info: IndexInfo

    var name: String { info.name }
    /// The name of the kind; `nil` if it is unknown.
    var kind: String? { info.kind?.name }
    var expressions: String { info.expressions }
    var language: String { info.isSQL ? "SQL++" : "JSON" }
    var condition: String? { info.condition }
    var arrayPath: String? { info.arrayPath }
}

extension DocumentCollection {
    func indexDescriptions() throws -> [IndexDescription] {
        try IndexRegistry(database.openFile()).indexes(of: store).map { IndexDescription(info: $0) }
    }
}
