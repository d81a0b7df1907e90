import Base

/// A set of words in UTF-8, optimized for looking up every token.
final class StopWords {
    /// A slot of the hash table. A count of 0 means that the slot is free.
    private struct Slot {
        var hash: UInt32
        var start: UInt32
        var count: UInt32
    }

    private let slots: [Slot]
    private let bytes: [UInt8]

    init(_ text: String) {
        var bytes: [UInt8] = []
        let words = Set(text.split(separator: " ").map { Array($0.utf8) })
        var capacity = 16
        while capacity < words.count * 4 { capacity *= 2 }
        var slots = Array(repeating: Slot(hash: 0, start: 0, count: 0), count: capacity)
        for word in words {
            let hash = word.reduce(Self.emptyHash) { Self.hash($0, adding: $1) }
            var index = Int(hash) & (capacity - 1)
            while slots[index].count != 0 { index = (index + 1) & (capacity - 1) }
            slots[index] = Slot(hash: hash, start: UInt32(bytes.count), count: UInt32(word.count))
            bytes += word
        }
        self.slots = slots
        self.bytes = bytes
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// The hash of the empty word (FNV-1a).
    static let emptyHash: UInt32 = 2_166_136_261

    /// Returns the hash of a word extended by one byte.
    @inline(__always)
    static func hash(_ hash: UInt32, adding byte: UInt8) -> UInt32 {
        (hash ^ UInt32(byte)) &* 16_777_619
    }

    /// Returns whether the set contains a word. `hash` is the word's hash.
    @inline(__always)
    func contains(_ word: UnsafeBufferPointer<UInt8>, hash: UInt32) -> Bool {
        let mask = slots.count - 1
        var index = Int(hash) & mask
        while slots[index].count != 0 {
            let slot = slots[index]
            if slot.hash == hash, Int(slot.count) == word.count {
                let start = Int(slot.start)
                if bytes[start..<(start + word.count)].elementsEqual(word) { return true }
            }
            index = (index + 1) & mask
        }
        return false
    }
}

/// Marks the calling thread as running a query, in contrast to writing documents. The tokenizer, which SQLite only passes the text, keeps a
/// stop word before `*` in a pattern, where it searches for words with that prefix, but not in a document (Query 6.9).
package enum FullTextQueryMark {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // If no key can be created, the mark is never set, and such patterns match nothing.
        pthread_key_create(&key, nil)
        return key
    }()

    static var isSet: Bool { pthread_getspecific(key) != nil }

    /// Runs `body`, which steps the statements of a query. The overhead is a few nanoseconds.
    package static func whileRunningQuery<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, outer) }
        return try body()
    }
}
