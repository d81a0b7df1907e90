/// The positions of short strings, used to store equal strings only once (Storage format 1.9).
///
/// An open-addressing hash table of positions in the encoder's output. Clearing it only increments the round number: entries of earlier
/// rounds are ignored.
struct StringTable: ~Copyable {
    /// The maximum length of the strings, in bytes. Only strings of 2 to 15 bytes are shared.
    static let maximumLength = 15
    /// The maximum distance at which a string is reused, in bytes: the reach of a narrow pointer minus a margin (Storage format 1.9).
    static let reach = Limits.narrowReach - 32

    private struct Entry {
        let round: UInt32
        let length: UInt32
        let position: Int
        let words: KeyWords
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = 64
    private var used = 0
    private var round: UInt32 = 1
    private var lastSlot = 0

    init() { entries = Self.makeEntries(capacity) }

    deinit { entries.deallocate() }

    private static func makeEntries(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
        let zero = Entry(round: 0, length: 0, position: 0, words: KeyWords(UnsafeRawPointer(entries), count: 0))
        entries.initialize(repeating: zero, count: capacity)
        return entries
    }

    mutating func removeAll() {
        used = 0
        if round == .max {
            entries.deallocate()
            entries = Self.makeEntries(capacity)
            round = 0
        }
        round &+= 1
    }

    /// Returns the position at which the string was last written. If it was not written, stores and returns `position`.
    @inline(__always)
    mutating func position(of words: KeyWords, length: Int, else position: Int) -> Int {
        if used &* 2 >= capacity { grow() }
        let mask = capacity &- 1
        var slot = words.hash(count: length) & mask
        while entries[slot].round == round {
            if entries[slot].words == words, entries[slot].length == UInt32(truncatingIfNeeded: length) {
                lastSlot = slot
                return entries[slot].position
            }
            slot = (slot &+ 1) & mask
        }
        entries[slot] = Entry(round: round, length: UInt32(truncatingIfNeeded: length), position: position, words: words)
        used &+= 1
        return position
    }

    /// Replaces the position of the string that was found last, because the old one is out of reach.
    mutating func replace(_ position: Int) {
        let old = entries[lastSlot]
        entries[lastSlot] = Entry(round: round, length: old.length, position: position, words: old.words)
    }

    @inline(never)
    private mutating func grow() {
        let old = entries
        let oldCapacity = capacity
        capacity *= 2
        entries = Self.makeEntries(capacity)
        for index in 0..<oldCapacity where old[index].round == round {
            var slot = old[index].words.hash(count: Int(old[index].length)) & (capacity - 1)
            while entries[slot].round == round { slot = (slot + 1) & (capacity - 1) }
            entries[slot] = old[index]
        }
        old.deallocate()
    }
}
