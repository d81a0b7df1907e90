/// Finds the trees of a file without its list of tables.
extension TablePages {
    /// Marks the pages that are free, as far as the map of pages knows, if the list of free pages cannot be followed.
    package mutating func markMappedFreePages() {
        guard let map = PageMap(file) else { return }
        for page in map.freePages { mark(page) }
    }

    /// Returns the pages at which the trees of tables and indexes seem to begin, except page 1, in ascending order: those that the map of
    /// pages names, or, in a file without one, those to which no other page leads.
    package func roots() -> [Int] {
        if let map = PageMap(file) { return map.roots }
        var isRoot = [Bool](repeating: false, count: file.pageCount + 1)
        var isChild = isRoot
        for number in 1..<max(isRoot.count, 1) {
            guard let page = file.page(number), let head = PageHead(page, number: number, ofIndex: nil) else { continue }
            isRoot[number] = number > 1
            guard !head.isLeaf else { continue }
            for child in head.cells.compactMap({ PageHead.number(page, $0) }) + [head.rightmost] where isChild.indices.contains(child) {
                isChild[child] = true
            }
        }
        return isRoot.indices.filter { isRoot[$0] && !isChild[$0] }
    }

    /// Returns whether a page is one of a table, and not one of an index or of another kind.
    package func isTablePage(_ number: Int) -> Bool {
        file.page(number).map { PageHead($0, number: number) != nil } ?? false
    }

    /// Returns the entries of an index, or the rows of a table without row IDs, as far as their pages are intact; their row IDs are 0.
    ///
    /// - Parameter limit: The number of entries after which reading ends.
    package func entries(root: Int, limit: Int) -> [StoredRecord] {
        var entries: [StoredRecord] = []
        _ = forEachEntry(root: root) { entry in
            entries.append(entry)
            return entries.count < limit
        }
        return entries
    }

    /// Calls `body` with the entries of an index, as far as their pages are intact, until it returns `false`; their row IDs are 0.
    ///
    /// - Returns: Whether all entries were read.
    package func forEachEntry(root: Int, _ body: (StoredRecord) -> Bool) -> Bool {
        var isComplete = true
        var pending = [root]
        var seen: Set<Int> = []
        // Longer entries continue on other pages; those that are looked for are short.
        let longest = (file.usableSize - 12) * 64 / 255 - 23
        while let number = pending.popLast() {
            guard seen.insert(number).inserted, let page = file.page(number),
                let head = PageHead(page, number: number, ofIndex: true)
            else {
                isComplete = false
                continue
            }
            if head.isIncomplete { isComplete = false }
            if !head.isLeaf { pending.append(head.rightmost) }
            for cell in head.cells {
                if !head.isLeaf, let child = PageHead.number(page, cell) { pending.append(child) }
                var position = cell + (head.isLeaf ? 0 : 4)
                guard let size = Varint64.read(page[...], &position).flatMap({ Int(exactly: $0) }), size <= page.count - position,
                    size <= longest, let entry = StoredRecord(rowID: 0, Array(page[position..<position + size]))
                else {
                    isComplete = false
                    continue
                }
                guard body(entry) else { return false }
            }
        }
        return isComplete
    }

    /// Returns the rows in the copies of a page that an earlier use of the write-ahead log has left there, the newest copy first, if it is the
    /// last page of a tree.
    package mutating func rowsOfOldCopies(ofPage number: Int) -> [[StoredRecord]] {
        file.oldCopies(ofPage: number).compactMap { page in
            guard let head = PageHead(page, number: number), head.isLeaf else { return nil }
            return head.cells.compactMap { row(in: page, at: $0) }
        }
    }
}
