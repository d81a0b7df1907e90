import SQLiteEngine

/// The documents of a table that are in its gaps, as far as the index of their IDs tells, which SQLite stores on pages of its own.
struct LostDocuments {
    /// A document that was found in the index only.
    struct Document {
        let id: String
        let rowID: Int64
        /// The damaged page that leads to its row, or contains it.
        let page: Int
    }

    /// In the order of their rows.
    private(set) var documents: [Document] = []
    /// Whether no other document can be lost.
    private(set) var isComplete: Bool

    /// The most documents that are named, so that a file of any size needs little memory.
    private static let maximumCount = 100_000

    /// - Parameters:
    ///   - rescued: The numbers of the rows that were found outside of the trees.
    ///   - index: The page at which the tree of the index of the IDs begins.
    init(of table: DamagedTables.DocumentTable, _ gaps: [TablePages.Gap], rescued: Set<Int64>, index: Int, in file: PageFile) {
        let ranges = Self.disjoint(gaps)
        var pages = TablePages(file)
        var found: [Int64: Document] = [:]
        var isValid = true
        let isRead = pages.forEachEntry(root: index) { entry in
            guard entry.values.count == 2, let id = entry.values[0].text, let rowID = entry.values[1].integer else {
                isValid = false
                return true
            }
            guard let page = Self.page(of: rowID, ranges), !rescued.contains(rowID) else { return true }
            found[rowID] = Document(id: id, rowID: rowID, page: page)
            return found.count < Self.maximumCount
        }
        isComplete = isRead && isValid
        guard !found.isEmpty else { return }
        // The other rows of a page on which one is damaged.
        _ = pages.forEachRow(root: table.root) { found[$0.rowID] = nil }
        documents = found.values.sorted { $0.rowID < $1.rowID }
    }

    private struct RowRange {
        let after: Int64
        let through: Int64
        let page: Int
    }

    /// Returns ranges without overlap that contain the same rows, in ascending order: a row that is damaged may be in the range of its page.
    private static func disjoint(_ gaps: [TablePages.Gap]) -> [RowRange] {
        var ranges: [RowRange] = []
        for gap in gaps.sorted(by: { ($0.after, $1.through) < ($1.after, $0.through) }) {
            guard let last = ranges.last, gap.after < last.through else {
                ranges.append(RowRange(after: gap.after, through: gap.through, page: gap.page))
                continue
            }
            guard gap.through > last.through else { continue }
            ranges.append(RowRange(after: last.through, through: gap.through, page: gap.page))
        }
        return ranges
    }

    private static func page(of rowID: Int64, _ ranges: [RowRange]) -> Int? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].through < rowID { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && rowID > ranges[low].after ? ranges[low].page : nil
    }
}
