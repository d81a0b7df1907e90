/// Reads the rows of tables from their pages, as far as these are intact (SQLite, "Database File Format" 1.6).
package struct TablePages {
    /// A range of rows that was not read, because the page above or with them is damaged, or a single row that is damaged.
    package struct Gap {
        /// The rows are above this number, and not above `through`.
        package let after: Int64
        /// The highest row ID that can be in the range.
        package let through: Int64
        /// The number of the page that is missing or damaged, from 1.
        package let page: Int
        /// The text in the first column, if only one row is damaged and the text can still be read.
        package var key: String?
        /// Whether only one row is damaged.
        package var isRow: Bool { key != nil || through &- after == 1 }
    }

    /// What is wrong with a page.
    package struct Damage {
        /// The number of the page, from 1.
        package let page: Int
        /// A clause about the page, such as "it cannot be read".
        package let message: String
    }

    let file: PageFile
    /// The pages that belong to a table or that were found to be free.
    private var isUsed: [Bool]
    private var overflowReads = 0
    /// The damages in the order in which they were found; of very many, only the first.
    package private(set) var damages: [Damage] = []
    /// The number of all damages; of very many, only the first are kept.
    package private(set) var damageCount = 0
    private static let maximumDamages = 10_000

    /// Prepares to read the tables of a file. Needs a byte of memory for each of its pages.
    package init(_ file: PageFile) {
        self.file = file
        isUsed = [Bool](repeating: false, count: file.pageCount + 1)
        isUsed[0] = true
    }

    private mutating func note(_ page: Int, _ message: String) {
        damageCount += 1
        if damages.count < Self.maximumDamages { damages.append(Damage(page: page, message: message)) }
    }

    /// Calls `body` with every row of the table whose tree begins at a page, as far as its pages are intact.
    ///
    /// - Returns: The gaps between the rows.
    package mutating func forEachRow(root: Int, _ body: (StoredRecord) throws -> Void) rethrows -> [Gap] {
        var gaps: [Gap] = []
        var pending = [Gap(after: .min, through: .max, page: root)]
        while let next = pending.popLast() {
            guard next.page >= 1, next.page <= file.pageCount, !isUsed[next.page] else {
                note(next.page, "it is in more than one place of the trees, or does not exist")
                gaps.append(next)
                continue
            }
            guard let page = file.page(next.page) else {
                note(next.page, "it cannot be read")
                isUsed[next.page] = true
                gaps.append(next)
                continue
            }
            guard let head = PageHead(page, number: next.page) else {
                note(next.page, "it is not a page of a table")
                gaps.append(next)
                continue
            }
            isUsed[next.page] = true
            if head.isLeaf {
                if head.isIncomplete {
                    note(next.page, "an entry in it is damaged")
                    gaps.append(next)
                }
                for cell in head.cells {
                    if let row = self.row(in: page, at: cell) {
                        try body(row)
                    } else {
                        note(next.page, "a row in it is damaged")
                        gaps.append(gap(in: page, at: cell, of: next))
                    }
                }
            } else {
                pending += children(of: page, head, in: next, &gaps)
            }
        }
        return gaps
    }

    /// Returns the gap that a damaged row makes.
    private func gap(in page: [UInt8], at cell: Int, of range: Gap) -> Gap {
        var position = cell
        guard let size = Varint64.read(page[...], &position).flatMap({ Int(exactly: $0) }),
            let rowID = Varint64.read(page[...], &position).map(Int64.init(bitPattern:)),
            rowID > range.after, rowID <= range.through
        else { return range }
        let local = page[position..<min(page.count, position + min(max(localSize(size), 0), file.usableSize))]
        return Gap(after: rowID - 1, through: rowID, page: range.page, key: StoredRecord.firstText(of: local))
    }

    /// Returns the pages below an interior page, the last of them first.
    private mutating func children(of page: [UInt8], _ head: PageHead, in range: Gap, _ gaps: inout [Gap]) -> [Gap] {
        var children: [Gap] = []
        var after = range.after
        var isDamaged = head.isIncomplete
        for cell in head.cells {
            var position = cell + 4
            guard let child = PageHead.number(page, cell), let key = Varint64.read(page[...], &position).map(Int64.init(bitPattern:)),
                key >= after, key <= range.through
            else {
                isDamaged = true
                continue
            }
            children.append(Gap(after: after, through: key, page: child))
            after = key
        }
        children.append(Gap(after: after, through: range.through, page: head.rightmost))
        if isDamaged {
            note(range.page, "an entry in it is damaged")
            gaps.append(range)
        }
        return children.reversed()
    }

    /// Marks the pages that SQLite has released, which contain old data (SQLite, "Database File Format" 1.5).
    package mutating func markFreePages() {
        guard let first = file.page(1), PageHead(first, number: 1) != nil, var trunk = PageHead.number(first, 32) else {
            return markMappedFreePages()
        }
        while trunk >= 1, trunk <= file.pageCount, !isUsed[trunk], let page = file.page(trunk) {
            isUsed[trunk] = true
            let count = min(PageHead.number(page, 4) ?? 0, file.usableSize / 4 - 2)
            for index in 0..<max(count, 0) {
                if let free = PageHead.number(page, 8 + 4 * index), free <= file.pageCount { isUsed[free] = true }
            }
            trunk = PageHead.number(page, 0) ?? 0
        }
    }

    /// Marks a page as used.
    mutating func mark(_ number: Int) {
        if isUsed.indices.contains(number) { isUsed[number] = true }
    }

    /// Calls `body` with the rows of all pages that look like those of a table, but were not found in any tree.
    package mutating func forEachLostRow(_ body: (StoredRecord) throws -> Void) rethrows {
        for number in 1..<max(isUsed.count, 1) where !isUsed[number] {
            guard let page = file.page(number), let head = PageHead(page, number: number), head.isLeaf else { continue }
            for cell in head.cells {
                if let row = self.row(in: page, at: cell) { try body(row) }
            }
        }
    }

    /// Reads the row of a cell, with what it has on overflow pages; `nil` if any of it is damaged.
    mutating func row(in page: [UInt8], at cell: Int) -> StoredRecord? {
        var position = cell
        guard let size = Varint64.read(page[...], &position).flatMap({ Int(exactly: $0) }),
            let rowID = Varint64.read(page[...], &position).map(Int64.init(bitPattern:)),
            size <= (file.pageCount + 1) * file.usableSize
        else { return nil }
        let local = localSize(size)
        guard position + local <= page.count else { return nil }
        var payload = Array(page[position..<position + local])
        guard size > local else { return StoredRecord(rowID: rowID, payload) }
        guard var next = PageHead.number(page, position + local) else { return nil }
        var chain: [Int] = []
        while payload.count < size {
            guard next >= 1, next <= file.pageCount, mayRead(overflow: next), let overflow = file.page(next) else { return nil }
            chain.append(next)
            payload.append(contentsOf: overflow[4..<min(overflow.count, 4 + size - payload.count)])
            next = PageHead.number(overflow, 0) ?? 0
        }
        guard let record = StoredRecord(rowID: rowID, payload) else { return nil }
        for number in chain { isUsed[number] = true }
        return record
    }

    /// Whether an overflow page may be read. A damaged row can lead to the pages of another one, which must find them nevertheless; but if
    /// many rows lead to the same pages, as they can in a manipulated file, reading would not end.
    private mutating func mayRead(overflow number: Int) -> Bool {
        overflowReads += 1
        guard overflowReads > 4 * (file.pageCount + 16) else { return true }
        defer { isUsed[number] = true }
        return !isUsed[number]
    }

    /// The part of a payload that is in the page of its row.
    private func localSize(_ size: Int) -> Int {
        let usable = file.usableSize
        if size <= usable - 35 { return size }
        let minimum = (usable - 12) * 32 / 255 - 23
        let wanted = minimum + (size - minimum) % (usable - 4)
        return wanted <= usable - 35 ? wanted : minimum
    }
}

/// The head of a page of a tree, and where its cells are.
struct PageHead {
    let isLeaf: Bool
    let cells: [Int]
    /// Whether a cell is not in the page.
    let isIncomplete: Bool
    /// The last page below an interior page.
    let rightmost: Int

    /// - Parameter ofIndex: Whether it must be a page of an index instead of one of a table; `nil` accepts both.
    init?(_ page: [UInt8], number: Int, ofIndex: Bool? = false) {
        let start = number == 1 ? 100 : 0
        guard page.count >= start + 12 else { return nil }
        let type = page[start]
        let (isTable, isIndex) = (type == 5 || type == 13, type == 2 || type == 10)
        guard ofIndex != true && isTable || ofIndex != false && isIndex else { return nil }
        isLeaf = type == 13 || type == 10
        let count = Int(page[start + 3]) << 8 | Int(page[start + 4])
        let array = start + (isLeaf ? 8 : 12)
        guard array + 2 * count <= page.count else { return nil }
        var cells: [Int] = []
        cells.reserveCapacity(count)
        for index in 0..<count {
            let offset = Int(page[array + 2 * index]) << 8 | Int(page[array + 2 * index + 1])
            guard offset >= array + 2 * count, offset < page.count else { continue }
            cells.append(offset)
        }
        self.cells = cells
        isIncomplete = cells.count < count
        rightmost = isLeaf ? 0 : Self.number(page, start + 8) ?? 0
    }

    static func number(_ page: [UInt8], _ offset: Int) -> Int? {
        guard offset >= 0, offset + 4 <= page.count else { return nil }
        return Int(page[offset]) << 24 | Int(page[offset + 1]) << 16 | Int(page[offset + 2]) << 8 | Int(page[offset + 3])
    }
}
