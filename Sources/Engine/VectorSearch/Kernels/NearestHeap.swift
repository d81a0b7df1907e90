/// The nearest vectors found so far, at most a given number. Of equal distances the smaller row number is nearer (Vector search VQ-19).
package struct NearestHeap {
    /// A vector that was found.
    package struct Entry: Hashable, Sendable {
        /// The distance from the target, or a number that orders like it.
        package var distance: Float
        /// The row number of the document.
        package var rowID: Int64

        @inline(__always)
        func isFarther(than other: Entry) -> Bool {
            distance > other.distance || distance == other.distance && rowID > other.rowID
        }
    }

    /// The largest number of vectors.
    package let capacity: Int
    /// A heap, whose first entry is the farthest, unless all are kept.
    private var entries: [Entry] = []

    /// Creates a heap without vectors.
    package init(capacity: Int) { self.capacity = max(0, capacity) }

    /// Whether all vectors are wanted.
    var keepsAll: Bool { capacity == .max }

    /// The distance above which no vector is accepted any more.
    @inline(__always)
    package var bound: Float { entries.count < capacity ? .infinity : entries.first?.distance ?? -.infinity }

    /// Adds a vector, unless all the others are nearer.
    @inline(__always)
    package mutating func add(_ distance: Float, _ rowID: Int64) {
        if distance > bound { return }
        insert(Entry(distance: distance, rowID: rowID))
    }

    @inline(never)
    private mutating func insert(_ entry: Entry) {
        if entries.count < capacity {
            entries.append(entry)
            // Nobody asks for the farthest of all.
            if keepsAll { return }
            var position = entries.count - 1
            while position > 0 {
                let parent = (position - 1) / 2
                guard entries[position].isFarther(than: entries[parent]) else { return }
                entries.swapAt(position, parent)
                position = parent
            }
            return
        }
        guard let first = entries.first, first.isFarther(than: entry) else { return }
        var position = 0
        while true {
            var child = 2 * position + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isFarther(than: entries[child]) { child += 1 }
            guard entries[child].isFarther(than: entry) else { break }
            entries[position] = entries[child]
            position = child
        }
        entries[position] = entry
    }

    /// The vectors in any order.
    package var unsorted: [Entry] { entries }

    /// The vectors by ascending distance.
    package var sorted: [Entry] { entries.sorted { $1.isFarther(than: $0) } }
}
