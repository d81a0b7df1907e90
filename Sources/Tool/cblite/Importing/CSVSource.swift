import Fleece

/// A file of comma-separated values (RFC 4180) with a header row, of which each other row is a document. Lines can end with LF, CR LF or CR, and
/// the file can begin with a byte order mark. Only one row at a time is in memory.
///
/// The file is read twice if the types of columns follow from their fields.
final class CSVSource: DocumentSource {
    private let reader: CSVReader
    private let types: ColumnTypes
    private let delimiter: UInt8
    private let idColumn: String?
    private let open: () throws -> InputFile
    private var columns: [(name: String, type: ColumnType)]?
    private(set) var position: SourcePosition

    /// - Parameters:
    ///   - delimiter: `nil` to find it. If it is no comma, a line on standard error says which.
    ///   - idColumn: A column that the header must have, because it contains the IDs; `nil` for none.
    ///   - open: Opens the file at its beginning. Called once or twice.
    init(types: ColumnTypes, delimiter: UInt8?, idColumn: String? = nil, _ open: @escaping () throws -> InputFile) throws {
        let input = try open()
        self.delimiter = try delimiter ?? CSVDelimiter.find(in: input)
        if delimiter == nil, self.delimiter != UInt8(ascii: ",") {
            StandardStreams.printError("\(input.name): the fields are separated by \(CSVDelimiter.name(self.delimiter)).\n")
        }
        reader = CSVReader(input, delimiter: self.delimiter)
        self.types = types
        self.idColumn = idColumn
        self.open = open
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
            if !row.isBlankLine { return row }
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
        if let idColumn, !names.contains(Array(idColumn.utf8)) {
            throw ImportProblem(
                position: row[0].position,
                message: "the header has no column \"\(idColumn)\", which --id-property names",
                isRecoverable: false
            )
        }
        for name in types.names where !names.contains(Array(name.utf8)) {
            throw ImportProblem(
                position: row[0].position,
                message: "the header has no column \"\(name)\", for which --types gives a type",
                isRecoverable: false
            )
        }
        var columns = row.map { (name: $0.text, type: types.type(of: $0.text)) }
        if columns.contains(where: { $0.type == .auto }) {
            let scan = try ColumnTypeScan(CSVReader(open(), delimiter: delimiter), columnCount: columns.count)
            for index in columns.indices where columns[index].type == .auto { columns[index].type = scan.type(ofColumn: index) }
        }
        return columns
    }
}

extension [CSVField] {
    var isBlankLine: Bool { count == 1 && self[0].text.isEmpty && !self[0].isQuoted }
}
