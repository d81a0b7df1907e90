/// Converts the stems of Snowball's algorithms since release 2.0 to those of earlier releases, which Couchbase Lite uses (Query 6.10). Each
/// function passes the word to the algorithm in a form to which the new rules do not apply, or applies an old rule to the stem.
enum LegacyStemRules {
    /// Danish: the last of two equal letters is also removed if it is not a consonant, such as a digit, and is in R1.
    static func danish(_ word: UnsafeBufferPointer<UInt8>, _ stem: (UnsafeBufferPointer<UInt8>) -> [UInt8]) -> [UInt8] {
        let found = stem(word)
        let letters = found.withUnsafeBufferPointer { StemmedWord($0).letters }
        guard let last = letters.last, letters.count >= 2, letters[letters.count - 2] == last,
            !danishVowels.contains(last), !danishConsonants.contains(last)
        else { return found }
        let whole = StemmedWord(word)
        // R1 starts after at least three letters.
        let region = whole.count < 3 ? whole.count : max(3, whole.regions(vowels: danishVowels).first)
        return letters.count - 1 >= region ? Array(found.dropLast(UTF8.width(last))) : found
    }

    private static let danishVowels = LetterSet("aeiouyæåø")
    private static let danishConsonants = LetterSet("bcdfghjklmnpqrstvwxz")

    /// Russian: `ё` is an ordinary letter, not equivalent to `е`. The stemmer only changes the end of the word.
    static func russian(_ word: UnsafeBufferPointer<UInt8>, _ stem: (UnsafeBufferPointer<UInt8>) -> [UInt8]) -> [UInt8] {
        // U+0451 is replaced by U+045B, which has the same length and no meaning in Russian.
        var changed = Array(word)
        var hasYo = false
        for index in changed.indices.dropLast() where changed[index] == 0xD1 && changed[index + 1] == 0x91 {
            changed[index + 1] = 0x9B
            hasYo = true
        }
        guard hasYo else { return stem(word) }
        return Array(word.prefix(changed.withUnsafeBufferPointer(stem).count))
    }

    /// Hungarian: `ő` and `ű` are consonants, and `õ` and `û` are used instead of them, also in suffixes.
    static func hungarian(_ word: UnsafeBufferPointer<UInt8>, _ stem: (UnsafeBufferPointer<UInt8>) -> [UInt8]) -> [UInt8] {
        let letters = StemmedWord(word).letters
        var changed = StemmedWord(word)
        for index in letters.indices {
            switch letters[index] {
            case "ő", "ű": changed.letters[index] = "q"
            case "õ": changed.letters[index] = "ő"
            case "û": changed.letters[index] = "ű"
            default: break
            }
        }
        guard changed.letters != letters else { return stem(word) }
        var result = changed.utf8.withUnsafeBufferPointer(stem).withUnsafeBufferPointer { StemmedWord($0) }
        for index in result.letters.indices {
            guard index < letters.count, result.letters[index] == changed.letters[index] else { break }
            result.letters[index] = letters[index]
        }
        return result.utf8
    }
}
