/// To which tree each page belongs: a table or an index, known by the page at which its tree begins (SQLite, "Database File Format" 1.6).
package struct PageOwners {
    private var roots: [Int32]

    /// Reads the interior pages of the trees.
    package init(_ file: PageFile, roots: [Int]) {
        self.roots = [Int32](repeating: 0, count: file.pageCount + 1)
        for root in roots { follow(root, file) }
    }

    /// Returns the page at which the tree of a page begins; `nil` if no tree leads to it, or if it continues a row.
    package func root(ofPage page: Int) -> Int? {
        guard roots.indices.contains(page), roots[page] > 0 else { return nil }
        return Int(roots[page])
    }

    private mutating func follow(_ root: Int, _ file: PageFile) {
        guard let owner = Int32(exactly: root) else { return }
        var pending = [root]
        while let page = pending.popLast() {
            // A page that was reached before is not followed again: a damaged tree may contain circles.
            guard roots.indices.contains(page), page > 0, roots[page] == 0 else { continue }
            roots[page] = owner
            guard let bytes = file.page(page) else { continue }
            let start = page == 1 ? 100 : 0
            // Interior pages of indexes and of tables.
            guard bytes.count >= start + 12, bytes[start] == 2 || bytes[start] == 5 else { continue }
            func number(_ offset: Int) -> Int? {
                guard offset + 4 <= bytes.count else { return nil }
                return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            }
            if let rightmost = number(start + 8) { pending.append(rightmost) }
            let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
            for index in 0..<count {
                let place = start + 12 + 2 * index
                guard place + 2 <= bytes.count else { break }
                if let child = number(Int(bytes[place]) << 8 | Int(bytes[place + 1])) { pending.append(child) }
            }
        }
    }
}
