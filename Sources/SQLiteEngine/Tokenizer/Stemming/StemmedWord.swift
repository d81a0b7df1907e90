/// A word whose endings are taken off, for the stemmers that this library has itself. Positions are numbers of letters from the
/// beginning, as in the descriptions of the Snowball algorithms (https://snowballstem.org/algorithms).
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

    /// Whether the letters before `end` are those of an ending, none of which stands before `start`.
    func has(_ ending: String, before end: Int, from start: Int = 0) -> Bool {
        guard end <= count else { return false }
        var position = end
        for letter in ending.unicodeScalars.reversed() {
            position -= 1
            guard position >= max(start, 0), letters[position] == letter else { return false }
        }
        return true
    }

    /// Whether the letter before a position is in a set, and does not stand before `start`.
    func isLetter(before position: Int, in set: LetterSet, from start: Int = 0) -> Bool {
        position > max(start, 0) && set.contains(letters[position - 1])
    }

    /// Whether the letter before a position is not in a set, and does not stand before `start`.
    func isLetter(before position: Int, notIn set: LetterSet, from start: Int = 0) -> Bool {
        position > max(start, 0) && !set.contains(letters[position - 1])
    }

    /// The longest of some endings that the word has, and where it begins.
    func longest<Meaning>(_ endings: Endings<Meaning>, from start: Int = 0) -> (start: Int, meaning: Meaning)? {
        guard let last = letters.last, count > start else { return nil }
        // They are ordered from the longest to the shortest.
        for ending in endings.byLastLetter[last] ?? [] where has(ending.letters, before: count, from: start) {
            return (count - ending.count, ending.meaning)
        }
        return nil
    }

    /// Takes off all from a position on.
    mutating func cut(at position: Int) {
        letters.removeSubrange(position...)
    }

    /// Puts other letters in the place of all from a position on.
    mutating func replace(from position: Int, by ending: String) {
        letters.replaceSubrange(position..., with: ending.unicodeScalars)
    }

    /// The position behind the first letter in a set, from a position on; nil when there is none.
    func position(behindFirstIn set: LetterSet, from start: Int) -> Int? {
        letters[start...].firstIndex { set.contains($0) }.map { $0 + 1 }
    }

    /// The position behind the first letter that is not in a set, from a position on; nil when there is none.
    func position(behindFirstNotIn set: LetterSet, from start: Int) -> Int? {
        letters[start...].firstIndex { !set.contains($0) }.map { $0 + 1 }
    }

    /// The regions R1 and R2: each begins behind the first letter that is no vowel and follows one, the second inside the first. They
    /// are empty, at the end of the word, when there is no such letter.
    func regions(vowels: LetterSet) -> (first: Int, second: Int) {
        func next(_ start: Int) -> Int? {
            position(behindFirstIn: vowels, from: start).flatMap { position(behindFirstNotIn: vowels, from: $0) }
        }
        guard let first = next(0) else { return (count, count) }
        return (first, next(first) ?? count)
    }
}

/// Some letters, all below U+0100.
struct LetterSet {
    private var bits: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init(_ letters: String) {
        for letter in letters.unicodeScalars {
            let bit = UInt64(1) << UInt64(letter.value & 63)
            switch letter.value >> 6 {
            case 0: bits.0 |= bit
            case 1: bits.1 |= bit
            case 2: bits.2 |= bit
            default: bits.3 |= bit
            }
        }
    }

    func contains(_ letter: Unicode.Scalar) -> Bool {
        let word =
            switch letter.value >> 6 {
            case 0: bits.0
            case 1: bits.1
            case 2: bits.2
            case 3: bits.3
            default: UInt64(0)
            }
        return word >> UInt64(letter.value & 63) & 1 != 0
    }
}

/// Endings, each with what is to be done about it.
struct Endings<Meaning: Sendable>: Sendable {
    fileprivate struct Ending: Sendable {
        var letters: String
        /// How many letters there are.
        var count: Int
        var meaning: Meaning
    }

    /// By their last letters, the longest first.
    fileprivate let byLastLetter: [Unicode.Scalar: [Ending]]

    /// - Parameter groups: Endings with white space between them.
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
