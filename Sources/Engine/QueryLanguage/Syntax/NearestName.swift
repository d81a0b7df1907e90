extension String {
    /// Returns the candidate that is most like this name, if it probably is a misspelling of it: about a third of its letters, and at most
    /// three, may be missing, added, replaced, or swapped with their neighbours. `nil` if none is. Case counts.
    package func nearest(in candidates: [String]) -> String? {
        let name = Array(unicodeScalars)
        guard name.count <= 64 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.unicodeScalars)
            let limit = Swift.min(3, (Swift.min(name.count, other.count) + 1) / 3)
            guard abs(name.count - other.count) <= limit else { continue }
            let distance = Self.distance(name, other)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Returns the number of changes that turn one name into the other: a character added, removed or replaced, or two neighbours swapped.
    private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        // The rows of the usual table, of which only the last three are needed.
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for (row, left) in first.enumerated() {
            var current = [row + 1]
            for (column, right) in second.enumerated() {
                var distance = Swift.min(last[column + 1] + 1, current[column] + 1, last[column] + (left == right ? 0 : 1))
                if row > 0, column > 0, left == second[column - 1], right == first[row - 1] {
                    distance = Swift.min(distance, beforeLast[column - 1] + 1)
                }
                current.append(distance)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
