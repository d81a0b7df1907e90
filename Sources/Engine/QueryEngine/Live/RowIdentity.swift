package import QueryLanguage

/// Determines when a row of one result is the same row as in another result, although other values may differ.
package struct RowIdentity: Hashable, Sendable {
    /// The columns whose values together identify a row; `nil` if all columns do.
    let columns: [Int]?

    /// Two rows are the same only if all their values are equal.
    package static let wholeRow = RowIdentity(columns: nil)

    /// Returns an identity by the value in one column.
    package static func column(_ index: Int) -> RowIdentity { RowIdentity(columns: [index]) }

    /// Returns an identity by the value in the first column of `rows` with a title.
    ///
    /// - Throws: ``QueryError`` if there is no such column.
    package static func column(_ title: String, of rows: RecordedRows) throws(QueryError) -> RowIdentity {
        guard let column = rows.columnIndex(of: title) else {
            throw .invalidQuery("The query has no column \"\(title)\" to identify its rows")
        }
        return .column(column)
    }

    /// Creates an identity by the document IDs that the query selects; by the whole row if it selects none, or rows of nested or combined
    /// queries, which may contain a document several times.
    package init(documentIDsOf select: SelectStatement) {
        guard !select.readsNestedRows else {
            columns = nil
            return
        }
        let ids = select.items.isEmpty ? [0] : select.items.indices.filter { select.items[$0].isDocumentID }
        columns = ids.isEmpty ? nil : Array(ids)
    }

    private init(columns: [Int]?) { self.columns = columns }
}

extension SelectStatement {
    fileprivate var readsNestedRows: Bool {
        !combinations.isEmpty
            || sources.contains { source in
                switch source.origin {
                case .query, .search: true
                case .collection, .unnest: false
                }
            }
    }
}

extension SelectItem {
    /// Whether the column is the document ID of any source.
    fileprivate var isDocumentID: Bool {
        switch expression {
        case .nested(.meta, let path): path.onlyKey == "id"
        // With or without the alias of a source.
        case .property(let path): path.components.count <= 2 && path.lastKey == "_id"
        default: false
        }
    }
}

/// A row as a dictionary key, compared by its identity.
struct RowKey: Hashable {
    private let rows: RecordedRows
    private let row: Int
    private let identity: RowIdentity

    init(_ row: Int, of rows: RecordedRows, by identity: RowIdentity) { (self.rows, self.row, self.identity) = (rows, row, identity) }

    static func == (left: RowKey, right: RowKey) -> Bool {
        guard let columns = left.identity.columns else { return left.rows.hasSameRow(left.row, as: right.row, of: right.rows) }
        return columns.allSatisfy { left.rows.hasSameCell($0, ofRow: left.row, as: right.row, of: right.rows) }
    }

    func hash(into hasher: inout Hasher) {
        guard let columns = identity.columns else { return rows.hashRow(row, into: &hasher) }
        for column in columns { rows.hashCell(column, ofRow: row, into: &hasher) }
    }
}
