/// An algorithm that this library implements itself.
protocol StemmingAlgorithm {
    init(_ word: StemmedWord)

    var word: StemmedWord { get }

    /// Reduces the word to its stem.
    mutating func run()
}

extension StemmingAlgorithm {
    /// Returns the stem of a folded word in UTF-8.
    static func stem(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var stemmer = Self(StemmedWord(utf8))
        stemmer.run()
        return stemmer.word.utf8
    }
}

/// A word whose endings are being removed, for the stemmers that this library implements itself. Positions are counted in letters from the
/// start, as in the descriptions of the Snowball algorithms (https://snowballstem.org/algorithms).
struct StemmedWord {
    var letters: [Unicode.Scalar]

    init(_ utf8: UnsafeBufferPointer<UInt8>) {
        letters = String(decoding: utf8, as: UTF8.self).unicodeScalars.map { $0 }
    }

    var count: Int { letters.count }

    var utf8: [UInt8] {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: letters)
        return Array(String(text).utf8)
    }

    /// Returns whether the letters before `end` are the given ending, and the ending starts at or after `start`.
    func has(_ ending: String, before end: Int, from start: Int = 0) -> Bool {
        guard end <= count else { return false }
        var position = end
        for letter in ending.unicodeScalars.reversed() {
            position -= 1
            guard position >= max(start, 0), letters[position] == letter else { return false }
        }
        return true
    }

    /// Returns whether the letter before a position is in a set and at or after `start`.
    func isLetter(before position: Int, in set: LetterSet, from start: Int = 0) -> Bool {
        position > max(start, 0) && set.contains(letters[position - 1])
    }

    /// Returns whether the letter before a position is not in a set, and is at or after `start`.
    func isLetter(before position: Int, notIn set: LetterSet, from start: Int = 0) -> Bool {
        position > max(start, 0) && !set.contains(letters[position - 1])
    }

    /// Returns the longest of the given endings that the word has, with its position, or `nil` if it has none.
    func longest<Meaning>(_ endings: Endings<Meaning>, from start: Int = 0) -> (start: Int, meaning: Meaning)? {
        guard let last = letters.last, count > start else { return nil }
        // The endings are sorted by descending length.
        for ending in endings.byLastLetter[last] ?? [] where has(ending.letters, before: count, from: start) {
            return (count - ending.count, ending.meaning)
        }
        return nil
    }

    mutating func cut(at position: Int) { letters.removeSubrange(position...) }

    /// Replaces all letters from a position with other letters.
    mutating func replace(from position: Int, by ending: String) {
        letters.replaceSubrange(position..., with: ending.unicodeScalars)
    }

    /// Removes all letters from a position, if it is inside the region that starts at `region`. Returns whether it is.
    mutating func cut(_ position: Int, in region: Int) -> Bool {
        guard position >= region else { return false }
        cut(at: position)
        return true
    }

    /// Replaces all letters from a position with other letters, if it is inside the region that starts at `region`. Returns whether it is.
    mutating func replace(_ position: Int, by ending: String, in region: Int) -> Bool {
        guard position >= region else { return false }
        replace(from: position, by: ending)
        return true
    }

    /// Returns the position after the first letter in a set, searching from `start`, or `nil` if there is none.
    func position(behindFirstIn set: LetterSet, from start: Int) -> Int? {
        letters[start...].firstIndex { set.contains($0) }.map { $0 + 1 }
    }

    /// Returns the position after the first letter that is not in a set, searching from `start`, or `nil` if there is none.
    func position(behindFirstNotIn set: LetterSet, from start: Int) -> Int? {
        letters[start...].firstIndex { !set.contains($0) }.map { $0 + 1 }
    }

    /// Returns the start positions of the regions R1 and R2. Each region starts after the first non-vowel that follows a vowel, R2 within
    /// R1. If there is no such letter, the region is empty and starts at the end of the word.
    func regions(vowels: LetterSet) -> (first: Int, second: Int) {
        func next(_ start: Int) -> Int? {
            position(behindFirstIn: vowels, from: start).flatMap { position(behindFirstNotIn: vowels, from: $0) }
        }
        guard let first = next(0) else { return (count, count) }
        return (first, next(first) ?? count)
    }
}

/// A set of letters, all below U+0100.
struct LetterSet {
    private var bits = SIMD4<UInt64>()

    init(_ letters: String) {
        for letter in letters.unicodeScalars { bits[Int(letter.value >> 6)] |= 1 << UInt64(letter.value & 63) }
    }

    func contains(_ letter: Unicode.Scalar) -> Bool {
        letter.value < 0x100 && bits[Int(letter.value >> 6)] >> UInt64(letter.value & 63) & 1 != 0
    }
}

/// A set of endings, each with a meaning that determines how it is handled.
struct Endings<Meaning: Sendable>: Sendable {
    fileprivate struct Ending: Sendable {
        var letters: String
        var count: Int
        var meaning: Meaning
    }

    /// The endings by their last letter, sorted by descending length.
    fileprivate let byLastLetter: [Unicode.Scalar: [Ending]]

    /// - Parameter groups: Endings separated by white space, with their meaning.
    init(_ groups: [(endings: String, meaning: Meaning)]) {
        var found: [Unicode.Scalar: [Ending]] = [:]
        for group in groups {
            for text in group.endings.split(whereSeparator: \.isWhitespace) {
                guard let last = text.unicodeScalars.last else { continue }
                let ending = Ending(letters: String(text), count: text.unicodeScalars.count, meaning: group.meaning)
                found[last, default: []].append(ending)
            }
        }
        byLastLetter = found.mapValues { $0.sorted { $0.count > $1.count } }
    }
}
