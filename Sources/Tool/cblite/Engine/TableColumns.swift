import Base

/// The columns of a table of rows: those of the result. A document that is written as `*` has a column for each property that occurs in the
/// first rows; its other properties are in a last column `…`, as JSON.
struct TableColumns {
    private enum Column {
        case value(Int)
        case document(Int, names: [ExactString: Int], hasRest: Bool)
    }

    private let columns: [Column]
    let titles: [String]

    /// The most properties that have a column.
    private static let maximumCount = 100

    /// - Parameters:
    ///   - batch: Rows of the result.
    ///   - sample: The first rows.
    ///   - isComplete: Whether these are all rows, so that no others have more properties.
    init(of batch: RowBatch, sample: [(batch: RowBatch, row: Int)], isComplete: Bool) {
        var (columns, titles): ([Column], [String]) = ([], [])
        for (column, title) in batch.titles.enumerated() {
            let found =
                batch.documentColumns.contains(column)
                ? Set(sample.flatMap { $0.batch.propertyNames($0.row, column) ?? [] }).sorted() : []
            guard !found.isEmpty else {
                columns.append(.value(column))
                titles.append(title)
                continue
            }
            let names = found.prefix(Self.maximumCount)
            let isOther = sample.contains { !$0.batch.isMissing($0.row, column) && $0.batch.propertyNames($0.row, column) == nil }
            let hasRest = !isComplete || isOther || names.count < found.count
            let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0.element, $0.offset) })
            columns.append(.document(column, names: places, hasRest: hasRest))
            titles += names.map(\.string) + (hasRest ? ["…"] : [])
        }
        (self.columns, self.titles) = (columns, titles)
    }

    func cells(_ batch: RowBatch, _ row: Int) throws -> [Table.Cell] {
        try columns.flatMap { column in
            switch column {
            case .value(let column): return [try batch.cell(row, column)]
            case .document(let column, let names, let hasRest):
                let (properties, rest) = try batch.cells(row, column, names: names)
                return hasRest ? properties + [rest] : properties
            }
        }
    }
}
