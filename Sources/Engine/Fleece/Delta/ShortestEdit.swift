/// Finds the shortest edit between two sequences (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986), with limits.
enum ShortestEdit {
    enum Step: Equatable {
        case keep(Int)
        case delete(Int)
        case insert(Int)
    }

    /// The maximum number of single changes. It is limited because the memory use is quadratic.
    static let maximumChanges = 256
    /// The maximum number of item comparisons. The search stops when it is exceeded.
    static let maximumComparisons = 4_000_000

    /// Returns the steps that change `old` to `new`, in order. If a limit is exceeded, returns one deletion and one insertion.
    static func find(from old: [UInt32], to new: [UInt32]) -> [Step] {
        guard !old.isEmpty, !new.isEmpty else { return replacement(old.count, new.count) }
        guard let rounds = search(old, new) else { return replacement(old.count, new.count) }
        return steps(old.count, new.count, rounds)
    }

    private static func replacement(_ deleted: Int, _ inserted: Int) -> [Step] {
        (deleted > 0 ? [.delete(deleted)] : []) + (inserted > 0 ? [.insert(inserted)] : [])
    }

    /// Returns, for each number of changes d, the position in `old` that each diagonal −d…d reaches. The last round reaches both ends.
    /// Returns `nil` if a limit is exceeded.
    private static func search(_ old: [UInt32], _ new: [UInt32]) -> [[Int32]]? {
        var rounds: [[Int32]] = []
        var comparisons = 0
        for changes in 0...min(maximumChanges, old.count + new.count) {
            var reach = [Int32](repeating: -1, count: 2 * changes + 1)
            for diagonal in stride(from: -changes, through: changes, by: 2) {
                var x = changes == 0 ? 0 : start(of: diagonal, changes, rounds[changes - 1])
                var y = x - diagonal
                guard x >= 0, x <= old.count, y >= 0, y <= new.count else { continue }
                let first = x
                while x < old.count, y < new.count, old[x] == new[y] {
                    x += 1
                    y += 1
                }
                comparisons += x - first + 1
                reach[diagonal + changes] = Int32(truncatingIfNeeded: x)
                if x == old.count, y == new.count {
                    rounds.append(reach)
                    return rounds
                }
            }
            guard comparisons <= maximumComparisons else { return nil }
            rounds.append(reach)
        }
        return nil
    }

    /// Returns the position that a diagonal reaches by one change from the previous round, whose diagonals are −(changes−1)…(changes−1).
    private static func start(of diagonal: Int, _ changes: Int, _ previous: [Int32]) -> Int {
        isInsertion(diagonal, changes, previous) ? reach(previous, diagonal + 1, changes) : reach(previous, diagonal - 1, changes) + 1
    }

    /// Returns whether the diagonal is reached further by an insertion, from the diagonal above it, than by a deletion.
    private static func isInsertion(_ diagonal: Int, _ changes: Int, _ previous: [Int32]) -> Bool {
        let byInsertion = reach(previous, diagonal + 1, changes)
        let byDeletion = reach(previous, diagonal - 1, changes)
        return byInsertion >= 0 && byDeletion + 1 <= byInsertion
    }

    /// Returns the position that the previous round reached on a diagonal. −2 if it did not reach the diagonal, so that adding one is still
    /// invalid.
    private static func reach(_ previous: [Int32], _ diagonal: Int, _ changes: Int) -> Int {
        let index = diagonal + changes - 1
        guard previous.indices.contains(index), previous[index] >= 0 else { return -2 }
        return Int(previous[index])
    }

    /// Returns the steps by following the rounds backwards from both ends.
    private static func steps(_ oldCount: Int, _ newCount: Int, _ rounds: [[Int32]]) -> [Step] {
        var backwards: [Step] = []
        var x = oldCount
        var y = newCount
        for changes in stride(from: rounds.count - 1, to: 0, by: -1) {
            let previous = rounds[changes - 1]
            let diagonal = x - y
            let isInsertion = Self.isInsertion(diagonal, changes, previous)
            let begin = start(of: diagonal, changes, previous)
            if x > begin { backwards.append(.keep(x - begin)) }
            backwards.append(isInsertion ? .insert(1) : .delete(1))
            x = isInsertion ? begin : begin - 1
            y = begin - diagonal - (isInsertion ? 1 : 0)
        }
        if x > 0 { backwards.append(.keep(x)) }
        return backwards.reversed()
    }
}
