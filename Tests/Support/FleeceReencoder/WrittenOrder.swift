import Fleece

/// The order in which the pairs of a dictionary were written, restored from the positions of their keys and values.
///
/// A pair is *fixed* if it stored something that only this pair can have stored: a container, a number, data, or a string too long to be
/// shared (Storage format 1.9). Fixed pairs were written in the order of these positions. The other pairs are *loose*: they consist of
/// short strings, which they stored themselves or found already stored, and of values inside the slots.
///
/// A loose pair is written as soon as it stores nothing except what is located at the encoder's position. If another pair stored that
/// first, it now finds it, and all bytes are the same: if several orders are possible, it does not matter which one was used. There is one
/// exception: a short string is only found within reach, and writing a pair early moves the rest away from the strings before it. So a
/// loose pair waits for a fixed pair if that pair would otherwise lose an older string.
struct WrittenOrder {
    /// The maximum length of the strings that the encoder stores only once, and the maximum distance at which it finds them, in bytes
    /// (Storage format 1.9).
    fileprivate static let maximumLength = 15
    private static let reach = Limits.narrowReach - 32

    private struct Pair {
        let index: Int
        /// For a fixed pair, the position of what only it can have stored. For a loose pair, the position at which it can be written.
        let place: Int
        /// The position of the oldest string of a loose pair.
        var oldest = 0
        /// The end of the last string of a loose pair.
        var end = 0
    }

    private let dictionary: DictionaryValue
    /// The fixed pairs, the next one last.
    private var fixed: [Pair] = []
    /// The loose pairs whose position has not been reached, the next one last.
    private var loose: [Pair] = []
    /// The loose pairs whose position has been reached, the next one last.
    private var ready: [Pair] = []
    /// The position for which `ready` is sorted.
    private var readyPosition = -1
    /// The sorted positions of the short strings that the next fixed pair uses. `nil` until they are needed.
    private var nextStrings: [Int]?

    init(of dictionary: DictionaryValue) {
        self.dictionary = dictionary
        for index in 0..<dictionary.pairCount {
            let key = Content(dictionary.slot(index * 2))
            let value = Content(dictionary.slot(index * 2 + 1))
            switch (key, value) {
            case (.own(let place), _), (_, .own(let place)): fixed.append(Pair(index: index, place: place))
            case (.shared(let key), .shared(let value)):
                // A key directly followed by its value may have been stored together with it.
                let place = key.upperBound == value.lowerBound ? key.lowerBound : max(key.lowerBound, value.lowerBound)
                let oldest = min(key.lowerBound, value.lowerBound)
                let end = max(key.upperBound, value.upperBound)
                loose.append(Pair(index: index, place: place, oldest: oldest, end: end))
            case (.shared(let range), .none), (.none, .shared(let range)):
                let (start, end) = (range.lowerBound, range.upperBound)
                loose.append(Pair(index: index, place: start, oldest: start, end: end))
            case (.none, .none): loose.append(Pair(index: index, place: 0))
            }
        }
        fixed.sort { $0.place > $1.place }
        loose.sort { $0.place > $1.place }
    }

    /// Removes the pair to write when the encoder is at `position`, and returns its index. Returns `nil` after the last pair.
    ///
    /// If the data was not written in any consistent order, the pairs are returned in an arbitrary order.
    mutating func next(at position: Int, budget: inout ValueBudget) -> Int? {
        makeReady(at: position, budget: &budget)
        if let pair = ready.last, !mustFollowFixed(pair, at: position, budget: &budget) {
            return ready.removeLast().index
        }
        if let pair = fixed.popLast() {
            nextStrings = nil
            return pair.index
        }
        return ready.popLast()?.index ?? loose.popLast()?.index
    }

    private mutating func makeReady(at position: Int, budget: inout ValueBudget) {
        guard position != readyPosition else { return }
        readyPosition = position
        while let pair = loose.last, pair.place <= position { ready.append(loose.removeLast()) }
        guard ready.count > 1, budget.consume(ready.count) else { return }
        // First the pairs that store nothing anymore, then those with the oldest strings, which get out of reach first. If two start with
        // the same string, the one that ends with it leaves more within reach.
        ready.sort { left, right in
            (left.end > position ? 1 : 0, left.oldest, left.end) > (right.end > position ? 1 : 0, right.oldest, right.end)
        }
    }

    /// Returns whether the next fixed pair uses a string that is within reach now, but not after writing `pair`.
    private mutating func mustFollowFixed(_ pair: Pair, at position: Int, budget: inout ValueBudget) -> Bool {
        guard pair.end > position, pair.end > Self.reach, let following = fixed.last else { return false }
        let strings = nextStrings ?? sharedStrings(of: following, budget: &budget)
        nextStrings = strings
        var low = 0
        var high = strings.count
        while low < high {
            let middle = (low + high) / 2
            if strings[middle] < position - Self.reach { low = middle + 1 } else { high = middle }
        }
        return low < strings.count && strings[low] < pair.end - Self.reach
    }

    private func sharedStrings(of pair: Pair, budget: inout ValueBudget) -> [Int] {
        var strings: [Int] = []
        Self.collect(dictionary.slot(pair.index * 2), into: &strings, budget: &budget)
        Self.collect(dictionary.slot(pair.index * 2 + 1), into: &strings, budget: &budget)
        return strings.sorted()
    }

    private static func collect(_ slot: Slot, into strings: inout [Int], budget: inout ValueBudget) {
        // If the budget is exhausted, the strings are incomplete, but encoding then fails anyway.
        guard slot.isPointer, let value = slot.value, budget.consume() else { return }
        if case .shared(let range) = Content(slot) {
            strings.append(range.lowerBound)
        } else if let array = value.array {
            let width: UInt32 = array.isWide ? 4 : 2
            for index in 0..<array.count {
                let position = array.first + UInt32(truncatingIfNeeded: index) * width
                let item = Slot(base: array.base, position: position, end: array.end, isWide: array.isWide)
                collect(item, into: &strings, budget: &budget)
            }
        } else if let dictionary = value.dictionary {
            for index in 0..<(dictionary.pairCount * 2) {
                collect(dictionary.slot(index), into: &strings, budget: &budget)
            }
        }
    }
}

/// The classification of what a slot's value has stored.
private enum Content {
    /// Nothing: the value is inside the slot.
    case none
    /// A short string, which is shared by equal ones, up to the start of the next value.
    case shared(Range<Int>)
    /// Something unshared, whose last part starts at this position.
    case own(Int)

    init(_ slot: Slot) {
        guard slot.isPointer, let value = slot.value else {
            self = .none
            return
        }
        let start = value.position
        if let bytes = value.stringBytes, bytes.count <= WrittenOrder.maximumLength, let first = bytes.baseAddress {
            let end = first - value.base + bytes.count
            self = .shared(start..<(end + end % 2))
        } else {
            self = .own(start)
        }
    }
}
