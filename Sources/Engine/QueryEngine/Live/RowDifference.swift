/// The changes that turn the rows of one result into the rows of another.
///
/// To apply them, remove the old rows in ``removed`` and ``moved``, then insert the new rows in ``inserted`` and ``moved`` in ascending
/// order of their new indexes, and replace the values of the rows in ``updated``.
package struct RowDifference: Equatable, Sendable {
    /// The indexes of a row that both results contain.
    package struct Pair: Hashable, Sendable {
        /// The index of the row in the earlier result.
        package let old: Int
        /// The index of the row in the later result.
        package let new: Int

        package init(old: Int, new: Int) { (self.old, self.new) = (old, new) }
    }

    /// The old indexes of removed rows, ascending.
    package private(set) var removed: [Int] = []
    /// The new indexes of inserted rows, ascending.
    package private(set) var inserted: [Int] = []
    /// The rows whose order relative to the other remaining rows has changed, sorted by new index. Their number is minimal.
    package private(set) var moved: [Pair] = []
    /// The rows with the same identity but different values, sorted by new index. A row can be both moved and updated.
    package private(set) var updated: [Pair] = []

    /// Compares two results of the same query.
    ///
    /// - Parameter identity: Determines which rows are the same. If several rows have the same identity, the first old one corresponds to
    ///   the first new one, the second to the second, and so on.
    /// - Complexity: O(*n* log *n*); little more than a comparison of the bytes if the rows that differ are close together.
    package init(from old: RecordedRows, to new: RecordedRows, by identity: RowIdentity) {
        var start = 0
        let shorter = min(old.count, new.count)
        while start < shorter, old.hasSameRow(start, as: start, of: new) { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old.hasSameRow(oldEnd - 1, as: newEnd - 1, of: new) {
            oldEnd -= 1
            newEnd -= 1
        }
        compare(old, start..<oldEnd, new, start..<newEnd, by: identity)
    }

    /// Whether the results are equal.
    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

    /// Returns the items of the new rows: items of unchanged rows are kept, the others are made by `make`.
    ///
    /// - Parameters:
    ///   - items: One item for each of the old rows, in order. With any other number of items, all items are made again.
    ///   - oldCount: The number of old rows.
    ///   - count: The number of new rows.
    package func items<Item>(from items: [Item], of oldCount: Int, count: Int, make: (Int) throws -> Item) rethrows -> [Item] {
        guard items.count == oldCount else { return try (0..<count).map(make) }
        var origins = self.origins(of: oldCount, count: count)
        for pair in updated { origins[pair.new] = nil }
        return try origins.enumerated().map { index, origin in try origin.map { items[$0] } ?? make(index) }
    }

    /// Returns the old index of each of the new rows; `nil` for those that are inserted.
    func origins(of oldCount: Int, count: Int) -> [Int?] {
        let gone = Set(removed).union(moved.lazy.map(\.old))
        var staying = (0..<oldCount).lazy.filter { !gone.contains($0) }.makeIterator()
        var origins = [Int?](repeating: nil, count: count)
        let isInserted = Set(inserted)
        for pair in moved { origins[pair.new] = pair.old }
        for index in origins.indices where origins[index] == nil && !isInserted.contains(index) {
            origins[index] = staying.next()
        }
        return origins
    }

    /// Returns the difference between the results without some of their rows. The number of moved rows may then not be minimal.
    ///
    /// - Parameters:
    ///   - isOldKept: For each old row, whether it is kept.
    ///   - isNewKept: For each new row, whether it is kept. Of a row that has not changed, both or none are kept.
    package func ofRows(isKept isOldKept: [Bool], _ isNewKept: [Bool]) -> RowDifference {
        if !isOldKept.contains(false), !isNewKept.contains(false) { return self }
        let (oldIndexes, newIndexes) = (Self.indexes(ofKept: isOldKept), Self.indexes(ofKept: isNewKept))
        let ofKept = { (pairs: [Pair]) in
            pairs.compactMap { pair in
                guard let old = oldIndexes[pair.old], let new = newIndexes[pair.new] else { return Pair?.none }
                return Pair(old: old, new: new)
            }
        }
        let (lost, gained) = (updated.filter { !isNewKept[$0.new] }, updated.filter { !isOldKept[$0.old] })
        var kept = self
        kept.removed = (removed + lost.map(\.old)).compactMap { oldIndexes[$0] }.sorted()
        kept.inserted = (inserted + gained.map(\.new)).compactMap { newIndexes[$0] }.sorted()
        (kept.moved, kept.updated) = (ofKept(moved), ofKept(updated))
        return kept
    }

    /// Returns for each row its index among the kept rows; `nil` if it is not kept.
    private static func indexes(ofKept isKept: [Bool]) -> [Int?] {
        var count = 0
        return isKept.map { isKept in
            guard isKept else { return nil }
            count += 1
            return count - 1
        }
    }

    private mutating func compare(
        _ old: RecordedRows,
        _ oldRange: Range<Int>,
        _ new: RecordedRows,
        _ newRange: Range<Int>,
        by identity: RowIdentity
    ) {
        if oldRange.isEmpty || newRange.isEmpty {
            (removed, inserted) = (Array(oldRange), Array(newRange))
            return
        }
        // For each identity, its new rows, and how many of them have been assigned to an old row.
        var candidates: [RowKey: (rows: [Int], taken: Int)] = [:]
        for row in newRange { candidates[RowKey(row, of: new, by: identity), default: ([], 0)].rows.append(row) }
        var pairs: [Pair] = []
        var isTaken = [Bool](repeating: false, count: newRange.count)
        for row in oldRange {
            let taken = { (candidate: inout (rows: [Int], taken: Int)?) -> Int? in
                guard let rows = candidate?.rows, let taken = candidate?.taken, taken < rows.count else { return nil }
                candidate?.taken += 1
                return rows[taken]
            }(&candidates[RowKey(row, of: old, by: identity)])
            guard let taken else {
                removed.append(row)
                continue
            }
            pairs.append(Pair(old: row, new: taken))
            isTaken[taken - newRange.lowerBound] = true
        }
        inserted = newRange.filter { !isTaken[$0 - newRange.lowerBound] }
        let stays = Self.longestIncreasingRun(pairs.map(\.new))
        moved = zip(pairs, stays).filter { !$0.1 }.map(\.0).sorted { $0.new < $1.new }
        updated = pairs.filter { !old.hasSameRow($0.old, as: $0.new, of: new) }.sorted { $0.new < $1.new }
    }

    /// Returns for each number whether it belongs to a longest increasing subsequence; rows that do need not be moved. The numbers must be
    /// distinct.
    static func longestIncreasingRun(_ numbers: [Int]) -> [Bool] {
        // For each length, the position of the smallest last number of an increasing subsequence; and the predecessor of each number.
        var ends: [Int] = []
        var predecessors = [Int](repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            // Nearly always the number extends the longest subsequence.
            if let last = ends.last, numbers[last] < number { low = high }
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { predecessors[position] = ends[low - 1] }
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var isMember = [Bool](repeating: false, count: numbers.count)
        var position = ends.last ?? -1
        while position >= 0 {
            isMember[position] = true
            position = predecessors[position]
        }
        return isMember
    }
}
