/// The order in which the pairs of a dictionary were written, restored from where their keys and values lie.
///
/// A pair is *fixed* when it stored something that only it can have stored: a container, a number, data, or a string too
/// long to be shared (Storage format 1.9). Fixed pairs follow each other in the order of these places. The others are
/// *loose*: they consist of short strings, which they stored themselves or found stored, and of what lies in the slots.
///
/// A loose pair goes in as soon as it stores nothing but what lies at the encoder's position. If another pair stored that
/// first, that one finds it now, and every byte stays the same: where several orders are possible, it does not matter which
/// one it was. With one exception: a short string is found only within reach, and what goes in early moves the rest away
/// from the strings before it. So a loose pair waits for a fixed one that would lose an older string to it.
struct WrittenOrder {
    private struct Pair {
        let index: Int
        /// What a fixed pair alone can have stored; for a loose pair, the position at which it can go in.
        let place: Int
        /// Where the oldest of a loose pair's strings lies.
        var oldest = 0
        /// Where a loose pair's last string ends.
        var end = 0
    }

    private let dictionary: DictionaryValue
    /// Fixed pairs, the next one last.
    private var fixed: [Pair] = []
    /// Loose pairs whose place has not been reached, the next one last.
    private var loose: [Pair] = []
    /// Loose pairs whose place has been reached, the next one last.
    private var ready: [Pair] = []
    /// For which position `ready` is in order.
    private var readyPosition = -1
    /// Where the short strings lie that the next fixed pair uses, ascending; nil as long as nobody asked.
    private var nextStrings: [Int]?

    init(of dictionary: DictionaryValue) {
        self.dictionary = dictionary
        for index in 0..<dictionary.pairCount {
            let key = Content(dictionary.slot(index * 2))
            let value = Content(dictionary.slot(index * 2 + 1))
            switch (key, value) {
            case (.own(let place), _), (_, .own(let place)): fixed.append(Pair(index: index, place: place))
            case (.shared(let key), .shared(let value)):
                // A key with its value right behind it can have been stored together with it.
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

    /// Takes out the pair to write when the encoder stands at `position`, and returns its index; nil after the last.
    ///
    /// Pairs of data that was not written in any order come out in some order.
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
        guard ready.count > 1, budget.take(ready.count) else { return }
        // First those that store nothing any more, then those with the oldest strings, which go out of reach first. Of
        // two that begin with the same string, the one that ends with it leaves more within reach.
        ready.sort { left, right in
            (left.end > position ? 1 : 0, left.oldest, left.end) > (right.end > position ? 1 : 0, right.oldest, right.end)
        }
    }

    /// Whether the next fixed pair uses a string that is within reach now, but not where `pair` ends.
    private mutating func mustFollowFixed(_ pair: Pair, at position: Int, budget: inout ValueBudget) -> Bool {
        guard pair.end > position, pair.end > StringTable.reach, let following = fixed.last else { return false }
        let strings = nextStrings ?? sharedStrings(of: following, budget: &budget)
        nextStrings = strings
        var low = 0
        var high = strings.count
        while low < high {
            let middle = (low + high) / 2
            if strings[middle] < position - StringTable.reach { low = middle + 1 } else { high = middle }
        }
        return low < strings.count && strings[low] < pair.end - StringTable.reach
    }

    private func sharedStrings(of pair: Pair, budget: inout ValueBudget) -> [Int] {
        var strings: [Int] = []
        Self.collect(dictionary.slot(pair.index * 2), into: &strings, budget: &budget)
        Self.collect(dictionary.slot(pair.index * 2 + 1), into: &strings, budget: &budget)
        return strings.sorted()
    }

    private static func collect(_ slot: Slot, into strings: inout [Int], budget: inout ValueBudget) {
        // Without budget the strings are incomplete, but writing ends in an error anyway.
        guard slot.isPointer, let value = slot.value, budget.take() else { return }
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

/// What a slot's value stored, seen from outside.
private enum Content {
    /// Nothing: it lies in the slot.
    case none
    /// A short string, which equal ones share, up to where the next value begins.
    case shared(Range<Int>)
    /// Something of its own, whose last part begins here.
    case own(Int)

    init(_ slot: Slot) {
        guard slot.isPointer, let value = slot.value else {
            self = .none
            return
        }
        let start = value.position
        if let bytes = value.stringBytes, bytes.count <= StringTable.maximumLength, let first = bytes.baseAddress {
            let end = first - value.base + bytes.count
            self = .shared(start..<(end + end % 2))
        } else {
            self = .own(start)
        }
    }
}
