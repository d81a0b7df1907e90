/// What tells that a row of one result is the same as a row of another, whatever else is in them.
package struct RowIdentity: Hashable, Sendable {
    /// The columns whose values together identify a row; nil when all do.
    let columns: [Int]?

    /// Rows are the same only if they are equal.
    package static let wholeRow = RowIdentity(columns: nil)

    /// Rows are the same when they have the same value in a column.
    package static func column(_ index: Int) -> RowIdentity {
        RowIdentity(columns: [index])
    }

    /// Rows are the same when they are made of the same documents, if the query selects the documents' IDs; otherwise when
    /// they are equal.
    package init(documentIDsOf select: Select) {
        let ids = select.items.isEmpty ? [0] : select.items.indices.filter { select.items[$0].isDocumentID }
        columns = ids.isEmpty ? nil : Array(ids)
    }

    private init(columns: [Int]?) {
        self.columns = columns
    }
}

extension SelectItem {
    /// Whether the column is the ID of a document, of whichever source.
    fileprivate var isDocumentID: Bool {
        switch expression {
        case .nested(.meta, let path): path.onlyKey == "id"
        // With the name of a source in front or without.
        case .property(let path): path.components.count <= 2 && path.lastKey == "_id"
        default: false
        }
    }
}

/// The identity of a row, for tables.
struct RowKey: Hashable {
    private let rows: RecordedRows
    private let row: Int
    private let identity: RowIdentity

    init(_ row: Int, of rows: RecordedRows, by identity: RowIdentity) {
        (self.rows, self.row, self.identity) = (rows, row, identity)
    }

    static func == (left: RowKey, right: RowKey) -> Bool {
        guard let columns = left.identity.columns else { return left.rows.hasSameRow(left.row, as: right.row, of: right.rows) }
        return columns.allSatisfy { left.rows.hasSameCell($0, ofRow: left.row, as: right.row, of: right.rows) }
    }

    func hash(into hasher: inout Hasher) {
        guard let columns = identity.columns else { return rows.hashRow(row, into: &hasher) }
        for column in columns { rows.hashCell(column, ofRow: row, into: &hasher) }
    }
}
