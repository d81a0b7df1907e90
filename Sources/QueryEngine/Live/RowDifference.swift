/// How the rows of one result become those of another.
///
/// Take the rows at ``removed`` and those that are moved out of the old ones; put the rows at ``inserted`` and those that are moved
/// into the new ones, lower indexes first; what is at ``updated`` has changed besides.
package struct RowDifference: Equatable, Sendable {
    /// A row that both results have.
    package struct Pair: Hashable, Sendable {
        package let old: Int
        package let new: Int

        package init(old: Int, new: Int) {
            (self.old, self.new) = (old, new)
        }
    }

    /// Indexes of old rows that are gone, in order.
    package private(set) var removed: [Int] = []
    /// Indexes of new rows that were not there, in order.
    package private(set) var inserted: [Int] = []
    /// The rows that have another place among those that stay, in the order of the new ones: as few as possible.
    package private(set) var moved: [Pair] = []
    /// The rows with the same identity but other values, in the order of the new ones. A row can be moved and updated.
    package private(set) var updated: [Pair] = []

    /// Compares two results of one query. Costs little more than comparing their bytes where only a few rows lie between the
    /// first and the last that differ; in general n log n.
    ///
    /// - Parameter identity: What makes rows the same. Of several rows with the same identity the first goes with the first,
    ///   the second with the second, and so on.
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

    /// Whether nothing has changed.
    package var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
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
        // For each identity, the new rows with it; and how many of them have an old row.
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

    /// Which of the numbers, all different, belong to a longest sequence among them that increases: those rows can stay where
    /// they are.
    private static func longestIncreasingRun(_ numbers: [Int]) -> [Bool] {
        // The position of the smallest end of the increasing sequences of each length, and what comes before each number.
        var ends: [Int] = []
        var predecessors = [Int](repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            // Nearly always it goes on with the longest one.
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
