/// Finds sequences that occur twice. Takes a bit for each sequence up to the highest one.
struct SequenceSet {
    private var words: [UInt64] = []
    /// The sequences that were added before.
    private(set) var repeated: Set<UInt64> = []
    /// Whether a sequence was too high to be noted. Sequences in a damaged file can have any value.
    private(set) var isIncomplete = false

    private let limit: UInt64

    /// - Parameter limit: The highest sequence to be noted; at most 2^29, which takes 64 MB.
    init(limit: UInt64) { self.limit = min(limit, 1 << 29) }

    mutating func insert(_ sequence: UInt64) {
        guard sequence <= limit else { return isIncomplete = true }
        let (word, bit) = (Int(sequence / 64), UInt64(1) << (sequence % 64))
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: max(word + 1 - words.count, words.count))) }
        if words[word] & bit != 0 { repeated.insert(sequence) }
        words[word] |= bit
    }
}
