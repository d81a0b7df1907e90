/// What the map of pages in a file with automatic vacuuming says about each page (SQLite, "Database File Format" 1.8).
///
/// It is stored on pages of its own, so that it tells where the trees begin also if the list of tables is damaged.
struct PageMap {
    enum Use: UInt8 {
        case root = 1
        case free
        case firstOverflow
        case overflow
        case branch
    }

    private var uses: [Use?]

    /// The pages at which a tree begins, except page 1, in ascending order.
    var roots: [Int] { uses.indices.filter { uses[$0] == .root } }
    var freePages: [Int] { uses.indices.filter { uses[$0] == .free } }

    /// Reads the map. Parts of it that are damaged are left out.
    ///
    /// - Returns: `nil` if the file has no map that can be read.
    init?(_ file: PageFile) {
        uses = [Use?](repeating: nil, count: file.pageCount + 1)
        let distance = file.usableSize / 5 + 1
        // SQLite never uses the page with this byte, on which it sets its locks.
        let lockPage = (1 << 30) / file.pageSize + 1
        for start in stride(from: 2, through: file.pageCount, by: distance) {
            let number = start == lockPage ? start + 1 : start
            let last = min(start + distance - 1, file.pageCount)
            guard number < last, let page = file.page(number) else { continue }
            var found: [(page: Int, use: Use)] = []
            for described in (number + 1)...last where described != lockPage {
                let place = 5 * (described - number - 1)
                guard place + 5 <= page.count, let use = Use(rawValue: page[place]) else { break }
                let parent = page[(place + 1)...(place + 4)].reduce(0) { $0 << 8 | Int($1) }
                guard use == .root || use == .free ? parent == 0 : parent >= 1 && parent <= file.pageCount else { break }
                found.append((described, use))
            }
            // A page of another kind, or a damaged one, has other values somewhere.
            guard found.last?.page == last || found.last?.page == last - 1 && last == lockPage else { continue }
            for entry in found { uses[entry.page] = entry.use }
        }
        guard uses.contains(.root) else { return nil }
    }
}
