/// A set of sequences, stored as ranges: the sequences that are completed (Replication 4.2).
///
/// - Complexity: Inserting and removing take a binary search, plus moving all later ranges if a range is added or removed. There are about
///   as many ranges as sequences in flight.
struct SequenceSet: Hashable, Sendable {
    /// Sorted in ascending order. Ranges are neither empty nor adjacent to each other.
    private(set) var ranges: [Range<UInt64>] = []

    init() {}

    /// Creates the union of the ranges, which may overlap and be in any order.
    init(_ ranges: some Sequence<Range<UInt64>>) {
        // In ascending order, no other range has to be moved for a new one.
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { insert(range) }
    }

    func contains(_ sequence: UInt64) -> Bool {
        let index = firstIndex(endingAfter: sequence)
        return index < ranges.count && ranges[index].contains(sequence)
    }

    mutating func insert(_ sequence: UInt64) {
        // `UInt64.max` is not a valid sequence: the upper bound of its range would overflow.
        if sequence < .max { insert(sequence..<sequence + 1) }
    }

    mutating func insert(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        // The ranges that overlap or touch the new one are merged with it.
        var first = ranges.count
        if let last = ranges.last, last.upperBound >= range.lowerBound {
            first = range.lowerBound == 0 ? 0 : firstIndex(endingAfter: range.lowerBound - 1)
        }
        var end = first
        var union = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            union = min(union.lowerBound, ranges[end].lowerBound)..<max(union.upperBound, ranges[end].upperBound)
            end += 1
        }
        if end == first + 1 {
            ranges[first] = union
        } else {
            ranges.replaceSubrange(first..<end, with: CollectionOfOne(union))
        }
    }

    mutating func remove(_ sequence: UInt64) {
        let index = firstIndex(endingAfter: sequence)
        guard index < ranges.count, ranges[index].contains(sequence) else { return }
        let parts = [ranges[index].lowerBound..<sequence, sequence + 1..<ranges[index].upperBound]
        ranges.replaceSubrange(index...index, with: parts.filter { !$0.isEmpty })
    }

    func intersection(_ other: SequenceSet) -> SequenceSet {
        var result = SequenceSet()
        var (left, right) = (0, 0)
        while left < ranges.count, right < other.ranges.count {
            let common = ranges[left].clamped(to: other.ranges[right])
            if !common.isEmpty { result.ranges.append(common) }
            if ranges[left].upperBound < other.ranges[right].upperBound { left += 1 } else { right += 1 }
        }
        return result
    }

    /// Returns the index of the first range whose end is above `sequence`; the number of ranges if there is none.
    private func firstIndex(endingAfter sequence: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound > sequence { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
