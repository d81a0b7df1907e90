import Fleece

/// A file of comma-separated values (RFC 4180) with a header row, of which each other row is a document. Lines can end with LF, CR LF or CR, and
/// the file can begin with a byte order mark. Only one row at a time is in memory.
final class CSVSource: DocumentSource {
    private let reader: CSVReader
    private let types: ColumnTypes
    private var columns: [(name: String, type: ColumnType)]?
    private(set) var position: SourcePosition

    init(_ input: InputFile, types: ColumnTypes, delimiter: UInt8) {
        reader = CSVReader(input, delimiter: delimiter)
        self.types = types
        position = reader.position
    }

    var bytesConsumed: Int { reader.bytesConsumed }

    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result? {
        if columns == nil { columns = try readHeader() }
        guard let columns, let row = try nextRow() else { return nil }
        guard row.count == columns.count else {
            let place = row.count > columns.count ? row[columns.count].position : row.last?.position
            throw ImportProblem(
                position: place ?? position,
                message: "the row has \(row.count.counted("field")), but the header has \(columns.count.grouped)"
            )
        }
        var json = try JSONWriter.object { writer in
            for (column, field) in zip(columns, row) {
                switch try column.type.value(of: field) {
                case .text(let text): writer.member(column.name, text)
                case .json(let json): writer.member(column.name, json: json)
                case nil: break
                }
            }
        }.string
        return try json.withUTF8 { try body(SourceDocument(text: UnsafeRawBufferPointer($0))) }
    }

    /// Returns the next row that is not a blank line.
    private func nextRow() throws -> [CSVField]? {
        while true {
            position = reader.position
            guard let row = try reader.nextRow() else { return nil }
            if row.count > 1 || row.first.map({ !$0.text.isEmpty || $0.isQuoted }) == true { return row }
        }
    }

    private func readHeader() throws -> [(name: String, type: ColumnType)]? {
        var row: [CSVField]
        do {
            guard let first = try nextRow() else { return nil }
            row = first
        } catch var problem as ImportProblem {
            // Without a header, the other rows have no meaning.
            problem.isRecoverable = false
            throw problem
        }
        var names: Set<[UInt8]> = []
        for field in row {
            func refuse(_ message: String) -> ImportProblem {
                ImportProblem(position: field.position, message: message, isRecoverable: false)
            }
            if field.text.isEmpty { throw refuse("the header has a column without a name") }
            guard names.insert(Array(field.text.utf8)).inserted else { throw refuse("the header has the column \"\(field.text)\" twice") }
        }
        for name in types.names where !names.contains(Array(name.utf8)) {
            throw ImportProblem(
                position: row[0].position,
                message: "the header has no column \"\(name)\", for which --types gives a type",
                isRecoverable: false
            )
        }
        return row.map { ($0.text, types.type(of: $0.text)) }
    }
}
