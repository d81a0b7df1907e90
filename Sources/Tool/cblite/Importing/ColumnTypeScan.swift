/// Finds the types of columns from all their fields: a column has numbers or booleans if all fields that are not empty are such, and texts
/// otherwise, so that one postal code with a leading zero keeps all of them as they are.
struct ColumnTypeScan {
    private struct Fields {
        var areNumbers = true
        var areBooleans = true
        var areEmpty = true
    }

    private var columns: [Fields]

    /// Reads all rows after the header.
    ///
    /// - Throws: ``Failure`` if the file cannot be read. Invalid rows are left out; they are reported when they are imported.
    init(_ reader: CSVReader, columnCount: Int) throws {
        columns = Array(repeating: Fields(), count: columnCount)
        var isHeader = true
        while true {
            do {
                guard let row = try reader.nextRow() else { return }
                if row.isBlankLine { continue }
                if !isHeader, row.count == columnCount { add(row) }
                isHeader = false
            } catch let problem as ImportProblem {
                if !problem.isRecoverable { return }
            }
        }
    }

    private mutating func add(_ row: [CSVField]) {
        for (index, field) in row.enumerated() where !field.text.isEmpty {
            columns[index].areEmpty = false
            // An exporter that quotes a field says that it is a text.
            if columns[index].areNumbers { columns[index].areNumbers = !field.isQuoted && ColumnType.isNumber(field.text) }
            if columns[index].areBooleans { columns[index].areBooleans = !field.isQuoted && ColumnType.isBoolean(field.text) }
        }
    }

    /// Returns the type of a column; `auto` if it has texts.
    func type(ofColumn index: Int) -> ColumnType {
        let fields = columns[index]
        if fields.areEmpty { return .auto }
        return fields.areNumbers ? .number : fields.areBooleans ? .bool : .auto
    }
}
