import Base

/// The stems of words that were reduced lately. A text repeats most of its words, and finding a stem takes several times longer than
/// finding it here.
///
/// Unsafe: each word has one slot, which is determined by its hash, and each slot a fixed size. All accesses are below it, because longer
/// words and stems are not kept. Used by one thread at a time, like the tokenizer it belongs to.
final class StemCache {
    /// The header of a slot. The bytes of the word and of the stem follow.
    private struct Slot {
        var hash: UInt32
        /// 0 if the slot is free.
        var wordCount: UInt8
        var stemCount: UInt8
    }

    private static let slotCount = 2048
    private static let slotSize = 64
    private static let wordOffset = 8
    private static let stemOffset = 36
    /// The maximum length of a word and of a stem, in bytes.
    private static let maximumCount = 28

    /// Filled with zeros by the system when a slot is first used. `nil` if memory is exhausted.
    private let memory = calloc(slotCount, slotSize)

    deinit { free(memory) }

    private func slot(_ hash: UInt32) -> UnsafeMutableRawPointer? {
        memory.map { $0 + Int(hash % UInt32(Self.slotCount)) * Self.slotSize }
    }

    /// Returns the stem of a word, or `nil` if it is not known. `hash` is any hash of the word. The bytes are valid until the next change.
    @inline(__always)
    func stem(of word: UnsafeBufferPointer<UInt8>, hash: UInt32) -> UnsafeBufferPointer<UInt8>? {
        guard let slot = self.slot(hash), let address = word.baseAddress else { return nil }
        let head = slot.load(as: Slot.self)
        guard head.hash == hash, Int(head.wordCount) == word.count, head.wordCount > 0,
            memcmp(slot + Self.wordOffset, address, word.count) == 0
        else { return nil }
        let stem = (slot + Self.stemOffset).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: stem, count: Int(head.stemCount))
    }

    /// Keeps the stem of a word, instead of the word that had its slot.
    func keep(_ stem: UnsafeBufferPointer<UInt8>, of word: UnsafeBufferPointer<UInt8>, hash: UInt32) {
        guard let slot = self.slot(hash), word.count <= Self.maximumCount, stem.count <= Self.maximumCount,
            let wordAddress = word.baseAddress, let stemAddress = stem.baseAddress
        else { return }
        let head = Slot(hash: hash, wordCount: UInt8(word.count), stemCount: UInt8(stem.count))
        slot.storeBytes(of: head, as: Slot.self)
        (slot + Self.wordOffset).copyMemory(from: wordAddress, byteCount: word.count)
        (slot + Self.stemOffset).copyMemory(from: stemAddress, byteCount: stem.count)
    }
}
