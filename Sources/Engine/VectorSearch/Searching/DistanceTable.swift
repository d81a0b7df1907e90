/// The distances of many vectors, by the row numbers of their documents.
///
/// Row numbers of documents are mostly without large gaps: then there is one number for each possible row, so that making the table and finding a
/// row take constant time. Otherwise the rows are sorted.
package struct DistanceTable {
    /// The number of positions, see ``entry(at:)``.
    package let positionCount: Int
    private let first: Int64
    /// The distance of the row number `first` and of each that follows; not a number where there is no vector. Empty if the rows are sorted.
    private let distances: [Float]
    private let sorted: [NearestHeap.Entry]

    /// An empty table.
    package init() { self.init([]) }

    /// Creates the table of vectors with different row numbers, whose distances are numbers.
    package init(_ entries: [NearestHeap.Entry]) {
        var (least, most) = (Int64.max, Int64.min)
        for entry in entries {
            least = min(least, entry.rowID)
            most = max(most, entry.rowID)
        }
        first = least
        // Row numbers of a file may be any.
        let (difference, isTooLarge) = most.subtractingReportingOverflow(least)
        if entries.isEmpty || isTooLarge || difference / 4 > entries.count {
            (distances, sorted) = ([], entries.sorted { $0.rowID < $1.rowID })
            positionCount = entries.count
            return
        }
        var distances = [Float](repeating: .nan, count: Int(difference) + 1)
        for entry in entries { distances[Int(entry.rowID - least)] = entry.distance }
        (self.distances, sorted) = (distances, [])
        positionCount = distances.count
    }

    /// Returns the position of a row; `nil` if it has no vector.
    package func position(of row: Int64) -> Int? {
        if !distances.isEmpty {
            let (position, isTooLarge) = row.subtractingReportingOverflow(first)
            guard !isTooLarge, position >= 0, position < distances.count, !distances[Int(position)].isNaN else { return nil }
            return Int(position)
        }
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].rowID < row { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low].rowID == row ? low : nil
    }

    /// Returns the vector at a position; `nil` if there is none.
    package func entry(at position: Int) -> NearestHeap.Entry? {
        if distances.isEmpty { return position < sorted.count ? sorted[position] : nil }
        guard position < distances.count, !distances[position].isNaN else { return nil }
        return NearestHeap.Entry(distance: distances[position], rowID: first + Int64(position))
    }
}
